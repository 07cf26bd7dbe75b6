//! Images, media and other files below `/content/`: those beside the Markdown, and those that were uploaded; pictures also
//! in other sizes.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use http::{HeaderName, HeaderValue, StatusCode, header};
use mime_guess::{Mime, mime};

use super::{
    error, file_content,
    headers::CacheControl,
    params::decode,
    response::{Body, Headers, Response},
};
use crate::{
    catalog::Catalog,
    error::{Error, Kind, Result},
    images::{Copies, Copy, ImageError, ImageKind, ImageSize, Variant},
    sources::public_files::{
        FOLDERS, is_always_served, is_plain, is_served_by_reference, public_path,
    },
};

/// How long whoever finds no memory for a picture is told to wait, in seconds.
static RETRY_SECONDS: HeaderValue = HeaderValue::from_static("1");

/// Keeps a document from doing anything but being seen.
static HARMLESS: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
);

/// Where files are looked for.
#[derive(Clone, Debug)]
pub struct FileRoots {
    /// The content folder, if the site has one.
    pub content: Option<PathBuf>,
    /// The data folder, where uploads are kept.
    pub data: PathBuf,
}

/// A file that was found, and how long others may keep it.
struct Found {
    path: PathBuf,
    cache_control: CacheControl,
    /// Whether staff or an integration sent it.
    is_upload: bool,
}

impl FileRoots {
    /// Answers a request for `path`, which is relative to `/content/` and percent-encoded. `site_path` is what stands in
    /// front of it in addresses of the site. Of the content folder, only what `catalog` refers to and images are served. Pictures
    /// are served in `sizes`, too, from `copies`.
    pub fn answer(
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
        let everybody = HeaderValue::from_static("*");
        response
            .headers
            .set(header::ACCESS_CONTROL_ALLOW_ORIGIN, everybody);
        response
    }

    fn serve(&self, path: &str, catalog: &Catalog, copies: &Copies) -> Result<Response> {
        let path = decode(path)?;
        if path.split(['/', '\\']).any(|segment| segment == "..") {
            let message = "The address leads out of the folder of files.";
            return Err(Error::new(Kind::NoPermission, message));
        }
        let found = self.find(&path, catalog).ok_or_else(not_found)?;
        open(&cleaned(found, &path, copies)?).ok_or_else(not_found)
    }

    /// Whether the file at `path`, as in [`answer`](Self::answer), is an SVG image that cannot be cleaned, so that it is
    /// harmless only under the policy that it is served with.
    pub fn needs_policy(&self, path: &str, catalog: &Catalog, copies: &Copies) -> bool {
        let Some(path) = decode(path).ok().filter(|path| is_svg(path)) else {
            return false;
        };
        let cleaned = |found: Found| copies.find_or_clean(&found.path, &path);
        self.find(&path, catalog)
            .is_some_and(|found| !matches!(cleaned(found), Ok(Copy::File(_))))
    }

    /// A picture in another size; `None` when there is only the picture itself, or not even that.
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
        let Some(found) = self.find(&format!("images/{name}"), catalog) else {
            return Ok(None);
        };
        match copies.find_or_make(&found.path, &name, size, format) {
            Ok(Copy::File(path)) => Ok(open(&Found { path, ..found })),
            Ok(Copy::Original) => Ok(None),
            Err(error) => Err(no_copy(error)),
        }
    }

    /// `images/a.png` is `images/a.png` of either folder, and `images/posts/x/a.png` also `posts/x/a.png` beside the text.
    fn find(&self, path: &str, catalog: &Catalog) -> Option<Found> {
        let (kind, rest) = path.split_once('/')?;
        if !FOLDERS.contains(&kind) || !is_plain(rest) {
            return None;
        }
        let beside_text = Some(rest).filter(|_| kind == "images");
        let edited_in_place = [Some(path), beside_text]
            .into_iter()
            .flatten()
            .find_map(|path| self.find_in_content(path, catalog));
        if let Some(path) = edited_in_place {
            return Some(Found {
                path,
                cache_control: CacheControl::Public,
                is_upload: false,
            });
        }
        let uploaded = Found {
            path: self.data.join(path),
            cache_control: CacheControl::Year,
            is_upload: true,
        };
        Some(uploaded).filter(|found| found.path.is_file())
    }

    /// The file to serve at `path` of the content folder, if it is of a kind that is served, is that by its content too, and,
    /// unless it is an image, is referred to. Symbolic links are followed while they stay among such files, so
    /// that a link in a repository cannot publish what lies elsewhere on the machine.
    fn find_in_content(&self, path: &str, catalog: &Catalog) -> Option<PathBuf> {
        let root = self.content.as_ref()?.canonicalize().ok()?;
        let found = root.join(path).canonicalize().ok()?;
        let place = found.strip_prefix(&root).ok()?.to_str()?;
        let is_of_kind = is_served_by_reference(path) && is_served_by_reference(place);
        let metadata = found.metadata().ok().filter(|found| found.is_file())?;
        if !is_of_kind || self.is_of_store(&found) {
            return None;
        }
        let is_referred_to = |path: &str| catalog.refers_to_file(&public_path(path));
        let is_served = is_always_served(path)
            || is_referred_to(path)
            || (path != place && is_referred_to(place));
        let is_as_named = |path| file_content::is_as_named(&found, path, &metadata);
        let is_served = is_served && is_as_named(path).ok()? && is_as_named(place).ok()?;
        is_served.then_some(found)
    }

    /// Whether a file lies at the top of the data folder, where the store and the lock with its secret are. The data folder
    /// may lie in the content folder, as with `--content .`.
    fn is_of_store(&self, found: &Path) -> bool {
        self.data
            .canonicalize()
            .is_ok_and(|data| found.parent() == Some(data.as_path()))
    }
}

/// The part of a request's path that names a file, whatever stands in front of it.
pub fn file_path_of(path: &str) -> Option<&str> {
    path.split_once("/content/").map(|(_, file)| file)
}

/// Whether the file at this path is an SVG image by its name.
pub fn is_svg(path: &str) -> bool {
    let kind = ImageKind::of_name(path);
    matches!(kind, Some(ImageKind::Svg | ImageKind::PackedSvg))
}

/// What is served in the place of `found`: of an SVG image, however it came here, the copy that was cleaned.
///
/// # Errors
///
/// `NotFound` when it lies in the content folder and cannot be cleaned.
fn cleaned(found: Found, path: &str, copies: &Copies) -> Result<Found> {
    if !is_svg(path) {
        return Ok(found);
    }
    match copies.find_or_clean(&found.path, path) {
        Ok(Copy::File(path)) => Ok(Found { path, ..found }),
        // The policy that uploads are served with keeps it from acting.
        Ok(Copy::Original) if found.is_upload => Ok(found),
        Ok(Copy::Original) => {
            tracing::warn!(path, "an SVG image is not served: it cannot be cleaned");
            Err(Error::not_found("Image")
                .context("The SVG image cannot be read, or is too large to be cleaned."))
        }
        Err(error) => Err(no_copy(error)),
    }
}

fn no_copy(error: ImageError) -> Error {
    match error {
        ImageError::Busy => Error::new(Kind::Maintenance, error.to_string()),
        error => Error::internal(error),
    }
}

/// Leads to the picture itself (Ghost 6.65, recorded).
fn to_original(variant: &Variant, site_path: &str) -> Response {
    let location = format!("{site_path}/content/images/{}", variant.original);
    let fields: [(HeaderName, Option<HeaderValue>); 4] = [
        (header::LOCATION, HeaderValue::from_str(&location).ok()),
        (header::CACHE_CONTROL, Some(CacheControl::Public.value())),
        (
            header::VARY,
            Some(HeaderValue::from_static("Accept, Accept-Encoding")),
        ),
        (
            header::CONTENT_TYPE,
            Some(HeaderValue::from_static("text/plain; charset=utf-8")),
        ),
    ];
    Response {
        status: StatusCode::FOUND,
        headers: fields
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect(),
        body: Body::Empty,
    }
}

/// Opens what was found; `None` when it is gone in the meantime.
fn open(found: &Found) -> Option<Response> {
    let file = File::open(&found.path).ok()?;
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
    guard(&mut headers, &kind, found);
    if let Ok(kind) = HeaderValue::from_str(kind.as_ref()) {
        headers.set(header::CONTENT_TYPE, kind);
    }
    Response::of_file(file, headers)
}

/// Says what browsers need to know of documents that can act. Whoever may upload could otherwise have a page of their own on
/// the site, which would see all that its readers see. Drawings are shown, but do nothing; pages are kept as files.
fn guard(headers: &mut Headers, kind: &Mime, found: &Found) {
    let is_drawing = kind.essence_str() == "image/svg+xml";
    if is_drawing {
        headers.set(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        let packed = found.path.extension();
        if packed.is_some_and(|extension| extension.eq_ignore_ascii_case("svgz")) {
            headers.set(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
    }
    let is_markup = [mime::HTML, mime::XML, mime::JAVASCRIPT].contains(&kind.subtype())
        || kind.suffix() == Some(mime::XML);
    if is_markup && found.is_upload {
        headers.set(header::CONTENT_SECURITY_POLICY, HARMLESS.clone());
        if !is_drawing {
            let kept = HeaderValue::from_static("attachment");
            headers.set(header::CONTENT_DISPOSITION, kept);
        }
    }
}

fn not_found() -> Error {
    Error::not_found("file")
}
