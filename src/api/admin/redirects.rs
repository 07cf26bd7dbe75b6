//! The redirects file: uploaded as JSON or YAML, downloaded as YAML (Ghost 6.65, recorded).

use serde_json::json;

use super::{Reply, Request, uploaded_file};
use crate::{
    admin::{
        redirects::{self, RedirectFormat},
        site_files::FILE_BYTES_MAX,
    },
    error::Result,
};

/// `GET admin/redirects/download/`
pub fn download(request: &Request) -> Result<Reply> {
    let text = redirects::download(request.snapshot)?;
    Ok(Reply::yaml("redirects.yaml", text))
}

/// `POST admin/redirects/upload/`
pub fn upload(request: &Request) -> Result<Reply> {
    let extensions = &["json", "yaml"];
    let (extension, content) =
        uploaded_file::read_text(request, "redirects", extensions, FILE_BYTES_MAX)?;
    let format = match extension {
        "json" => RedirectFormat::Json,
        _ => RedirectFormat::Yaml,
    };
    redirects::upload(request.site(), request.actor()?, format, &content)?;
    Ok(Reply::value(&json!({})).invalidating("/*"))
}
