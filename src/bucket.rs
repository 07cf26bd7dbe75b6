//! Buckets of S3 or a compatible service, for backups and uploads.
//!
//! Requests are signed in their URLs. A large file is sent in parts, which become an object at the
//! end, so no part of a file is ever taken for it. Requests that may succeed later are
//! repeated after growing pauses.

use std::{
    fmt,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    ops::ControlFlow,
    thread,
    time::Duration,
};

use rusty_s3::{
    Bucket as SignedBucket, Credentials, S3Action, UrlStyle,
    actions::{CreateMultipartUpload, ListObjectsV2},
};
use url::Url;

use crate::outbound::{ObjectBody, ObjectClient, ObjectResponse};

/// Length of a part, in bytes; longer for files of more than [`PARTS_MAX`] of them.
const PART_BYTES: u64 = 16 << 20;

/// Most parts of an object.
const PARTS_MAX: u64 = 10_000;

/// Pauses before a request is repeated, where no client waits.
const PAUSES: &[Duration] = &[
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(9),
];

/// The same where a client waits.
const SHORT_PAUSES: &[Duration] = &[Duration::from_millis(200)];

/// Reports how much of a transfer is done, and of how much, in bytes; may cancel it.
pub type Progress<'a> = &'a dyn Fn(u64, u64) -> ControlFlow<()>;

/// How long a signature is valid.
const SIGNATURE_LASTS: Duration = Duration::from_secs(3600);

/// Bytes of a response that are read, unless it is an object.
const RESPONSE_BYTES_MAX: u64 = 4 << 20;

/// What is needed to use a bucket.
#[derive(Clone, Debug, Default)]
pub struct BucketOptions {
    /// The table of the operator's options, for errors.
    pub table: &'static str,
    /// The URL of the service; by default that of Amazon in the region.
    pub endpoint: Option<Url>,
    /// The region.
    pub region: String,
    /// The identifier of the key.
    pub access_key: String,
    /// The key.
    pub secret_key: String,
}

/// A bucket does not do what was requested.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct BucketError {
    /// The bucket and the prefix.
    pub place: String,
    /// The reason, as the service says it.
    pub message: String,
    /// What that means.
    pub kind: BucketErrorKind,
}

/// What an error of a bucket means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketErrorKind {
    /// There is no such object.
    Missing,
    /// The service does not respond, or not now.
    Away,
    /// The service refuses, or does what it should not.
    Refused,
    /// The caller cancelled it.
    Cancelled,
}

/// An object in a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    /// Its name below the prefix.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its entity tag, which changes with its content.
    pub etag: String,
}

/// A bucket, and the prefix of the objects in it.
#[derive(Clone)]
pub struct Bucket {
    bucket: SignedBucket,
    credentials: Credentials,
    prefix: String,
    client: ObjectClient,
    pauses: &'static [Duration],
}

impl fmt::Debug for Bucket {
    /// Formats the URL, and no key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "s3://{}/{}", self.bucket.name(), self.prefix)
    }
}

impl Bucket {
    /// Returns the bucket at `place`, the part of `s3://bucket/prefix` after the slashes.
    ///
    /// # Errors
    ///
    /// A description of what is missing or invalid.
    pub fn new(place: &str, options: &BucketOptions) -> Result<Self, String> {
        let (name, prefix) = place.split_once('/').unwrap_or((place, ""));
        let is_plain = |segment: &str| !matches!(segment, "." | "..");
        if name.is_empty() || !prefix.split('/').all(is_plain) {
            return Err("a bucket with a prefix, such as s3://bucket/prefix".to_owned());
        }
        if options.access_key.is_empty() || options.secret_key.is_empty() {
            let table = options.table;
            return Err(format!(
                "usable without {table}.access_key and {table}.secret_key"
            ));
        }
        let (endpoint, style) = match &options.endpoint {
            Some(endpoint) => (endpoint.clone(), UrlStyle::Path),
            None => {
                let endpoint = format!("https://s3.{}.amazonaws.com", options.region);
                let endpoint = Url::parse(&endpoint).map_err(|error| error.to_string())?;
                (endpoint, UrlStyle::VirtualHost)
            }
        };
        let bucket = SignedBucket::new(endpoint, style, name.to_owned(), options.region.clone());
        Ok(Self {
            bucket: bucket.map_err(|error| error.to_string())?,
            credentials: Credentials::new(&*options.access_key, &*options.secret_key),
            prefix: prefix.to_owned(),
            client: ObjectClient::default(),
            pauses: PAUSES,
        })
    }

    /// Returns the same bucket for requests that a client waits for: they fail soon.
    pub fn impatient(self) -> Self {
        Self {
            client: ObjectClient::impatient(),
            pauses: SHORT_PAUSES,
            ..self
        }
    }

    /// Returns the prefix of the keys.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    fn key(&self, name: &str) -> String {
        match self.prefix.trim_end_matches('/') {
            "" => name.to_owned(),
            prefix => format!("{prefix}/{name}"),
        }
    }

    /// Returns the objects whose names begin with `start`.
    ///
    /// # Errors
    ///
    /// If the service refuses, or does not respond.
    pub fn list(&self, start: &str) -> Result<Vec<StoredObject>, BucketError> {
        let top = self.key("");
        let start = self.key(start);
        let mut found = Vec::new();
        let mut token: Option<String> = None;
        loop {
            let mut list = self.bucket.list_objects_v2(Some(&self.credentials));
            list.with_prefix(start.as_str());
            if let Some(token) = token.take() {
                list.with_continuation_token(token);
            }
            let text = self.text("GET", &list.sign(SIGNATURE_LASTS), None)?;
            let page = ListObjectsV2::parse_response(&text)
                .map_err(|error| self.refused(format!("its list cannot be read: {error}")))?;
            for object in page.contents {
                if let Some(name) = object.key.strip_prefix(&*top) {
                    found.push(StoredObject {
                        name: name.to_owned(),
                        bytes: object.size.unwrap_or_default(),
                        etag: object.etag.unwrap_or_default(),
                    });
                }
            }
            match page.next_continuation_token {
                Some(next) => token = Some(next),
                None => return Ok(found),
            }
        }
    }

    /// Returns whether there is any object below the prefix.
    ///
    /// # Errors
    ///
    /// If the service refuses, or does not respond.
    pub fn has_any(&self) -> Result<bool, BucketError> {
        let start = self.key("");
        let mut list = self.bucket.list_objects_v2(Some(&self.credentials));
        list.with_prefix(start.as_str());
        list.with_max_keys(1);
        let text = self.text("GET", &list.sign(SIGNATURE_LASTS), None)?;
        let page = ListObjectsV2::parse_response(&text)
            .map_err(|error| self.refused(format!("its list cannot be read: {error}")))?;
        Ok(!page.contents.is_empty())
    }

    /// Writes a file of `bytes` bytes as the object `name`.
    ///
    /// # Errors
    ///
    /// If the service refuses or does not respond, the file cannot be read, or `progress` cancels.
    /// There is no new object then.
    pub fn put(
        &self,
        name: &str,
        file: &File,
        bytes: u64,
        progress: Progress<'_>,
    ) -> Result<(), BucketError> {
        let key = self.key(name);
        if bytes <= PART_BYTES {
            let put = self.bucket.put_object(Some(&self.credentials), &key);
            let part = Part {
                file,
                start: 0,
                bytes,
                total: bytes,
            };
            return self
                .send("PUT", &put.sign(SIGNATURE_LASTS), Some((&part, progress)))
                .map(drop);
        }
        let create = self
            .bucket
            .create_multipart_upload(Some(&self.credentials), &key);
        let text = self.text("POST", &create.sign(SIGNATURE_LASTS), Some(""))?;
        let upload = CreateMultipartUpload::parse_response(&text)
            .map_err(|error| self.refused(format!("the upload cannot begin: {error}")))?;
        let upload = upload.upload_id();
        let sent = self.put_parts(&key, upload, (file, bytes), progress);
        if sent.is_err() {
            let abort = self
                .bucket
                .abort_multipart_upload(Some(&self.credentials), &key, upload);
            // The service removes what is left by its own rules.
            let _ = self
                .client
                .send("DELETE", &abort.sign(SIGNATURE_LASTS), None);
        }
        sent
    }

    fn put_parts(
        &self,
        key: &str,
        upload: &str,
        (file, total): (&File, u64),
        progress: Progress<'_>,
    ) -> Result<(), BucketError> {
        let part_bytes = PART_BYTES.max(total.div_ceil(PARTS_MAX));
        let mut etags = Vec::new();
        let mut start = 0;
        let mut number = 1;
        while start < total {
            let bytes = part_bytes.min(total - start);
            let part = Part {
                file,
                start,
                bytes,
                total,
            };
            let put = self
                .bucket
                .upload_part(Some(&self.credentials), key, number, upload);
            let response = self.send("PUT", &put.sign(SIGNATURE_LASTS), Some((&part, progress)))?;
            let etag = response.etag;
            etags.push(etag.ok_or_else(|| self.refused("a part has no entity tag".to_owned()))?);
            start += bytes;
            number += 1;
        }
        let tags = etags.iter().map(String::as_str);
        let credentials = Some(&self.credentials);
        let complete = self
            .bucket
            .complete_multipart_upload(credentials, key, upload, tags);
        let url = complete.sign(SIGNATURE_LASTS);
        let text = self.text("POST", &url, Some(&complete.body()))?;
        // The service may find that it failed after it has responded with 200.
        match problem(&text) {
            Some(problem) => Err(self.refused(problem)),
            None => Ok(()),
        }
    }

    /// Returns the content of the object `name`.
    ///
    /// # Errors
    ///
    /// `Missing` if there is none; if the service refuses, or does not respond.
    pub fn get(&self, name: &str) -> Result<Box<dyn Read>, BucketError> {
        let key = self.key(name);
        let get = self.bucket.get_object(Some(&self.credentials), &key);
        Ok(self.send("GET", &get.sign(SIGNATURE_LASTS), None)?.body)
    }

    /// Returns whether there is an object `name`.
    ///
    /// # Errors
    ///
    /// If the service refuses, or does not respond.
    pub fn has(&self, name: &str) -> Result<bool, BucketError> {
        let key = self.key(name);
        let head = self.bucket.head_object(Some(&self.credentials), &key);
        match self.send("HEAD", &head.sign(SIGNATURE_LASTS), None) {
            Ok(_) => Ok(true),
            Err(error) if error.kind == BucketErrorKind::Missing => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Deletes the object `name`.
    ///
    /// # Errors
    ///
    /// If the service refuses, or does not respond.
    pub fn delete(&self, name: &str) -> Result<(), BucketError> {
        let key = self.key(name);
        let delete = self.bucket.delete_object(Some(&self.credentials), &key);
        self.send("DELETE", &delete.sign(SIGNATURE_LASTS), None)
            .map(drop)
    }

    /// Sends a request with a short text, and returns the text of the response.
    fn text(&self, method: &str, url: &Url, body: Option<&str>) -> Result<String, BucketError> {
        let response = self.repeated(|| {
            let mut content = body.unwrap_or_default().as_bytes();
            let bytes = content.len() as u64;
            let body = body.is_some().then_some(ObjectBody {
                content: &mut content,
                bytes,
            });
            self.client.send(method, url, body)
        })?;
        read_text(response).map_err(|error| self.away(error.to_string()))
    }

    /// Sends a request with a part of a file.
    fn send(
        &self,
        method: &str,
        url: &Url,
        body: Option<(&Part<'_>, Progress<'_>)>,
    ) -> Result<ObjectResponse, BucketError> {
        self.repeated(|| match body {
            Some((part, progress)) => {
                let mut content = part.reader(progress)?;
                let body = ObjectBody {
                    content: &mut content,
                    bytes: part.bytes,
                };
                self.client.send(method, url, Some(body))
            }
            None => self.client.send(method, url, None),
        })
        .map_err(|error| match body {
            Some((part, progress)) if progress(part.start, part.total).is_break() => {
                self.failed(BucketErrorKind::Cancelled, "cancelled".to_owned())
            }
            _ => error,
        })
    }

    /// Sends a request until it succeeds, or is refused for good.
    fn repeated<E: fmt::Display>(
        &self,
        mut attempt: impl FnMut() -> Result<ObjectResponse, E>,
    ) -> Result<ObjectResponse, BucketError> {
        let mut pauses = self.pauses.iter();
        loop {
            let failure = match attempt() {
                Ok(response) if (200..300).contains(&response.status) => return Ok(response),
                Ok(response) => {
                    let status = response.status;
                    let text = read_text(response).unwrap_or_default();
                    let problem = problem(&text).unwrap_or_else(|| format!("status {status}"));
                    if status == 404 && !problem.starts_with(NO_BUCKET) {
                        return Err(self.failed(BucketErrorKind::Missing, problem));
                    }
                    if !matches!(status, 408 | 429 | 500..) {
                        return Err(self.refused(problem));
                    }
                    problem
                }
                Err(error) => error.to_string(),
            };
            match pauses.next() {
                Some(pause) if failure != CANCELLED => thread::sleep(*pause),
                _ => return Err(self.away(failure)),
            }
        }
    }

    fn refused(&self, message: String) -> BucketError {
        self.failed(BucketErrorKind::Refused, message)
    }

    fn away(&self, message: String) -> BucketError {
        self.failed(BucketErrorKind::Away, message)
    }

    fn failed(&self, kind: BucketErrorKind, message: String) -> BucketError {
        BucketError {
            place: format!("{self:?}"),
            message,
            kind,
        }
    }
}

/// The code of the error that there is no such bucket.
const NO_BUCKET: &str = "NoSuchBucket";

/// The message of a read that was cancelled.
const CANCELLED: &str = "io: cancelled";

/// A part of a file.
struct Part<'a> {
    file: &'a File,
    start: u64,
    bytes: u64,
    total: u64,
}

impl<'a> Part<'a> {
    fn reader(&self, progress: Progress<'a>) -> io::Result<PartReader<'a>> {
        let mut file = self.file;
        file.seek(SeekFrom::Start(self.start))?;
        Ok(PartReader {
            content: file.take(self.bytes),
            done: self.start,
            total: self.total,
            progress,
        })
    }
}

/// The content of a part, which reports how much was read.
struct PartReader<'a> {
    content: io::Take<&'a File>,
    done: u64,
    total: u64,
    progress: Progress<'a>,
}

impl Read for PartReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match (self.progress)(self.done, self.total) {
            ControlFlow::Continue(()) => {}
            ControlFlow::Break(()) => return Err(io::Error::other("cancelled")),
        }
        let count = self.content.read(buffer)?;
        self.done += count as u64;
        Ok(count)
    }
}

fn read_text(response: ObjectResponse) -> io::Result<String> {
    let mut text = Vec::new();
    response
        .body
        .take(RESPONSE_BYTES_MAX)
        .read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Returns the error in the text of a response, as the service says it.
fn problem(text: &str) -> Option<String> {
    let of = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        rest.split_once("</").map(|(value, _)| value.trim())
    };
    let code = of("Code")?;
    let text = match of("Message") {
        Some(message) => format!("{code}: {message}"),
        None => code.to_owned(),
    };
    Some(text.chars().filter(|letter| !letter.is_control()).collect())
}
