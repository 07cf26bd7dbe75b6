//! Authentication: the rules behind the Admin API, with time and client addresses set by the test.

mod codes;
mod guesses;
mod passwords;
mod sessions;
mod setting_up;
mod tokens;
mod world;
