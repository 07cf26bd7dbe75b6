//! Ghost's scripts for readers, which an operator can install next to the site, so that pages load them from it: Portal, search,
//! the announcement bar and comments, from npm packages.
//!
//! The scripts are not part of this program. `packages.rs` names the packages, `installation.rs` unpacks them into folders of one
//! folder, `installed.rs` has the installed files. *All scripts are replaced together or none is.*

mod installation;
mod installed;
mod packages;

pub use self::{
    installation::Installation,
    installed::{InstalledPackage, Manifest, ReaderScripts},
    packages::packages_with,
};
