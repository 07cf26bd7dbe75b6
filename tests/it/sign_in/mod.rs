//! Tests of the rules of authentication, with time and client addresses set by the test.

mod codes;
mod guesses;
mod passwords;
mod proofs;
mod sessions;
mod setting_up;
mod tokens;
