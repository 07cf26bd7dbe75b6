//! Code in the content of posts, with a class for each token, so that a theme colors it without a script.
//!
//! Ghost leaves the colors of code to scripts of themes. A theme whose package has `config.code_highlighting` set to `true`
//! gets them from Galley: `blocks` finds the code of a page and its language, `languages` has a row for each language, with
//! its comments, strings and words, and `tokens`, `markup` and `lines` find the tokens. *The text of the code stays the same to
//! the character.*

mod blocks;
mod language;
mod languages;
mod lines;
mod markup;
mod tokens;

pub use blocks::highlighted;
