//! Uploads of images (Ghost 6.65, recorded).

use http::StatusCode;
use serde_json::json;

use super::{
    Reply, Request,
    uploads::{FILE_FIELD, declared, folders, reference, required, upload_reply, upload_url},
};
use crate::{
    admin::uploads::images::{self, Purpose},
    api::multipart::{self, FilePart},
    error::Result,
};

/// `POST admin/images/upload/`
pub fn upload(request: &Request) -> Result<Reply> {
    let mut content = Vec::new();
    let mut files = [FilePart::new(FILE_FIELD, &mut content)];
    let texts = multipart::read_files(request.head, request.body, &mut files)?;
    let [file] = files;
    let head = required(file.head)?;
    let purpose = match texts.get("purpose") {
        None => Purpose::Image,
        Some(name) => Purpose::named(name)?,
    };
    let path = images::upload(
        request.site(),
        folders(request),
        &request.api.image_memory,
        declared(&head),
        &content,
        purpose,
    )?;
    let record = json!({"url": upload_url(request, &path), "ref": reference(&texts)});
    Ok(upload_reply(StatusCode::CREATED, "images", record))
}
