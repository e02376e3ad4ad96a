// The decoders, compiled.
#include "worker.hpp"

#include "inspect.hpp"

namespace segmenter {

Worker::Worker() : parts_(new Parts()) {}
Worker::~Worker() = default;

const Decision* Worker::run(const Plan& plan, const Text& text, const Request& request) {
  return parts_->run(plan, text, request);
}
uint64_t Worker::steps() const { return parts_->steps(); }

bool reads_many(const Plan& plan) { return plan.tagger && plan.tagger->has_network(); }

bool user_takes_line_ends(const Plan& plan) {
  if (plan.user)
    for (const UserLayer& layer : plan.user->layers)
      if (layer.line_ends) return true;
  return false;
}

}  // namespace segmenter
