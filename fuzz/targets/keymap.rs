#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| spadework_fuzz::keymap(data));
