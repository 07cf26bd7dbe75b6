//! Uploads of other files (Ghost 6.65).

use http::StatusCode;
use serde_json::json;

use super::{
    Reply, Request,
    uploads::{FILE_FIELD, declared, folders, reference, required, upload_reply, upload_url},
};
use crate::{
    admin::uploads::files,
    api::multipart::{self, FilePart},
    atomic_file::AtomicFile,
    error::{Error, Result},
};

/// `POST admin/files/upload/`
pub fn upload(request: &Request) -> Result<Reply> {
    let folders = folders(request);
    let mut content = AtomicFile::create(folders.data).map_err(Error::internal)?;
    let mut parts = [FilePart::new(FILE_FIELD, &mut content)];
    let texts = multipart::read_files(request.head, request.body, &mut parts)?;
    let [part] = parts;
    let head = required(part.head)?;
    let path = files::upload(request.site(), folders, declared(&head), &content)?;
    let record = json!({"url": upload_url(request, &path), "ref": reference(&texts)});
    Ok(upload_reply(StatusCode::CREATED, "files", record))
}
