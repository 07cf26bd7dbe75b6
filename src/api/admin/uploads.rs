//! Uploads of images, of audio and video with their thumbnails, and of other files (Ghost 6.65,
//! recorded).

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::{Reply, Request, reply::ReplyBody};
use crate::{
    admin::uploads::{
        DeclaredUpload, Folders, files, images,
        images::Purpose,
        media,
        media::{Thumbnail, video_not_found},
    },
    api::{
        multipart,
        multipart::{FileHead, FilePart, FormTexts},
        params::decode,
    },
    content_files::public_files::is_plain,
    error::{Error, Kind, Result},
};

/// The part of the body that holds the file.
const FILE_FIELD: &str = "file";

/// Returns the folders of the site.
fn folders<'a>(request: &'a Request) -> Folders<'a> {
    let files = &request.options().files;
    Folders {
        uploads: &files.uploads,
        content: files.content.as_deref(),
    }
}

/// Returns the uploaded file, which is required.
fn required(head: Option<FileHead>) -> Result<FileHead> {
    head.ok_or_else(|| {
        Error::new(
            Kind::Validation,
            format!("There is no file in the part \"{FILE_FIELD}\" of the body."),
        )
    })
}

/// Returns the declared name and media type of a file.
fn declared(head: &FileHead) -> DeclaredUpload<'_> {
    DeclaredUpload {
        name: &head.name,
        kind: &head.kind,
    }
}

/// Returns the URL of an upload: `https://site.example/content/images/2026/11/ferry.jpg`.
fn upload_url(request: &Request, path: &str) -> String {
    format!("{}/content/{path}", request.site_urls.base())
}

/// Returns the client's own reference to the upload, which is echoed.
fn reference(texts: &FormTexts) -> Value {
    let text = texts.get("ref").filter(|text| !text.is_empty());
    text.map_or(Value::Null, Value::from)
}

/// Returns the response to an upload: a list of one record.
fn upload_reply(status: StatusCode, name: &str, record: Value) -> Reply {
    let body = Value::Object(Map::from_iter([(
        name.to_owned(),
        Value::from(vec![record]),
    )]));
    Reply::new(status, ReplyBody::Json(body.to_string().into_bytes()))
}

/// `POST admin/images/upload/`
pub fn upload_image(request: &Request) -> Result<Reply> {
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

/// The part of the body that holds the thumbnail of a video.
const THUMBNAIL_FIELD: &str = "thumbnail";

/// `POST admin/media/upload/`
pub fn upload_media(request: &Request) -> Result<Reply> {
    let folders = folders(request);
    // Media may be long, so it is written to a file. Images are processed in memory.
    let mut video = folders.uploads.incoming().map_err(Error::internal)?;
    let mut image = Vec::new();
    let mut files = [
        FilePart::new(FILE_FIELD, &mut video),
        FilePart::new(THUMBNAIL_FIELD, &mut image),
    ];
    let texts = multipart::read_files(request.head, request.body, &mut files)?;
    let [head, image_head] = files.map(|file| file.head);
    let head = required(head)?;
    let thumbnail = image_head.as_ref().map(|head| Thumbnail {
        declared: declared(head),
        content: &image,
    });
    let stored = media::upload(
        request.site(),
        folders,
        &request.api.image_memory,
        declared(&head),
        &video,
        thumbnail,
    )?;
    let thumbnail = stored.thumbnail.map(|path| upload_url(request, &path));
    let record = json!({
        "url": upload_url(request, &stored.path),
        "thumbnail_url": thumbnail,
        "ref": reference(&texts),
    });
    Ok(upload_reply(StatusCode::CREATED, "media", record))
}

/// `PUT admin/media/thumbnail/upload/`: `url` names the video.
pub fn upload_thumbnail(request: &Request) -> Result<Reply> {
    let mut content = Vec::new();
    let mut files = [FilePart::new(FILE_FIELD, &mut content)];
    let texts = multipart::read_files(request.head, request.body, &mut files)?;
    let [file] = files;
    let head = required(file.head)?;
    let url = texts.get("url").filter(|url| !url.is_empty());
    let url = url.ok_or_else(|| {
        Error::new(
            Kind::Validation,
            "The part \"url\" of the body must hold the URL of a video.",
        )
        .property("url")
    })?;
    let thumbnail = Thumbnail {
        declared: declared(&head),
        content: &content,
    };
    let video = video_at(request, url)?;
    let memory = &request.api.image_memory;
    let path = media::replace_thumbnail(folders(request), memory, &video, thumbnail)?;
    let record = json!({"url": upload_url(request, &path), "ref": reference(&texts)});
    Ok(upload_reply(StatusCode::OK, "media", record))
}

/// Returns the path of an uploaded video in the uploads folder, by its URL.
fn video_at(request: &Request, url: &str) -> Result<String> {
    // Clients send the URL from an earlier response, or only its path.
    let path = url.strip_prefix(request.site_urls.base()).unwrap_or(url);
    let path = request.site_urls.path_on_site(path);
    let path = decode(path.strip_prefix("/content/").ok_or_else(video_not_found)?)?;
    let is_media = path.starts_with("media/") && is_plain(&path);
    // Decoded before the check, so that encoded dots cannot leave the folder.
    is_media.then_some(path).ok_or_else(video_not_found)
}

/// `POST admin/files/upload/`
pub fn upload_file(request: &Request) -> Result<Reply> {
    let folders = folders(request);
    let mut content = folders.uploads.incoming().map_err(Error::internal)?;
    let mut parts = [FilePart::new(FILE_FIELD, &mut content)];
    let texts = multipart::read_files(request.head, request.body, &mut parts)?;
    let [part] = parts;
    let head = required(part.head)?;
    let path = files::upload(request.site(), folders, declared(&head), &content)?;
    let record = json!({"url": upload_url(request, &path), "ref": reference(&texts)});
    Ok(upload_reply(StatusCode::CREATED, "files", record))
}
