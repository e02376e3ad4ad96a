// Threads that share one engine, each with a worker of its own: threads FOLDER. For ThreadSanitizer.
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "segmenter.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string text =
      "他说的确实在理，2026年11月21日见 https://a.cn/b。中华人民共和国成立，臺灣大學的圖書館。";
  int failures = 0;
  for (const char* preset : {"fast", "balanced", "accurate"}) {
    segmenter_options o{};
    o.struct_size = sizeof o;
    o.folder = argv[1];
    o.preset = preset;
    segmenter_engine* seg;
    char why[256];
    if (segmenter_open(&o, &seg, why, sizeof why)) return std::puts(why), 1;
    std::vector<std::vector<uint32_t>> found(4);
    std::vector<std::thread> threads;
    for (auto& ends : found)
      threads.emplace_back([&] {
        segmenter_worker* worker;
        if (segmenter_worker_new(seg, &worker)) return;
        for (int turn = 0; turn < 20; ++turn) {
          const uint32_t* at;
          size_t n;
          if (segmenter_cut(worker, text.data(), text.size(), SEGMENTER_UTF8_BYTES, &at, &n)) break;
          ends.assign(at, at + n);
          // the lexicon and the tags are opened by whichever thread asks first
          const segmenter_token* tokens;
          const char* const* tags;
          if (segmenter_tag(worker, text.data(), text.size(), SEGMENTER_UTF8_BYTES, &tokens, &tags,
                            &n))
            break;
          for (size_t i = 0; i < n; ++i) ends.push_back(uint32_t(tags[i][0]));
          if (segmenter_tokenize(worker, text.data(), text.size(), SEGMENTER_INDEX,
                                 SEGMENTER_UTF8_BYTES, &tokens, &n))
            break;
          for (size_t i = 0; i < n; ++i) ends.push_back(tokens[i].position);
        }
        segmenter_worker_free(worker);
      });
    for (std::thread& thread : threads) thread.join();
    segmenter_free(seg);
    for (const auto& ends : found) failures += ends.size() < text.size() / 3 || ends != found[0];
  }
  std::puts(failures ? "FAILED: threads differ" : "threads agree");
  return failures != 0;
}
