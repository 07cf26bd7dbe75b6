//! The URLs of a site, by its `routes.yaml`: the page at a path, and the path of a record.
//!
//! `routes_file` parses the file, and [`BoundRoutes`] binds the routes to a catalog and resolves paths and records. *The input is text
//! and a catalog, the output is paths: this module knows no host, no template and no response.*

mod bound_routes;
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
mod routes_file;
#[cfg(test)]
mod tests;
mod upload_rules;
#[cfg(test)]
mod upload_tests;

pub use self::{
    bound_routes::BoundRoutes,
    file_text::FILE_BYTES_MAX,
    lists::RoutedList,
    moves::MovedPages,
    page_paths::PagePath,
    redirects_file::{RedirectFormat, WITHOUT_REDIRECTS, read_redirects, read_usable_redirects},
    resolve::{FeedOf, Resolution, editor_fragment},
    route_fault::RouteFault,
    routes_file::{DEFAULT_FILE, RoutesFileError, parse, read_routes},
};
