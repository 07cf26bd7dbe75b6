//! Eleventy.

pub(crate) mod directory_data;
mod settings;
