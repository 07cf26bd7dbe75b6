//! Uploads of audio and video, and thumbnails of videos.

use std::{fs::File, io::Read, path::Path};

use super::{
    DeclaredUpload, Folders,
    folders::Companion,
    images::{Purpose, prepare},
    names::FileName,
};
use crate::{
    admin::uploads::{declared_upload::wrong_kind, month_folder::folder_of_month},
    atomic_file::AtomicFile,
    error::{Error, Result},
    images::Memory,
    site::Site,
    uploads::accepted::{MEDIA_HEAD_BYTES, MediaKind},
};

/// The thumbnail of a video.
#[derive(Debug, Clone, Copy)]
pub struct Thumbnail<'a> {
    /// Its declared name and type.
    pub declared: DeclaredUpload<'a>,
    /// Its content.
    pub content: &'a [u8],
}

/// The paths of a stored media file and its thumbnail, relative to the uploads.
#[derive(Debug, PartialEq, Eq)]
pub struct StoredMedia {
    /// `media/2026/11/ferry.mp4`
    pub path: String,
    /// `media/2026/11/ferry_thumb.png`
    pub thumbnail: Option<String>,
}

/// Stores an audio or video file, and its thumbnail.
///
/// # Errors
///
/// `UnsupportedMediaType` if it is neither audio nor video, or does not have the declared type; for
/// the thumbnail as [`images::upload`](super::images::upload).
pub fn upload(
    site: &Site,
    folders: Folders,
    memory: &Memory,
    declared: DeclaredUpload,
    file: &AtomicFile,
    thumbnail: Option<Thumbnail>,
) -> Result<StoredMedia> {
    check(declared, file.path())?;
    // Prepared first, so that an invalid thumbnail refuses the upload before anything is stored.
    let thumbnail = match thumbnail {
        Some(thumbnail) => Some((thumbnail.declared, prepared(folders, memory, thumbnail)?)),
        None => None,
    };
    let name_of_thumbnail = |video: &FileName| {
        let declared = thumbnail.as_ref().map(|(declared, _)| declared);
        declared.map_or_else(String::new, |declared| thumbnail_name(declared, video))
    };
    let companion = thumbnail.as_ref().map(|(_, file)| Companion {
        file,
        name: &name_of_thumbnail,
    });
    let folder = folder_of_month(site, "media");
    let name = folders.store(&folder, &FileName::safe(declared.name), file, companion)?;
    Ok(StoredMedia {
        path: format!("{folder}/{}", name.with("")),
        thumbnail: thumbnail
            .map(|(declared, _)| format!("{folder}/{}", thumbnail_name(&declared, &name))),
    })
}

/// Replaces the thumbnail of the video at `video`, a path relative to the uploads, and returns the
/// path of the new thumbnail.
///
/// # Errors
///
/// `NotFound` if there is no such video; otherwise as [`images::upload`](super::images::upload).
pub fn replace_thumbnail(
    folders: Folders,
    memory: &Memory,
    video: &str,
    thumbnail: Thumbnail,
) -> Result<String> {
    let video_path = Path::new(video);
    let name = video_path.file_name().and_then(|name| name.to_str());
    let (Some(folder), Some(name)) = (video_path.parent().and_then(Path::to_str), name) else {
        return Err(video_not_found());
    };
    if !folders.uploads.has(video).map_err(Error::internal)? {
        return Err(video_not_found());
    }
    let name = thumbnail_name(&thumbnail.declared, &FileName::safe(name));
    // Files in a bucket are cached locally, so a name must never get new content.
    let name = match folders.uploads.bucket() {
        Some(_) => FileName::safe(&name).unique().with(""),
        None => name,
    };
    let path = format!("{folder}/{name}");
    let file = prepared(folders, memory, thumbnail)?;
    let uploads = folders.uploads;
    let replaced = uploads.replace(file, &path).and_then(|()| uploads.settle());
    replaced.map_err(Error::internal)?;
    Ok(path)
}

/// Returns the error for a video that does not exist.
pub fn video_not_found() -> Error {
    Error::not_found("audio or video file").property("url")
}

/// Returns the name of a video's thumbnail.
fn thumbnail_name(declared: &DeclaredUpload, video: &FileName) -> String {
    let image = FileName::safe(declared.name);
    format!("{}_thumb{}", video.stem, image.extension)
}

/// Returns the temporary file with a thumbnail, converted and resized like other images.
fn prepared(folders: Folders, memory: &Memory, thumbnail: Thumbnail) -> Result<AtomicFile> {
    let (declared, content) = (thumbnail.declared, thumbnail.content);
    let prepared = prepare(memory, declared, content, Purpose::Image)?;
    let incoming = folders.uploads.incoming_with(&prepared.served);
    incoming.map_err(Error::internal)
}

fn check(declared: DeclaredUpload, file: &Path) -> Result<()> {
    const MEDIA: &str = "an audio or video file: .mp4, .webm, .ogv, .mp3, .wav, .ogg or .m4a";
    let kind = MediaKind::of_name(declared.name)
        .filter(|kind| kind.media_types.contains(&declared.kind))
        .ok_or_else(|| wrong_kind(declared, MEDIA))?;
    let mut head = Vec::new();
    File::open(file)
        .and_then(|file| file.take(MEDIA_HEAD_BYTES).read_to_end(&mut head))
        .map_err(Error::internal)?;
    if (kind.matches)(&head) {
        Ok(())
    } else {
        Err(wrong_kind(declared, "of the type that its name indicates"))
    }
}
