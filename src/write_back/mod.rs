//! Writes edits of posts and other records into their content files.
//!
//! An edit changes the text of the file: the front matter keys and the blocks of the body that differ. The new text is then
//! read like any content file, and its values are stored and served, so that the site, the file and every copy of it agree.
//! A value that the file cannot store is an error, and nothing is changed.
//!
//! Edits wait in the store ([`FileEdit`](crate::domain::file_edit::FileEdit)) until
//! [`EditWriter::write_edits`](crate::content_files::EditWriter::write_edits) writes them into the folder. If others have
//! changed a file in the meantime, the edit is merged with their changes.

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
