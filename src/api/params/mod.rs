//! The query of a request: names and values, and what lists and reads make of them (NOTES of Ghost 6.65, recorded).

mod paging;
mod query;
mod selection;

pub use paging::Paging;
pub use query::{Query, decode};
pub use selection::{Defaults, Format, Rows, Selection};
