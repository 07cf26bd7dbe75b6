//! npm packages whose files an operator can install next to a site: Ghost's admin app, and its scripts for readers.
//!
//! `package.rs` obtains a package and verifies its hash, `files.rs` unpacks it and compresses its text files,
//! `images.rs` replaces images of other hosts, and `folder.rs` manages the folder of the installed files. *A folder
//! appears as a whole or not at all, and only files in it are served.*

mod error;
mod files;
mod folder;
mod images;
mod package;

pub use self::{
    error::{InstallError, Step},
    files::{PackageRewrites, extract},
    folder::{COMPRESSED_FORMS, FolderVersion, InstalledFolder},
    images::without_images_of,
    package::{PackageSource, PinnedPackage, check_version},
};
