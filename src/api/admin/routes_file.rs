//! The routes file (Ghost 6.65, recorded).

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

/// `POST admin/settings/routes/yaml/`
pub fn upload(request: &Request) -> Result<Reply> {
    let (_, content) = uploaded_file::read_text(request, "routes", &["yaml"], FILE_BYTES_MAX)?;
    routes_file::upload(request.site(), request.actor()?, &content)?;
    Ok(Reply::value(&json!({})).invalidating("/*"))
}
