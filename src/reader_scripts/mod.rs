//! Ghost's reader scripts from npm packages: Portal, search, the announcement bar and comments. An operator can install them next
//! to the site, so that pages do not load them from a CDN.
//!
//! The scripts are not part of this program. `packages.rs` lists the packages, `installation.rs` extracts each into a subfolder,
//! and `installed.rs` reads the installed files. *Either all scripts are replaced or none.*

mod installation;
mod installed;
mod packages;

pub use self::{
    installation::Installation,
    installed::{InstalledPackage, Manifest, ReaderScripts},
    packages::packages_with,
};
