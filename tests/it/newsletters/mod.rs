//! Tests of posts that are mailed to subscribers: recipients, content, and failures of mail servers and processes.

mod crash;
mod newsletter_site;
mod publishing;
mod sending;

pub use newsletter_site::{add_members, publish};
