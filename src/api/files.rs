//! Images, media and other files below `/content/`: those beside the Markdown, and those that were uploaded.

use std::{
    fs::File,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use http::{HeaderName, HeaderValue, StatusCode, header};

use super::{
    error,
    headers::CacheControl,
    params::decode,
    response::{Body, Headers, Response},
};
use crate::{
    error::{Error, Kind, Result},
    render::urls::original_of_variant,
    sources::public_files::{FOLDERS, is_plain, is_served},
};

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
}

impl FileRoots {
    /// Answers a request for `path`, which is relative to `/content/` and percent-encoded. `site_path` is what stands in
    /// front of it in addresses of the site.
    pub fn answer(&self, path: &str, site_path: &str) -> Response {
        self.serve(path, site_path)
            .unwrap_or_else(|failure| error::response(&failure, CacheControl::Absent))
    }

    fn serve(&self, path: &str, site_path: &str) -> Result<Response> {
        if let Some(original) = original_of_variant(path) {
            return Ok(redirect(&format!("{site_path}/content/images/{original}")));
        }
        let path = decode(path)?;
        let found = self.find(&path).ok_or_else(not_found)?;
        open(&found).ok_or_else(not_found)
    }

    /// `images/a.png` is `images/a.png` of either folder, and `images/posts/x/a.png` also `posts/x/a.png` beside the text.
    fn find(&self, path: &str) -> Option<Found> {
        let (kind, rest) = path.split_once('/')?;
        if !FOLDERS.contains(&kind) || !is_plain(rest) {
            return None;
        }
        let beside_text = Some(rest).filter(|_| kind == "images");
        let edited_in_place = [Some(path), beside_text]
            .into_iter()
            .flatten()
            .find_map(|path| self.find_in_content(path));
        if let Some(path) = edited_in_place {
            return Some(Found {
                path,
                cache_control: CacheControl::Public,
            });
        }
        let uploaded = Found {
            path: self.data.join(path),
            cache_control: CacheControl::Year,
        };
        Some(uploaded).filter(|found| found.path.is_file())
    }

    /// The file to serve at `path` of the content folder. Symbolic links are followed while they stay among such files, so
    /// that a link in a repository cannot publish what lies elsewhere on the machine.
    fn find_in_content(&self, path: &str) -> Option<PathBuf> {
        let root = self.content.as_ref()?.canonicalize().ok()?;
        let found = root.join(path).canonicalize().ok()?;
        let place = found.strip_prefix(&root).ok()?.to_str()?;
        (is_served(place) && found.is_file() && !self.is_of_store(&found)).then_some(found)
    }

    /// Whether a file lies at the top of the data folder, where the store and the lock with its secret are. The data folder
    /// may lie in the content folder, as with `--content .`.
    fn is_of_store(&self, found: &Path) -> bool {
        self.data
            .canonicalize()
            .is_ok_and(|data| found.parent() == Some(data.as_path()))
    }
}

fn redirect(location: &str) -> Response {
    let fields: [(HeaderName, Option<HeaderValue>); 2] = [
        (header::LOCATION, HeaderValue::from_str(location).ok()),
        (header::CACHE_CONTROL, Some(CacheControl::Public.value())),
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
    let metadata = file.metadata().ok()?;
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
    if let Ok(kind) = HeaderValue::from_str(kind.as_ref()) {
        headers.set(header::CONTENT_TYPE, kind);
    }
    let modified = metadata
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let version = modified.map_or(0, |time| time.as_nanos());
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{:x}-{version:x}\"", metadata.len())) {
        headers.set(header::ETAG, tag);
    }
    Some(Response {
        status: StatusCode::OK,
        headers,
        body: Body::File {
            file,
            range: 0..metadata.len(),
        },
    })
}

fn not_found() -> Error {
    Error::new(Kind::NotFound, "There is no such file.")
}
