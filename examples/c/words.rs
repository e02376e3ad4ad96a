//! The words of a text, with a slash between two: words FOLDER TEXT
use std::ffi::{c_char, c_int, c_void, CStr, CString};

#[repr(C)]
struct Options {
    struct_size: usize,
    folder: *const c_char,
}

extern "C" {
    fn segmenter_open(o: *const Options, out: *mut *mut c_void, message: *mut c_char, n: usize) -> c_int;
    fn segmenter_worker_new(seg: *const c_void, out: *mut *mut c_void) -> c_int;
    fn segmenter_cut(
        worker: *mut c_void, utf8: *const u8, size: usize, unit: c_int,
        ends: *mut *const u32, count: *mut usize,
    ) -> c_int;
    fn segmenter_free(seg: *mut c_void);
    fn segmenter_worker_free(worker: *mut c_void);
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = CString::new(args[1].as_str()).unwrap();
    // a shorter struct than the header's: the members after these two are 0
    let options = Options { struct_size: std::mem::size_of::<Options>(), folder: folder.as_ptr() };
    let (mut seg, mut worker) = (std::ptr::null_mut(), std::ptr::null_mut());
    let (mut ends, mut count) = (std::ptr::null(), 0);
    let mut message = [0; 256];
    unsafe {
        if segmenter_open(&options, &mut seg, message.as_mut_ptr(), message.len()) != 0 {
            panic!("{}", CStr::from_ptr(message.as_ptr()).to_string_lossy());
        }
        assert_eq!(segmenter_worker_new(seg, &mut worker), 0);
        let text = args[2].as_str();
        assert_eq!(segmenter_cut(worker, text.as_ptr(), text.len(), 1, &mut ends, &mut count), 0);
        let (mut start, mut words) = (0, Vec::new());
        for &end in std::slice::from_raw_parts(ends, count) {
            words.push(&text[start..end as usize]);
            start = end as usize;
        }
        println!("{}", words.join("/"));
        segmenter_worker_free(worker);
        segmenter_free(seg);
    }
}
