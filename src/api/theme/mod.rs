//! The pages of the active theme over HTTP: which reader they are for, what is cached, and the header fields.

mod active;
mod bodies;
mod images;
mod pages;
mod private_site;
mod public_files;
mod scripts;
mod site;

pub use self::{active::ActiveTheme, scripts::ActiveScripts};
