//! The fuzzer's program for all kinds of input. The environment variable `GALLEY_FUZZ` names the kind.
#![no_main]

use std::{
    env,
    sync::{Arc, LazyLock},
};

use galley_fuzz_targets::{PropertyCheck, TARGETS};
use signal_hook::{consts::SIGPIPE, flag};

static CHECK: LazyLock<PropertyCheck> = LazyLock::new(|| {
    let name = env::var("GALLEY_FUZZ").unwrap_or_default();
    let target = TARGETS.iter().find(|(own, _)| *own == name);
    let names = TARGETS.map(|(name, _)| name).join(", ");
    let (_, check) = target.unwrap_or_else(|| panic!("GALLEY_FUZZ must be one of {names}"));
    *check
});

libfuzzer_sys::fuzz_target!(
    // libFuzzer replaces Rust's start-up code, which would ignore SIGPIPE. Without a handler, a write to a
    // closed connection would end the program.
    init: {
        LazyLock::force(&CHECK);
        flag::register(SIGPIPE, Arc::default()).unwrap();
    },
    |input: &[u8]| CHECK(input)
);
