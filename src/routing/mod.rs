//! The addresses of a site: which page a path is, and which path a record has, by its `routes.yaml`.
//!
//! `file` parses the file, [`BoundRoutes`] binds the routes to one catalog and says both. *Text and catalog in, paths
//! out: it knows no host, no template and no response.*

mod bound;
mod file;
mod file_text;
mod filter;
mod links;
mod lists;
mod moves;
mod page_paths;
mod pattern;
mod redirects_file;
mod resolve;
mod route_fault;
#[cfg(test)]
mod tests;
mod upload_rules;
#[cfg(test)]
mod upload_tests;

pub use self::{
    bound::BoundRoutes,
    file::{DEFAULT_FILE, RoutesFileError, parse, read_routes},
    file_text::FILE_BYTES_MAX,
    lists::RoutedList,
    moves::MovedPages,
    page_paths::PagePath,
    redirects_file::{RedirectFormat, WITHOUT_REDIRECTS, read_redirects, read_usable_redirects},
    resolve::{FeedOf, Resolution, editor_fragment},
    route_fault::RouteFault,
};
