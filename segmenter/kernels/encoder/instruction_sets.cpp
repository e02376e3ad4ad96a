// The encoder's arithmetic, compiled for each set of instructions.
#include <vector>

#include "encoder/neon.hpp"
#include "encoder/portable.hpp"
#include "encoder/x86.hpp"

namespace segmenter {
namespace encoder {

std::vector<const InstructionSet*> instruction_sets() {
  std::vector<const InstructionSet*> out{&portable::instructions};
#if SEGMENTER_NETWORK_X86
  static const Processor processor;
  out.push_back(&sse::instructions);
  if (processor.avx2) out.push_back(&avx2::instructions);
#if SEGMENTER_NETWORK_AVX_VNNI
  if (processor.avx_vnni) out.push_back(&avx_vnni::instructions);
#endif
  if (processor.vnni) out.push_back(&vnni::instructions);
#elif SEGMENTER_NETWORK_NEON
  out.push_back(&neon::instructions);
#if SEGMENTER_NETWORK_SDOT
  if (has_sdot()) out.push_back(&sdot::instructions);
#endif
#endif
  return out;
}

}  // namespace encoder
}  // namespace segmenter
