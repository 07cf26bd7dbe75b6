//! Writes the Markdown of MDX: a tag alone on its line is a block, and the content of elements is Markdown.

mod block_writer;
mod components;
mod frame;

pub use self::block_writer::Blocks;
