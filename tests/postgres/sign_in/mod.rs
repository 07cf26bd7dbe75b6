//! Tests of authentication at processes that share a database.

mod away;
#[path = "../../it/sign_in/nodes.rs"]
mod nodes;
#[path = "../../it/sign_in/world.rs"]
#[allow(dead_code, reason = "other tests of sign-ins need the rest")]
mod world;
