#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| galley_fuzz::mobiledoc::hold(input));
