//! What is exported and brought in again, or served from where it was exported to, answers the same.

mod documents;
mod folder;
mod ghost;
mod publication;
mod records;
