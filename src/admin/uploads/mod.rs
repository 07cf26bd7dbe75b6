//! Uploads of staff and integrations: images, media and other files, stored by month.
//!
//! A file is written under a temporary name and renamed once all of it is on disk; names are made
//! safe and never used twice, also with concurrent uploads. The type of a file is detected from its
//! content; its name and declared type must not contradict it. *Nothing is replaced but the
//! thumbnail of a video.*

mod declared_upload;
pub mod files;
mod folders;
pub mod images;
pub mod media;
mod month_folder;
mod names;

pub use self::declared_upload::DeclaredUpload;

pub use folders::Folders;
