//! The query of a request: names and values, and the parameters of lists and reads (Ghost 6.65,
//! recorded).

mod paging;
mod query;
mod selection;

pub use paging::{PageSize, Paging};
pub use query::{QueryParameters, decode};
pub use selection::{Defaults, Format, Rows, Selection};
