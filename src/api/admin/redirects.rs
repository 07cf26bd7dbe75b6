//! The file of redirects: sent as JSON or YAML, handed out as YAML (Ghost 6.65, recorded).

use serde_json::json;

use super::{Reply, Request, form_file};
use crate::{
    admin::{
        redirects::{self, Format},
        site_files::FILE_BYTES_MAX,
    },
    error::Result,
};

/// `GET admin/redirects/download/`
pub fn download(request: &Request) -> Result<Reply> {
    let text = redirects::download(request.edition)?;
    Ok(Reply::yaml("redirects.yaml", text))
}

/// `POST admin/redirects/upload/`
pub fn upload(request: &Request) -> Result<Reply> {
    let endings = &["json", "yaml"];
    let (ending, content) = form_file::read_text(request, "redirects", endings, FILE_BYTES_MAX)?;
    let format = match ending {
        "json" => Format::Json,
        _ => Format::Yaml,
    };
    redirects::upload(request.site(), request.actor()?, format, &content)?;
    Ok(Reply::value(&json!({})).invalidating("/*"))
}
