//! Ghost's admin app, which an operator can install next to the site: static files from the npm
//! package `ghost`.
//!
//! The app is not part of this program. `package.rs` names its package, `companions.rs` the packages with the files
//! that the app loads from other hosts, and `installation.rs` unpacks them into a folder. *The folder appears as a
//! whole or not at all, and only files of that folder are served.*

mod companions;
mod installation;
mod installed_app;
mod package;
mod rewriting;

pub use self::installed_app::{ASSETS, AdminApp, INDEX, Manifest};

pub use self::{
    installation::Installation,
    package::{PINNED_PACKAGES, package_of},
};
