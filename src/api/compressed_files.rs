//! Files of themes in the encoding that the client prefers. Each file is compressed once for all requests.
//!
//! The compressed forms are cached in memory, up to a limit, under the version of their file, so a changed file is
//! compressed again.

use std::{
    fs::File,
    io::Read,
    os::unix::fs::MetadataExt,
    sync::{Arc, LazyLock},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};

use super::{
    content_encoding::{self, ContentEncoding},
    request::Fields,
    response::{Headers, Response},
    response_cache::{CachedResponse, ResponseCache},
};

/// Most memory for files and their compressed forms, in bytes.
const CACHE_BYTES_MAX: usize = 16 << 20;

/// Longest file that is compressed, in bytes. Longer files, such as source maps, are sent from disk.
const FILE_BYTES_MAX: u64 = 2 << 20;

static FILES: LazyLock<ResponseCache> = LazyLock::new(|| ResponseCache::new(CACHE_BYTES_MAX));

/// Returns the response with a text file on disk. Range requests get the uncompressed file, from which the server sends the
/// requested part.
pub fn of_file(file: File, headers: Headers, request: &HeaderMap) -> Option<Response> {
    let metadata = file.metadata().ok()?;
    let is_compressed = ContentEncoding::preferred(Fields::Map(request)) != ContentEncoding::None;
    if !is_compressed || request.contains_key(header::RANGE) || metadata.len() > FILE_BYTES_MAX {
        return Response::of_file(file, headers);
    }
    let kind = headers.get(&header::CONTENT_TYPE);
    // Programs can set the modification time to any value, but only the kernel sets the ctime. The
    // kind is included because a hard link may serve the same file as another kind.
    let key = format!(
        "{}:{}:{}:{}.{}:{}.{}:{:?}",
        metadata.dev(),
        metadata.ino(),
        metadata.len(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
        kind
    );
    let cached = match FILES.get(&key) {
        Some(cached) => cached,
        None => {
            let mut bytes = Vec::new();
            // The file may have grown since its length was checked.
            let mut start = (&file).take(FILE_BYTES_MAX + 1);
            start.read_to_end(&mut bytes).ok()?;
            // Called only for the entity tag.
            let headers = Response::of_file(file, headers)?.headers;
            cache(&key, headers, bytes.into())
        }
    };
    respond(&cached, request)
}

/// Returns the response with a text in memory; `sum` is a checksum of its content.
pub fn of_text(text: Bytes, sum: &str, mut headers: Headers, request: Fields) -> Option<Response> {
    let kind = headers.get(&header::CONTENT_TYPE);
    let key = format!("{sum}:{kind:?}");
    let cached = match FILES.get(&key) {
        Some(cached) => cached,
        None => {
            let tag = HeaderValue::from_str(&format!("\"{sum}\"")).ok()?;
            headers.set(header::ETAG, tag);
            cache(&key, headers, text)
        }
    };
    Some(content_encoding::response(&cached, request))
}

fn respond(cached: &CachedResponse, request: &HeaderMap) -> Option<Response> {
    Some(content_encoding::response(cached, Fields::Map(request)))
}

fn cache(key: &str, headers: Headers, body: Bytes) -> Arc<CachedResponse> {
    let response = Arc::new(CachedResponse::new(headers, body));
    FILES.put(key, &response);
    response
}
