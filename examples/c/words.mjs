// The words of a text, with a slash between two: node words.mjs LIBRARY FOLDER TEXT
// `npm install koffi` first.
import koffi from 'koffi';

const [library, folder, text] = process.argv.slice(2);
const lib = koffi.load(library);
const options = koffi.struct({ struct_size: 'size_t', folder: 'str' });
const open = lib.func('segmenter_open', 'int', [
  koffi.pointer(options), koffi.out('void **'), koffi.out('char *'), 'size_t']);
const worker_new = lib.func('segmenter_worker_new', 'int', ['void *', koffi.out('void **')]);
const cut = lib.func('segmenter_cut', 'int', [
  'void *', 'str', 'size_t', 'int', koffi.out('void **'), koffi.out('size_t *')]);
const error = lib.func('segmenter_error', 'str', ['void *']);

const [seg, worker, ends, count] = [[null], [null], [null], [0]];
const message = Buffer.alloc(256);
if (open({ struct_size: koffi.sizeof(options), folder }, seg, message, message.length)) {
  throw new Error(message.toString('utf8', 0, message.indexOf(0)));
}
worker_new(seg[0], worker);
// 2: in units of UTF-16, as JavaScript counts
if (cut(worker[0], text, Buffer.byteLength(text), 2, ends, count)) throw new Error(error(worker[0]));
const offsets = koffi.decode(ends[0], 'uint32_t', Number(count[0]));
console.log([...offsets].map((end, i) => text.slice(i ? offsets[i - 1] : 0, end)).join('/'));
lib.func('segmenter_worker_free', 'void', ['void *'])(worker[0]);
lib.func('segmenter_free', 'void', ['void *'])(seg[0]);
