//! The helpers of themes, one file for each family and a row for each helper.
//!
//! A helper is a function of its arguments, the current record and the state of the page. [`find`] knows all helpers, including
//! those for the head of a page; the built-in helpers of the template language belong to the engine.

mod assets;
mod built_in;
pub mod coercion;
mod colours;
mod conditions;
mod dates;
pub mod downsize;
mod escape;
mod excerpts;
mod foreach;
mod images;
mod languages;
mod lists;
mod members;
mod navigation;
mod numbers;
mod records;
pub mod social;
mod texts;
mod translations;
mod urls;

use std::sync::LazyLock;

use super::{
    PageState, head,
    helper_row::{HelperRow, takes},
};
use crate::templates::Helper;

/// The families.
const FAMILIES: [&[HelperRow]; 17] = [
    head::HELPERS,
    assets::HELPERS,
    colours::HELPERS,
    conditions::HELPERS,
    dates::HELPERS,
    excerpts::HELPERS,
    foreach::HELPERS,
    images::HELPERS,
    lists::HELPERS,
    members::HELPERS,
    navigation::HELPERS,
    numbers::HELPERS,
    records::HELPERS,
    social::HELPERS,
    texts::HELPERS,
    translations::HELPERS,
    urls::HELPERS,
];

/// The rows by the length of their names. Few names share a length, so a lookup takes few comparisons and no hash.
static ROWS: LazyLock<Vec<Vec<&HelperRow>>> = LazyLock::new(|| {
    let mut by_length = Vec::new();
    for row in rows() {
        let length = row.name.len();
        by_length.resize_with(by_length.len().max(length + 1), Vec::new);
        by_length[length].push(row);
    }
    by_length
});

/// Returns all rows.
pub fn rows() -> impl Iterator<Item = &'static HelperRow> {
    FAMILIES.iter().copied().flatten()
}

/// Finds a helper by its name.
pub fn find(name: &str) -> Option<Helper<PageState>> {
    let mut rows = ROWS.get(name.len())?.iter();
    rows.find(|row| row.name == name).map(|row| row.run)
}
