// Threads that share one engine, each with a worker of its own: threads FOLDER. For ThreadSanitizer.
#include <atomic>
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
  const std::string words =
      "在理\tforce\tn\n中华人民|共和国\tsplit\n圖書館\t9\tnz\n15\t\t\t\tinside\n";
  std::atomic<int> failures{0};
  for (const char* name : {"fast", "balanced", "accurate", "unigram"}) {
    segmenter_options o{};
    o.struct_size = sizeof o;
    o.folder = argv[1];
    (std::strcmp(name, "unigram") ? o.preset : o.decoder) = name;
    o.search = "single,ngrams=2";
    o.user = words.data();
    o.user_size = words.size();
    segmenter_engine* seg;
    char why[256];
    if (segmenter_open(&o, &seg, why, sizeof why)) return std::puts(why), 1;
    std::vector<std::vector<uint32_t>> found(4);
    std::vector<std::thread> threads;
    for (auto& numbers : found)
      threads.emplace_back([&] {
        segmenter_worker* worker;
        if (segmenter_worker_new(seg, &worker)) {
          ++failures;
          return;
        }
        const char* const p = text.data();
        for (int turn = 0; turn < 20; ++turn) {
          const uint32_t* at;
          const segmenter_token* tokens;
          const char* const* tags;
          size_t n;
          failures += segmenter_cut(worker, p, text.size(), SEGMENTER_UTF8_BYTES, &at, &n) != 0;
          numbers.assign(at, at + n);
          // lexicon, tags and words inside words are opened by whichever thread asks first
          failures +=
              segmenter_tag(worker, p, text.size(), SEGMENTER_UTF8_BYTES, &tokens, &tags, &n) != 0;
          for (size_t i = 0; i < n; ++i) numbers.push_back(uint32_t(tags[i][0]));
          for (int mode = SEGMENTER_WORDS; mode <= SEGMENTER_QUERY; ++mode) {
            failures += segmenter_tokenize(worker, p, text.size(), mode, SEGMENTER_UTF16_UNITS,
                                           &tokens, &n) != 0;
            for (size_t i = 0; i < n; ++i) numbers.push_back(tokens[i].start + tokens[i].position);
          }
          failures += segmenter_fold(worker, p, text.size(), &at, &n) != 0;
          numbers.insert(numbers.end(), at, at + n);
        }
        segmenter_worker_free(worker);
      });
    for (std::thread& thread : threads) thread.join();
    segmenter_free(seg);
    for (const auto& numbers : found) failures += numbers != found[0];
  }
  std::puts(failures ? "FAILED: threads differ" : "threads agree");
  return failures != 0;
}
