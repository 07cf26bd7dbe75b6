#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| galley_fuzz::lexical::hold(input));
