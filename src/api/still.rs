//! The site standing still: the answers of one edition without a connection, a key or a cache, for whoever writes them down.

use std::{fs::File, sync::Arc};

use http::{Method, StatusCode};
use jiff::Timestamp;

use super::{
    addresses::Addresses,
    content::{self, Effort, bodies::Bodies, response_memory::ResponseMemory},
    files::FileRoots,
    image_sizes::image_sizes,
    params::{Query, decode},
    response::Body,
    router::{self, Endpoint},
    routes::ROUTES,
};
use crate::{
    error::{Error, Result},
    images::{Copies, ImageSize, Memory, Variant},
    site::Edition,
};

/// One edition of a site as its readers see it.
pub struct Still<'a> {
    edition: &'a Edition,
    addresses: Addresses,
    bodies: Bodies,
    files: FileRoots,
    sizes: Vec<ImageSize>,
    copies: Copies,
    now: Timestamp,
}

impl<'a> Still<'a> {
    /// The site at `addresses`, whose pictures may take so much memory while they are made smaller.
    pub fn new(
        edition: &'a Edition,
        addresses: Addresses,
        files: FileRoots,
        image_memory_bytes: u64,
        now: Timestamp,
    ) -> Self {
        let memory = Arc::new(Memory::new(image_memory_bytes));
        Self {
            edition,
            // Each body is written down once or twice: to keep them would be for nothing.
            bodies: Bodies::new(&edition.catalog.settings, &addresses, 0),
            addresses,
            sizes: image_sizes(edition),
            copies: Copies::new(&files.data, memory),
            files,
            now,
        }
    }

    /// The edition.
    pub fn edition(&self) -> &Edition {
        self.edition
    }

    /// Where the site is.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// What the Content API answers to whoever has a key: `path` is relative to `content/` and ends with a slash.
    ///
    /// # Errors
    ///
    /// The endpoint's, and `NotFound` where there is none.
    pub fn json(&self, path: &str, query: &str) -> Result<Vec<u8>> {
        let path = format!("content/{path}");
        let nowhere = || Error::not_found(format!("Endpoint {path}"));
        let found = router::find(ROUTES, &Method::GET, &path).ok_or_else(nowhere)?;
        let Endpoint::Content(endpoint) = &found.route.endpoint else {
            return Err(nowhere());
        };
        let variable = found.variables.first().copied().unwrap_or_default();
        let answered = endpoint(&content::Request {
            memory: &ResponseMemory::unbounded(),
            edition: self.edition,
            catalog: &self.edition.catalog,
            addresses: &self.addresses,
            bodies: &self.bodies,
            effort: Effort::Any,
            parameters: &Query::parse(query)?,
            variable: &decode(variable)?,
            now: self.now,
        });
        answered.map_err(Error::from)
    }

    /// The file that is served at `path`, which is relative to `/content/` and percent-encoded. A picture of which nothing
    /// smaller can be made stands for itself. `None` where nothing is served, or nothing that is harmless as a file.
    pub fn file(&self, path: &str) -> Option<File> {
        let catalog = &self.edition.catalog;
        if self.files.needs_policy(path, catalog, &self.copies) {
            return None;
        }
        let response = self.files.answer(
            path,
            self.addresses.subdirectory(),
            catalog,
            &self.sizes,
            &self.copies,
        );
        match (response.status, response.body) {
            (StatusCode::OK, Body::File { file, .. }) => Some(file),
            (StatusCode::FOUND, _) => self.file(&original_of(path)?),
            _ => None,
        }
    }
}

/// The picture of which `path` asks for another size; `None` if for none. Both are relative to `/content/`.
pub fn original_of(path: &str) -> Option<String> {
    Variant::of(path).map(|variant| format!("images/{}", variant.original))
}
