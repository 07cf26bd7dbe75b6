//! Writes edits of posts and other records into their content files.
//!
//! An edit is made on the text of the file: of its front matter the keys whose values differ, of its body the blocks. The new
//! text is then read like any content file, and its values are stored and served, so that the site, the file and every copy of
//! it agree. A value that the file cannot store is an error, and nothing is changed.
//!
//! Edits wait in the store ([`FileEdit`](crate::domain::file_edit::FileEdit)) until
//! [`EditWriter::write_edits`](crate::content_files::EditWriter::write_edits) has put them into the folder. A file that others
//! have changed meanwhile is merged with them.

mod access;
mod commits;
mod editing;
mod elsewhere;
mod file_reader;
mod files;
mod folder_writer;
mod naming;
mod placing;
mod records;
mod refusals;
mod stored_url;
mod values;
mod view;
mod waiting;

pub use elsewhere::WriterElsewhere;
pub use folder_writer::FolderWriter;
pub use naming::{NewFilePath, NewFiles};
