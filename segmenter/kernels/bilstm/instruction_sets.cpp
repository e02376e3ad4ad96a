// The network's arithmetic, compiled for each set of instructions.
#include "bilstm/neon.hpp"
#include "bilstm/portable.hpp"
#include "bilstm/x86.hpp"

namespace segmenter {
namespace bilstm {

std::vector<const InstructionSet*> instruction_sets() {
  return runnable<InstructionSet>({SEGMENTER_COMPILED_SETS});
}

}  // namespace bilstm
}  // namespace segmenter
