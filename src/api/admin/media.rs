//! Uploads of audio and video, and of thumbnails of videos (Ghost 6.65).

use http::StatusCode;
use serde_json::json;

use super::{
    Reply, Request,
    uploads::{FILE_FIELD, declared, folders, reference, required, upload_reply, upload_url},
};
use crate::{
    admin::uploads::media::{self, Thumbnail, video_not_found},
    api::{
        multipart::{self, FilePart},
        params::decode,
    },
    atomic_file::AtomicFile,
    error::{Error, Kind, Result},
    sources::public_files::is_plain,
};

/// The part of the body that holds the thumbnail of a video.
const THUMBNAIL_FIELD: &str = "thumbnail";

/// `POST admin/media/upload/`
pub fn upload(request: &Request) -> Result<Reply> {
    let folders = folders(request);
    let mut video = AtomicFile::create(folders.data).map_err(Error::internal)?;
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

/// Returns the path of an uploaded video below the data folder, by its URL.
fn video_at(request: &Request, url: &str) -> Result<String> {
    let path = url.strip_prefix(request.site_urls.base()).unwrap_or(url);
    let path = request.site_urls.path_on_site(path);
    let path = decode(path.strip_prefix("/content/").ok_or_else(video_not_found)?)?;
    let is_media = path.starts_with("media/") && is_plain(&path);
    is_media.then_some(path).ok_or_else(video_not_found)
}
