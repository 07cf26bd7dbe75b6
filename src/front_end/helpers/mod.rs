//! The helpers of themes, one file for each family and a row for each helper.
//!
//! A helper is a function of its arguments, the record that it is called in and the state of the page. [`find`] knows all of
//! them, those of the head of a page included; those of the language itself are the engine's.

mod assets;
mod built_in;
mod coercion;
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

use std::{collections::HashMap, sync::LazyLock};

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

/// The rows by their names.
static ROWS: LazyLock<HashMap<&str, &HelperRow>> =
    LazyLock::new(|| rows().map(|row| (row.name, row)).collect());

/// Returns all rows.
pub fn rows() -> impl Iterator<Item = &'static HelperRow> {
    FAMILIES.iter().copied().flatten()
}

/// Finds a helper by its name.
pub fn find(name: &str) -> Option<Helper<PageState>> {
    ROWS.get(name).map(|row| row.run)
}
