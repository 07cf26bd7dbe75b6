//! Images, media and other files below `/content/`, from the content folder and from uploads. Images are
//! also served in other sizes.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use http::{HeaderValue, StatusCode, header};
use mime_guess::{Mime, mime};

use super::{
    error,
    file_content::{self, is_svg},
    headers::CacheControl,
    params::decode,
    response::{Headers, Response},
};
use crate::{
    catalog::Catalog,
    content_files::{
        folder_files,
        public_files::{FOLDERS, is_always_served, is_plain, is_served_by_reference, public_path},
    },
    error::{Error, Kind, Result},
    images::{Copies, Copy, ImageError, ImageSize, Variant},
    uploads::Uploads,
};

/// The `Retry-After` of a response when there is no memory for resizing an image, in seconds.
static RETRY_SECONDS: HeaderValue = HeaderValue::from_static("1");

/// The content security policy that prevents scripts in an uploaded document.
static NO_SCRIPTS_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
);

/// The folders from which files are served.
#[derive(Clone, Debug)]
pub struct FileRoots {
    /// The content folder, if the site has one.
    pub content: Option<PathBuf>,
    /// The data folder, with the store and the copies of images.
    pub data: PathBuf,
    /// The storage of uploads.
    pub uploads: Uploads,
}

impl FileRoots {
    /// Returns the folders of a site without a content folder whose uploads are in the data folder.
    pub fn in_data(data: &Path) -> Self {
        Self {
            content: None,
            data: data.to_owned(),
            uploads: Uploads::in_data(data),
        }
    }
}

/// A file to serve, with its caching rule.
struct FoundFile {
    path: PathBuf,
    /// The open file. It is not reopened by its path, which may have become a link in the meantime.
    content: File,
    cache_control: CacheControl,
    /// True if it was uploaded by staff or an integration.
    is_upload: bool,
}

impl FileRoots {
    /// Responds to a request for `path`, which is relative to `/content/` and percent-encoded.
    /// `site_path` is the path of the site, which precedes `/content/` in URLs. From the content folder,
    /// only images and files to which `catalog` refers are served. Images are also served in `sizes`,
    /// from `copies`.
    pub fn respond(
        &self,
        path: &str,
        site_path: &str,
        catalog: &Catalog,
        sizes: &[ImageSize],
        copies: &Copies,
    ) -> Response {
        let served = match Variant::of(path) {
            Some(variant) => self
                .serve_variant(&variant, catalog, sizes, copies)
                .inspect(|found| {
                    if found.is_some() {
                        // `Api::takes_long` checks whether a copy is known to exist.
                        copies.remember(path);
                    }
                })
                .map(|found| found.unwrap_or_else(|| to_original(&variant, site_path))),
            None => self.serve(path, catalog, copies).inspect(|_| {
                if is_svg(path) {
                    copies.remember(path);
                }
            }),
        };
        let mut response = served.unwrap_or_else(|failure| {
            let mut response = error::response(&failure, CacheControl::Absent);
            if failure.kind() == Kind::Maintenance {
                response
                    .headers
                    .set(header::RETRY_AFTER, RETRY_SECONDS.clone());
            }
            response
        });
        let any_origin = HeaderValue::from_static("*");
        response
            .headers
            .set(header::ACCESS_CONTROL_ALLOW_ORIGIN, any_origin);
        response
    }

    fn serve(&self, path: &str, catalog: &Catalog, copies: &Copies) -> Result<Response> {
        let path = decode(path)?;
        // Checked after decoding, because `%2e%2e` is also the parent folder.
        if path.split(['/', '\\']).any(|segment| segment == "..") {
            let message = "The path is outside the files folder.";
            return Err(Error::new(Kind::NoPermission, message));
        }
        let found = self.find(&path, catalog)?.ok_or_else(not_found)?;
        let found = cleaned(found, &path, copies)?;
        found.and_then(response).ok_or_else(not_found)
    }

    /// Makes sure that there is a local copy of the file at `path`, as in
    /// [`respond`](Self::respond), if it is an upload in a bucket.
    ///
    /// # Errors
    ///
    /// If the bucket is unreachable, or the copy cannot be written.
    pub fn fetch(&self, path: &str, catalog: &Catalog) -> Result<()> {
        let original = Variant::of(path).map(|variant| format!("images/{}", variant.original));
        match decode(original.as_deref().unwrap_or(path)) {
            Ok(path) => self.find(&path, catalog).map(drop),
            // Nothing is served at an invalid path.
            Err(_) => Ok(()),
        }
    }

    /// Returns whether the file at `path`, as in [`respond`](Self::respond), is an SVG image that
    /// cannot be cleaned, and is therefore safe only with its content security policy.
    pub fn needs_policy(&self, path: &str, catalog: &Catalog, copies: &Copies) -> bool {
        let Some(path) = decode(path).ok().filter(|path| is_svg(path)) else {
            return false;
        };
        let cleaned = |found: FoundFile| copies.find_or_clean(&found.content, &path);
        let found = self.find(&path, catalog).ok().flatten();
        found.is_some_and(|found| !matches!(cleaned(found), Ok(Copy::File(_))))
    }

    /// Opens the file at `path`, as in [`respond`](Self::respond); `None` if it is not served.
    pub fn open(&self, path: &str, catalog: &Catalog) -> Option<File> {
        let path = decode(path).ok()?;
        let found = self.find(&path, catalog).ok().flatten()?;
        Some(found.content)
    }

    /// Returns the response with an image in another size; `None` if the image must be served in its
    /// original size or does not exist.
    fn serve_variant(
        &self,
        variant: &Variant,
        catalog: &Catalog,
        sizes: &[ImageSize],
        copies: &Copies,
    ) -> Result<Option<Response>> {
        let name = decode(variant.original)?;
        let (Some(size), Some(format)) = (variant.size_among(sizes), variant.format_for(&name))
        else {
            return Ok(None);
        };
        let Some(found) = self.find(&format!("images/{name}"), catalog)? else {
            return Ok(None);
        };
        match copies.find_or_resize(&found.content, &name, size, format) {
            Ok(Copy::File(path)) => Ok(found.replaced_by(path).and_then(response)),
            Ok(Copy::Original) => Ok(None),
            Err(error) => Err(no_copy(error)),
        }
    }

    /// Finds a file: `images/a.png` is the file with that path in the content folder or the uploads.
    /// `images/posts/x/a.png` may also be `posts/x/a.png` in the content folder, next to the document.
    fn find(&self, path: &str, catalog: &Catalog) -> Result<Option<FoundFile>> {
        let Some((kind, rest)) = path.split_once('/') else {
            return Ok(None);
        };
        if !FOLDERS.contains(&kind) || !is_plain(rest) {
            return Ok(None);
        }
        let beside_document = Some(rest).filter(|_| kind == "images");
        // The content folder takes precedence, so that its author can replace an upload with a file at the
        // same path.
        let edited_path = [Some(path), beside_document]
            .into_iter()
            .flatten()
            .find_map(|path| self.find_in_content(path, catalog));
        if let Some((path, file)) = edited_path {
            return Ok(Some(FoundFile {
                path,
                content: file,
                // Files in the content folder change in place, so browsers have to revalidate them.
                cache_control: CacheControl::Public,
                is_upload: false,
            }));
        }
        let found = self.uploads.find(path).map_err(Error::internal)?;
        Ok(found.and_then(|path| {
            Some(FoundFile {
                content: File::open(&path).ok()?,
                path,
                // An upload never changes, because a new upload gets a new name.
                cache_control: CacheControl::Year,
                is_upload: true,
            })
        }))
    }

    /// Returns the file to serve at `path` in the content folder. Its kind must be one that is served,
    /// its content must match its name and, unless it is an image, a record must refer to it. The target
    /// of a symbolic link must meet the same conditions, so that a link in a repository cannot publish
    /// other files of the machine.
    fn find_in_content(&self, path: &str, catalog: &Catalog) -> Option<(PathBuf, File)> {
        let root = self.content.as_ref()?.canonicalize().ok()?;
        if !is_served_by_reference(path) {
            return None;
        }
        // Links out of the folder are not followed, whenever they are made, because the file is
        // opened below `root`.
        let (file, real_path) = folder_files::open(&root).ok()?.open_real(path).ok()?;
        let found = root.join(&real_path);
        let real_path = real_path.to_str()?;
        if !is_served_by_reference(real_path) || self.is_of_store(&found) {
            return None;
        }
        let is_referred_to = |path: &str| catalog.refers_to_file(&public_path(path));
        let is_served = is_always_served(path)
            || is_referred_to(path)
            || (path != real_path && is_referred_to(real_path));
        // The link and its target may have names of different kinds, so both are checked.
        let is_as_named = |path| file_content::is_as_named(&file, path);
        let is_served = is_served && is_as_named(path).ok()? && is_as_named(real_path).ok()?;
        is_served.then_some((found, file))
    }

    /// Returns whether a file is directly in the data folder, which contains the store and the lock file
    /// with its secret. The data folder may be in the content folder, as with `--content .`.
    fn is_of_store(&self, found: &Path) -> bool {
        // Compared by real paths, because either folder may be reached through a link.
        self.data
            .canonicalize()
            .is_ok_and(|data| found.parent() == Some(data.as_path()))
    }
}

impl FoundFile {
    /// Returns `copy` with the caching rule of this file; `None` if the copy was deleted in the meantime.
    fn replaced_by(self, copy: PathBuf) -> Option<Self> {
        Some(Self {
            content: File::open(&copy).ok()?,
            path: copy,
            ..self
        })
    }
}

/// Returns the part of a request's path after `/content/`, which names a file.
pub fn file_path_of(path: &str) -> Option<&str> {
    path.split_once("/content/").map(|(_, file)| file)
}

/// Returns the file to serve for `found`: the cleaned copy of an SVG image, or any other file itself.
/// `None` if the copy was deleted in the meantime.
///
/// # Errors
///
/// `NotFound` if an SVG image in the content folder cannot be cleaned.
fn cleaned(found: FoundFile, path: &str, copies: &Copies) -> Result<Option<FoundFile>> {
    if !is_svg(path) {
        return Ok(Some(found));
    }
    match copies.find_or_clean(&found.content, path) {
        Ok(Copy::File(path)) => Ok(found.replaced_by(path)),
        // Uploads are served with a content security policy that prevents scripts.
        Ok(Copy::Original) if found.is_upload => Ok(Some(found)),
        Ok(Copy::Original) => {
            tracing::warn!(path, "SVG image not served: it cannot be cleaned");
            Err(Error::not_found("Image")
                .context("The SVG image cannot be read, or is too large to be cleaned."))
        }
        Err(error) => Err(no_copy(error)),
    }
}

fn no_copy(error: ImageError) -> Error {
    match error {
        ImageError::Busy | ImageError::Changing => Error::new(Kind::Maintenance, error.to_string()),
        error => Error::internal(error),
    }
}

/// Redirects to the original image (Ghost 6.65, recorded).
fn to_original(variant: &Variant, site_path: &str) -> Response {
    // The fixed beginning keeps the redirect on this site, whatever the original is called.
    let location = format!("{site_path}/content/images/{}", variant.original);
    let mut response = Response::redirect(false, &location, CacheControl::Public.value())
        .unwrap_or_else(|_| Response::new(StatusCode::FOUND));
    let vary = HeaderValue::from_static("Accept, Accept-Encoding");
    response.headers.set(header::VARY, vary);
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers.set(header::CONTENT_TYPE, kind);
    response
}

/// Returns the response with a found file; `None` if it cannot be read.
fn response(found: FoundFile) -> Option<Response> {
    let kind = mime_guess::from_path(&found.path).first_or_octet_stream();
    let mut headers: Headers = [
        (header::CACHE_CONTROL, found.cache_control.value()),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
    ]
    .into_iter()
    .collect();
    add_security_headers(&mut headers, &kind, &found);
    if let Ok(kind) = HeaderValue::from_str(kind.as_ref()) {
        headers.set(header::CONTENT_TYPE, kind);
    }
    Response::of_file(found.content, headers)
}

/// Adds the header fields that protect readers from active documents, with which an uploader could
/// otherwise run scripts on the site's origin. SVG images are shown without scripts; other markup is
/// downloaded.
fn add_security_headers(headers: &mut Headers, kind: &Mime, found: &FoundFile) {
    let is_svg_image = kind.essence_str() == "image/svg+xml";
    if is_svg_image {
        headers.set(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        let extension = found.path.extension();
        if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("svgz")) {
            // Browsers decompress because of this field, not because of the extension.
            headers.set(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
    }
    let is_markup = [mime::HTML, mime::XML, mime::JAVASCRIPT].contains(&kind.subtype())
        || kind.suffix() == Some(mime::XML);
    if is_markup && found.is_upload {
        headers.set(header::CONTENT_SECURITY_POLICY, NO_SCRIPTS_POLICY.clone());
        if !is_svg_image {
            let attachment = HeaderValue::from_static("attachment");
            headers.set(header::CONTENT_DISPOSITION, attachment);
        }
    }
}

fn not_found() -> Error {
    Error::not_found("file")
}
