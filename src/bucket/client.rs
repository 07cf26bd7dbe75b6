//! The client of a bucket: single requests, which are retried as long as that can help.

use std::{fmt, time::Duration};

use rusty_s3::{Bucket as SignedBucket, Credentials, S3Action, UrlStyle};
use url::Url;

use crate::{
    bucket::{
        error::{BucketError, BucketErrorKind},
        options::BucketOptions,
    },
    interruption::Interruption,
    outbound::{ObjectClient, ObjectResponse},
};

/// Lifetime of a signature.
pub(super) const SIGNATURE_LIFETIME: Duration = Duration::from_secs(3600);

/// An object in a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    /// The object's name, without the prefix.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its entity tag, which changes when its content does.
    pub etag: String,
}

/// The time limits of requests and the pauses between retries.
#[derive(Debug)]
pub(super) struct Patience {
    /// The pauses before retries.
    pub(super) pauses: &'static [Duration],
    /// Maximum time for reading a response that is not an object.
    pub(super) text: Duration,
    /// Maximum time for reading a whole list.
    pub(super) list: Duration,
}

/// The time limits for requests that no client waits for.
pub(super) const LONG: Patience = Patience {
    pauses: &[
        Duration::from_secs(1),
        Duration::from_secs(3),
        Duration::from_secs(9),
    ],
    text: Duration::from_secs(60),
    list: Duration::from_secs(1800),
};

/// The time limits for requests that a client waits for.
pub(super) const SHORT: Patience = Patience {
    pauses: &[Duration::from_millis(200)],
    text: Duration::from_secs(10),
    list: Duration::from_secs(20),
};

/// A bucket, and the prefix of the keys of its objects.
#[derive(Clone)]
pub struct Bucket {
    pub(super) bucket: SignedBucket,
    pub(super) credentials: Credentials,
    prefix: String,
    missing_keys: Vec<String>,
    pub(super) client: ObjectClient,
    pub(super) patience: &'static Patience,
}

impl fmt::Debug for Bucket {
    /// Formats the URL without the key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "s3://{}/{}", self.bucket.name(), self.prefix)
    }
}

impl Bucket {
    /// Returns the bucket at `path`, the part of `s3://bucket/prefix` after the slashes.
    ///
    /// # Errors
    ///
    /// A description of the missing or invalid part.
    pub fn new(path: &str, options: &BucketOptions) -> Result<Self, String> {
        let (name, prefix) = path.split_once('/').unwrap_or((path, ""));
        // In a URL, these segments would be resolved, so it would name another prefix or bucket.
        let is_plain = |segment: &str| !matches!(segment, "." | "..");
        if name.is_empty() || !prefix.split('/').all(is_plain) {
            return Err("a bucket with a prefix, such as s3://bucket/prefix".to_owned());
        }
        let (endpoint, style) = match &options.endpoint {
            // Other services may have no subdomain, and no certificate for one, for each bucket.
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

    /// Checks that the options for the key are set. They may be missing for a bucket that is only named: commands that send no
    /// requests need no key, which is often set only in the environment of the service.
    ///
    /// # Errors
    ///
    /// If an option is missing.
    pub fn check_key(&self) -> Result<(), BucketError> {
        if self.missing_keys.is_empty() {
            return Ok(());
        }
        let missing = self.missing_keys.join(" and ");
        Err(self.refused(format!("set {missing} to use this bucket")))
    }

    /// Returns the same bucket for requests that a client waits for, which fail soon.
    pub fn impatient(self) -> Self {
        Self {
            client: self.client.impatient(),
            patience: &SHORT,
            ..self
        }
    }

    /// Returns the same bucket with requests that `interruption` ends.
    pub fn with_interruption(self, interruption: Interruption) -> Self {
        Self {
            client: self.client.with_interruption(interruption),
            ..self
        }
    }

    /// Returns the interruption that ends all requests, including those of clones.
    pub fn interruption(&self) -> &Interruption {
        self.client.interruption()
    }

    /// Returns the prefix of the keys.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(super) fn key(&self, name: &str) -> String {
        match self.prefix.trim_end_matches('/') {
            "" => name.to_owned(),
            prefix => format!("{prefix}/{name}"),
        }
    }

    /// Returns the object `name` with its metadata from the service. Neither is verified.
    ///
    /// # Errors
    ///
    /// `Missing` if the object does not exist; if the service refuses or does not respond.
    pub fn get(&self, name: &str) -> Result<ObjectResponse, BucketError> {
        let key = self.key(name);
        let get = self.bucket.get_object(Some(&self.credentials), &key);
        // Signed once for all attempts: the signature outlasts the pauses between them.
        let response = self.send("GET", &get.sign(SIGNATURE_LIFETIME), None)?;
        // Another status of success, such as 206, does not come with the whole object.
        if response.status == 200 {
            Ok(response)
        } else {
            Err(self.refused(format!(
                "status {} instead of 200 for {name}",
                response.status
            )))
        }
    }

    /// Returns whether the object `name` exists.
    ///
    /// # Errors
    ///
    /// If the service refuses or does not respond.
    pub fn has(&self, name: &str) -> Result<bool, BucketError> {
        let key = self.key(name);
        let head = self.bucket.head_object(Some(&self.credentials), &key);
        // A response to HEAD has no body with an error code, so a missing bucket is reported as a
        // missing object.
        match self.send("HEAD", &head.sign(SIGNATURE_LIFETIME), None) {
            Ok(_) => Ok(true),
            Err(error) if error.kind == BucketErrorKind::Missing => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Deletes the object `name`.
    ///
    /// # Errors
    ///
    /// If the service refuses or does not respond.
    pub fn delete(&self, name: &str) -> Result<(), BucketError> {
        let key = self.key(name);
        let delete = self.bucket.delete_object(Some(&self.credentials), &key);
        let response = self.send("DELETE", &delete.sign(SIGNATURE_LIFETIME), None)?;
        self.refuse_page(response)
    }

    pub(super) fn refused(&self, message: String) -> BucketError {
        self.failed(BucketErrorKind::Refused, message)
    }

    pub(super) fn unavailable(&self, message: String) -> BucketError {
        self.failed(BucketErrorKind::Unavailable, message)
    }

    pub(super) fn failed(&self, kind: BucketErrorKind, message: String) -> BucketError {
        BucketError {
            location: format!("{self:?}"),
            message,
            kind,
        }
    }
}
