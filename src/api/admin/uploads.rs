//! The common parts of the upload endpoints: reading the form, and the response.

use http::StatusCode;
use serde_json::{Map, Value};

use super::{Reply, Request, reply::ReplyBody};
use crate::{
    admin::uploads::{Declared, Folders},
    api::multipart::{FileHead, FormTexts},
    error::{Error, Kind, Result},
};

/// The part of the body that holds the file.
pub(super) const FILE_FIELD: &str = "file";

/// Returns the folders of the site.
pub(super) fn folders<'a>(request: &'a Request) -> Folders<'a> {
    let files = &request.options().files;
    Folders {
        data: &files.data,
        content: files.content.as_deref(),
    }
}

/// Returns the uploaded file, which is required.
pub(super) fn required(head: Option<FileHead>) -> Result<FileHead> {
    head.ok_or_else(|| {
        Error::new(
            Kind::Validation,
            format!("There is no file in the part \"{FILE_FIELD}\" of the body."),
        )
    })
}

/// Returns the declared name and media type of a file.
pub(super) fn declared(head: &FileHead) -> Declared<'_> {
    Declared {
        name: &head.name,
        kind: &head.kind,
    }
}

/// Returns the URL of an upload: `https://site.example/content/images/2026/11/ferry.jpg`.
pub(super) fn upload_url(request: &Request, path: &str) -> String {
    format!("{}/content/{path}", request.site_urls.base())
}

/// Returns the client's own reference to the upload, which is echoed.
pub(super) fn reference(texts: &FormTexts) -> Value {
    let text = texts.get("ref").filter(|text| !text.is_empty());
    text.map_or(Value::Null, Value::from)
}

/// Returns the response to an upload: a list of one.
pub(super) fn upload_reply(status: StatusCode, name: &str, record: Value) -> Reply {
    let body = Value::Object(Map::from_iter([(
        name.to_owned(),
        Value::from(vec![record]),
    )]));
    Reply::new(status, ReplyBody::Json(body.to_string().into_bytes()))
}
