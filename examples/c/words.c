/* The words of a text, with a slash between two: words FOLDER TEXT */
#include <segmenter.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  segmenter_options options = {sizeof options};
  segmenter_engine* seg;
  segmenter_worker* worker;
  const uint32_t* ends;
  size_t count, i, start = 0;
  char message[256];
  if (argc != 3) return 2;
  options.folder = argv[1];
  if (segmenter_open(&options, &seg, message, sizeof message)) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  if (segmenter_worker_new(seg, &worker)) return 1;
  if (segmenter_cut(worker, argv[2], strlen(argv[2]), SEGMENTER_UTF8_BYTES, &ends, &count)) {
    fprintf(stderr, "%s\n", segmenter_error(worker));
    return 1;
  }
  for (i = 0; i < count; start = ends[i++])
    printf("%s%.*s", i ? "/" : "", (int)(ends[i] - start), argv[2] + start);
  putchar('\n');
  segmenter_worker_free(worker);
  segmenter_free(seg);
  return 0;
}
