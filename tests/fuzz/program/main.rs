//! One program for every kind of input: the variable `GALLEY_FUZZ` names the kind.
#![no_main]

use std::{
    env,
    sync::{Arc, LazyLock},
};

use galley_fuzz_targets::{Hold, TARGETS};
use signal_hook::{consts::SIGPIPE, flag};

static HOLD: LazyLock<Hold> = LazyLock::new(|| {
    let name = env::var("GALLEY_FUZZ").unwrap_or_default();
    let target = TARGETS.iter().find(|(own, _)| *own == name);
    let names = TARGETS.map(|(name, _)| name).join(", ");
    let (_, hold) = target.unwrap_or_else(|| panic!("GALLEY_FUZZ is one of {names}"));
    *hold
});

libfuzzer_sys::fuzz_target!(
    // Without Rust's own start of a program, writing to a connection that the other end has closed would end it.
    init: {
        LazyLock::force(&HOLD);
        flag::register(SIGPIPE, Arc::default()).unwrap();
    },
    |input: &[u8]| HOLD(input)
);
