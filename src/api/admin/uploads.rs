//! What the endpoints for files have in common: reading the form, and what they answer.

use http::StatusCode;
use serde_json::{Map, Value};

use super::{Reply, Request, reply::ReplyBody};
use crate::{
    admin::uploads::{Declared, Folders},
    api::multipart::{FileHead, Texts},
    error::{Error, Kind, Result},
};

/// The part of the body that holds the file.
pub(super) const FILE_FIELD: &str = "file";

/// The folders of the site.
pub(super) fn folders<'a>(request: &'a Request) -> Folders<'a> {
    let files = &request.options().files;
    Folders {
        data: &files.data,
        content: files.content.as_deref(),
    }
}

/// The file that must have come.
pub(super) fn required(head: Option<FileHead>) -> Result<FileHead> {
    head.ok_or_else(|| {
        Error::new(
            Kind::Validation,
            format!("There is no file in the part \"{FILE_FIELD}\" of the body."),
        )
    })
}

/// What was said of a file.
pub(super) fn declared(head: &FileHead) -> Declared<'_> {
    Declared {
        name: &head.name,
        kind: &head.kind,
    }
}

/// The address of an upload: `https://site.example/content/images/2026/11/ferry.jpg`.
pub(super) fn address(request: &Request, path: &str) -> String {
    format!("{}/content/{path}", request.addresses.base())
}

/// What the client calls the upload itself; it is told back.
pub(super) fn reference(texts: &Texts) -> Value {
    let text = texts.get("ref").filter(|text| !text.is_empty());
    text.map_or(Value::Null, Value::from)
}

/// The answer to an upload: a list of one.
pub(super) fn answer(status: StatusCode, name: &str, record: Value) -> Reply {
    let body = Value::Object(Map::from_iter([(
        name.to_owned(),
        Value::from(vec![record]),
    )]));
    Reply::new(status, ReplyBody::Json(body.to_string().into_bytes()))
}
