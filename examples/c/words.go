// The words of a text with their parts of speech, by cgo: words FOLDER TEXT.
// CGO_CFLAGS and CGO_LDFLAGS come from `python -m segmenter.capi --cflags` and `--libs`.
package main

/*
#include <stdlib.h>
#include <segmenter.h>
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

func main() {
	folder, text := os.Args[1], os.Args[2]
	options := C.segmenter_options{struct_size: C.sizeof_segmenter_options, folder: C.CString(folder)}
	var seg *C.segmenter_engine
	var worker *C.segmenter_worker
	var message [256]C.char
	if C.segmenter_open(&options, &seg, &message[0], C.size_t(len(message))) != 0 {
		fmt.Fprintln(os.Stderr, C.GoString(&message[0]))
		os.Exit(1)
	}
	defer C.segmenter_free(seg)
	C.segmenter_worker_new(seg, &worker)
	defer C.segmenter_worker_free(worker)

	utf8 := C.CString(text)
	defer C.free(unsafe.Pointer(utf8))
	var tokens *C.segmenter_token
	var tags **C.char
	var count C.size_t
	if C.segmenter_tag(worker, utf8, C.size_t(len(text)), C.SEGMENTER_UTF8_BYTES, &tokens, &tags, &count) != 0 {
		fmt.Fprintln(os.Stderr, C.GoString(C.segmenter_error(worker)))
		os.Exit(1)
	}
	names := unsafe.Slice(tags, count)
	for i, token := range unsafe.Slice(tokens, count) {
		fmt.Printf("%s/%s ", text[token.start:token.end], C.GoString(names[i]))
	}
	fmt.Println()
}
