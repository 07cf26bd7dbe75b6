//! Posts that go out to the subscribers of newsletters: who gets what, and what becomes of it when mail servers and processes
//! fail.

mod crash;
mod publishing;
mod sending;
mod world;

pub use world::whereabouts;
