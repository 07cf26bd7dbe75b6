//! The pages of the active theme over HTTP: readers, caching, and header fields.

mod active;
pub(super) mod bodies;
mod images;
mod markdown;
pub(super) mod page_sources;
mod pages;
mod private_site;
mod problem_page;
mod public_files;
mod recommendations;
mod scripts;
mod search_page;
mod signed_cookie;
mod site;
mod staff;

pub(super) use self::staff::is_page_for_all;
pub use self::{active::ActiveTheme, scripts::ActiveScripts};
