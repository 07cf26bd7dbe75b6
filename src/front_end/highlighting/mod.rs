//! Syntax highlighting of the code in posts: a class for each token, so that a theme can colour it without a script.
//!
//! Ghost leaves highlighting to scripts of themes. Galley highlights code if the package of the theme sets
//! `config.code_highlighting` to `true`: `blocks` finds the code of a page and its language, `languages` has a row for each
//! language, with its comments, strings and words, and `tokens`, `markup` and `lines` find the tokens. *The text of the code
//! never changes.*

mod blocks;
mod language;
mod languages;
mod lines;
mod markup;
mod tokens;

pub use blocks::highlighted;
