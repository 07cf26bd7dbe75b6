//! Who comes in, and who does not: the rules behind the Admin API's doors, with time and addresses set by the test.

mod codes;
mod guesses;
mod passwords;
mod sessions;
mod setting_up;
mod tokens;
mod world;
