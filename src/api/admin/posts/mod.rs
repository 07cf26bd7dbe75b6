//! Posts and pages: what staff see and write.

pub mod add;
pub mod answer;
pub mod copy;
pub mod delete;
pub mod edit;
pub mod input;
pub mod references;
