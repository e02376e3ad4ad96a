// The encoder's arithmetic, compiled for each set of instructions.
#include "encoder/neon.hpp"
#include "encoder/portable.hpp"
#include "encoder/x86.hpp"

namespace segmenter {
namespace encoder {

std::vector<const InstructionSet*> instruction_sets() {
  return runnable<InstructionSet>({SEGMENTER_COMPILED_SETS});
}

}  // namespace encoder
}  // namespace segmenter
