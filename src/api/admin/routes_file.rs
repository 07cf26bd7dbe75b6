//! The routes file (Ghost 6.65, recorded).

use http::HeaderName;
use serde_json::json;

use super::{Reply, Request, uploaded_file};
use crate::{
    admin::{routes_file, site_files::FILE_BYTES_MAX},
    error::Result,
};

/// `GET admin/settings/routes/yaml/`
pub fn download(request: &Request) -> Result<Reply> {
    let text = routes_file::download(request.snapshot)?;
    Ok(Reply::yaml("routes.yaml", text))
}

/// The header field with the pages that a change of the routes moved: their number and some paths.
static MOVED_PAGES: HeaderName = HeaderName::from_static("galley-moved-pages");

/// `POST admin/settings/routes/yaml/`
pub fn upload(request: &Request) -> Result<Reply> {
    let (_, content) = uploaded_file::read_text(request, "routes", &["yaml"], FILE_BYTES_MAX)?;
    let moved = routes_file::upload(request.site(), request.actor()?, &content)?;
    let reply = Reply::value(&json!({})).invalidating("/*");
    Ok(match moved.count {
        0 => reply,
        _ => reply.with_text(MOVED_PAGES.clone(), &moved.to_string()),
    })
}
