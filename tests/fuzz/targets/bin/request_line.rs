#![no_main]

use std::sync::Arc;

use signal_hook::{consts::SIGPIPE, flag};

libfuzzer_sys::fuzz_target!(
    // Without Rust's own beginning of a program, writing to a connection that the other end has closed would end it.
    init: {
        flag::register(SIGPIPE, Arc::default()).unwrap();
    },
    |input: &[u8]| galley_fuzz::request_line::hold(input)
);
