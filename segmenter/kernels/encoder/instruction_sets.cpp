// The encoder's arithmetic, compiled for each set of instructions.
#include "encoder/neon.hpp"
#include "encoder/portable.hpp"
#include "encoder/x86.hpp"

namespace segmenter {
namespace encoder {

std::vector<const InstructionSet*> instruction_sets() {
#if SEGMENTER_NETWORK_AMX
  return runnable<InstructionSet>({SEGMENTER_COMPILED_SETS, &amx::instructions});
#else
  return runnable<InstructionSet>({SEGMENTER_COMPILED_SETS});
#endif
}

}  // namespace encoder
}  // namespace segmenter
