//! The helpers of themes, one file for each family and a row for each helper.

mod row;

pub use self::row::{Form, HelperRow};
