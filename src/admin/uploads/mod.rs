//! Uploads of staff and integrations: images, media and other files, stored by month.
//!
//! A file is written under a temporary name and renamed once it is completely on disk. Names are
//! made safe and never reused, even by concurrent uploads. The type of a file is detected from its
//! content; its name and its declared type must not contradict it. *Only thumbnails of videos are
//! ever replaced.*

mod declared_upload;
pub mod files;
mod folders;
pub mod images;
pub mod media;
mod month_folder;
mod names;

pub use self::declared_upload::DeclaredUpload;

pub use folders::Folders;
