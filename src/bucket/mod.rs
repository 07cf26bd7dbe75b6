//! Buckets of S3 or a compatible service, for backups and uploads.
//!
//! Requests are signed in their URLs. A large file is sent in parts, which become an object at the
//! end, so no part of a file ever counts as the file. Requests that may succeed later are
//! repeated after growing pauses. *A bucket is not trusted: whatever it responds, a request ends, a
//! list is bounded, and [`Bucket::interruption`] ends all of them.*

mod listing;
mod putting;
mod requests;

use std::{fmt, time::Duration};

pub use putting::part_bytes;
pub use requests::is_page;
use rusty_s3::{Bucket as SignedBucket, Credentials, S3Action, UrlStyle};
use url::Url;

use crate::{
    interruption::Interruption,
    outbound::{ObjectClient, ObjectResponse},
};

/// Lifetime of a signature.
const SIGNATURE_LASTS: Duration = Duration::from_secs(3600);

/// The settings needed to use a bucket.
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

impl BucketOptions {
    /// Returns the names of the options for its key that are not set.
    fn missing_keys(&self) -> Vec<String> {
        let keys = [
            ("access_key", &self.access_key),
            ("secret_key", &self.secret_key),
        ];
        let missing = keys.into_iter().filter(|(_, value)| value.is_empty());
        missing
            .map(|(name, _)| format!("{}.{name}", self.table))
            .collect()
    }
}

/// A request to a bucket failed.
#[derive(Debug, thiserror::Error)]
#[error("{location}: {message}")]
pub struct BucketError {
    /// The bucket and the prefix.
    pub location: String,
    /// The reason, as the service says it.
    pub message: String,
    /// The consequence.
    pub kind: BucketErrorKind,
}

/// The kind of an error of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketErrorKind {
    /// The object does not exist.
    Missing,
    /// The service does not respond, or not now.
    Away,
    /// The service refuses, or violates its protocol.
    Refused,
    /// An object differs from the stored one.
    Damaged,
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

/// Time during which requests are waited for and repeated.
#[derive(Debug)]
struct Patience {
    /// The pauses before a request is repeated.
    pauses: &'static [Duration],
    /// Longest time of reading a response that is not an object.
    text: Duration,
    /// Longest time of reading a whole list.
    list: Duration,
}

/// The patience where no client waits.
const LONG: Patience = Patience {
    pauses: &[
        Duration::from_secs(1),
        Duration::from_secs(3),
        Duration::from_secs(9),
    ],
    text: Duration::from_secs(60),
    list: Duration::from_secs(1800),
};

/// The patience where a client waits.
const SHORT: Patience = Patience {
    pauses: &[Duration::from_millis(200)],
    text: Duration::from_secs(10),
    list: Duration::from_secs(20),
};

/// A bucket, and the prefix of the objects in it.
#[derive(Clone)]
pub struct Bucket {
    bucket: SignedBucket,
    credentials: Credentials,
    prefix: String,
    missing_keys: Vec<String>,
    client: ObjectClient,
    patience: &'static Patience,
}

impl fmt::Debug for Bucket {
    /// Formats the URL, and no key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "s3://{}/{}", self.bucket.name(), self.prefix)
    }
}

impl Bucket {
    /// Returns the bucket at `location`, the part of `s3://bucket/prefix` after the slashes.
    ///
    /// # Errors
    ///
    /// A description of the missing or invalid part.
    pub fn new(path: &str, options: &BucketOptions) -> Result<Self, String> {
        let (name, prefix) = path.split_once('/').unwrap_or((path, ""));
        let is_plain = |segment: &str| !matches!(segment, "." | "..");
        if name.is_empty() || !prefix.split('/').all(is_plain) {
            return Err("a bucket with a prefix, such as s3://bucket/prefix".to_owned());
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
            missing_keys: options.missing_keys(),
            client: ObjectClient::default(),
            patience: &LONG,
        })
    }

    /// Checks that the options for its key are set. Without them it is only named: commands that send no request to it need no
    /// key, which often is in the environment of the service alone.
    ///
    /// # Errors
    ///
    /// If one is missing.
    pub fn check_key(&self) -> Result<(), BucketError> {
        if self.missing_keys.is_empty() {
            return Ok(());
        }
        let missing = self.missing_keys.join(" and ");
        Err(self.refused(format!("set {missing} to use this bucket")))
    }

    /// Returns the same bucket for requests that a client waits for: they fail soon.
    pub fn impatient(self) -> Self {
        Self {
            client: self.client.impatient(),
            patience: &SHORT,
            ..self
        }
    }

    /// Returns the same bucket, whose requests another interruption ends.
    pub fn with_interruption(self, interruption: Interruption) -> Self {
        Self {
            client: self.client.with_interruption(interruption),
            ..self
        }
    }

    /// Returns the interruption that ends all requests, also those of clones.
    pub fn interruption(&self) -> &Interruption {
        self.client.interruption()
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

    /// Returns the object `name`, with its metadata from the service. Neither is verified.
    ///
    /// # Errors
    ///
    /// `Missing` if there is none; if the service refuses, or does not respond.
    pub fn get(&self, name: &str) -> Result<ObjectResponse, BucketError> {
        let key = self.key(name);
        let get = self.bucket.get_object(Some(&self.credentials), &key);
        let response = self.send("GET", &get.sign(SIGNATURE_LASTS), None)?;
        if response.status == 200 {
            Ok(response)
        } else {
            Err(self.refused(format!("status {} for all of {name}", response.status)))
        }
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
        let response = self.send("DELETE", &delete.sign(SIGNATURE_LASTS), None)?;
        self.refuse_page(response)
    }

    fn refused(&self, message: String) -> BucketError {
        self.failed(BucketErrorKind::Refused, message)
    }

    fn away(&self, message: String) -> BucketError {
        self.failed(BucketErrorKind::Away, message)
    }

    fn failed(&self, kind: BucketErrorKind, message: String) -> BucketError {
        BucketError {
            location: format!("{self:?}"),
            message,
            kind,
        }
    }
}
