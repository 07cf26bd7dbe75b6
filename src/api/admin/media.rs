//! Sounds and films, and the pictures that stand for films (Ghost 6.65).

use http::StatusCode;
use serde_json::json;

use super::{
    Reply, Request,
    uploads::{FILE_FIELD, address, answer, declared, folders, reference, required},
};
use crate::{
    admin::uploads::media::{self, Thumbnail, no_such_film},
    api::{
        multipart::{self, FilePart},
        params::decode,
    },
    error::{Error, Kind, Result},
    sources::public_files::is_plain,
    whole_file::WholeFile,
};

/// The part of the body that holds the picture that stands for a film.
const THUMBNAIL_FIELD: &str = "thumbnail";

/// `POST admin/media/upload/`
pub fn upload(request: &Request) -> Result<Reply> {
    let folders = folders(request);
    let mut film = WholeFile::create(folders.data).map_err(Error::internal)?;
    let mut picture = Vec::new();
    let mut files = [
        FilePart::new(FILE_FIELD, &mut film),
        FilePart::new(THUMBNAIL_FIELD, &mut picture),
    ];
    let texts = multipart::read_files(request.head, request.body, &mut files)?;
    let [head, head_of_picture] = files.map(|file| file.head);
    let head = required(head)?;
    let thumbnail = head_of_picture.as_ref().map(|head| Thumbnail {
        declared: declared(head),
        content: &picture,
    });
    let kept = media::upload(
        request.site(),
        folders,
        &request.api.image_memory,
        declared(&head),
        &film,
        thumbnail,
    )?;
    let thumbnail = kept.thumbnail.map(|path| address(request, &path));
    let record = json!({
        "url": address(request, &kept.path),
        "thumbnail_url": thumbnail,
        "ref": reference(&texts),
    });
    Ok(answer(StatusCode::CREATED, "media", record))
}

/// `PUT admin/media/thumbnail/upload/`: `url` says for which film.
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
            "There is no address of a film in the part \"url\" of the body.",
        )
        .property("url")
    })?;
    let thumbnail = Thumbnail {
        declared: declared(&head),
        content: &content,
    };
    let film = film_at(request, url)?;
    let memory = &request.api.image_memory;
    let path = media::replace_thumbnail(folders(request), memory, &film, thumbnail)?;
    let record = json!({"url": address(request, &path), "ref": reference(&texts)});
    Ok(answer(StatusCode::OK, "media", record))
}

/// The path of an uploaded film below the data folder, by its address.
fn film_at(request: &Request, url: &str) -> Result<String> {
    let path = url.strip_prefix(request.addresses.base()).unwrap_or(url);
    let path = request.addresses.path_on_site(path);
    let path = decode(path.strip_prefix("/content/").ok_or_else(no_such_film)?)?;
    let is_film = path.starts_with("media/") && is_plain(&path);
    is_film.then_some(path).ok_or_else(no_such_film)
}
