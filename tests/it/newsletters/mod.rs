//! Tests of posts that are mailed to subscribers: recipients, content, and failures of mail servers and processes.

mod crash;
mod publishing;
mod sending;
mod world;

pub use world::{add_members, publish, whereabouts};
