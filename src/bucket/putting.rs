//! Puts files into a bucket: small ones in one request, large ones in parts.

use crate::{bucket::client::SIGNATURE_LIFETIME, interruption::Interruption, progress::Progress};
use std::{
    fs::File,
    time::{Duration, Instant},
};

use rusty_s3::{S3Action, actions::CreateMultipartUpload};

use super::{
    Bucket, BucketError, BucketErrorKind,
    requests::{Part, problem},
};

/// Length of a part, in bytes; parts are longer if the file would need more than [`PARTS_MAX`] of
/// them.
const PART_BYTES: u64 = 16 << 20;

/// Maximum number of parts of an object.
const PARTS_MAX: u64 = 10_000;

/// Time limit for removing the remains of a failed upload, which are also removed while the process
/// stops.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the length of the parts in which a file of `total` bytes is sent; `None` if it is sent
/// in a single request.
pub fn part_bytes(total: u64) -> Option<u64> {
    (total > PART_BYTES).then(|| PART_BYTES.max(total.div_ceil(PARTS_MAX)))
}

impl Bucket {
    /// Writes a file of `bytes` bytes as the object `name`.
    ///
    /// # Errors
    ///
    /// If the service refuses or does not respond, the file cannot be read, or `progress` cancels.
    /// The service may have stored a small file nevertheless.
    pub fn put(
        &self,
        name: &str,
        file: &File,
        bytes: u64,
        progress: &dyn Progress,
    ) -> Result<(), BucketError> {
        let key = self.key(name);
        let Some(part_bytes) = part_bytes(bytes) else {
            let put = self.bucket.put_object(Some(&self.credentials), &key);
            let part = Part {
                file,
                start: 0,
                bytes,
                total: bytes,
                progress,
            };
            let response = self.send("PUT", &put.sign(SIGNATURE_LIFETIME), Some(&part))?;
            return self.refuse_page(response);
        };
        let create = self
            .bucket
            .create_multipart_upload(Some(&self.credentials), &key);
        let text = self.text("POST", &create.sign(SIGNATURE_LIFETIME), Some(""))?;
        let upload = CreateMultipartUpload::parse_response(&text)
            .map_err(|error| self.refused(format!("the upload cannot begin: {error}")))?;
        let upload = upload.upload_id();
        let sent = self.put_parts(&key, upload, (file, bytes, part_bytes), progress);
        // The parts of an upload that is never completed or aborted stay in the bucket, where lists
        // do not show them.
        if sent.is_err() {
            self.abort(&key, upload);
        }
        sent
    }

    /// Removes the parts of a failed upload, so that they do not remain in the bucket.
    fn abort(&self, key: &str, upload: &str) {
        let abort = self
            .bucket
            .abort_multipart_upload(Some(&self.credentials), key, upload);
        let url = abort.sign(SIGNATURE_LIFETIME);
        if let Err(error) = self.for_removal().send("DELETE", &url, None) {
            tracing::warn!(%error, key, "the parts of a failed upload remain in the bucket");
        }
    }

    /// Deletes the object `name`, which was put and is not needed, soon and even while the process
    /// stops.
    pub fn discard(&self, name: &str) {
        if let Err(error) = self.for_removal().delete(name) {
            tracing::warn!(%error, name, "an unused object remains in the bucket");
        }
    }

    fn for_removal(&self) -> Self {
        let soon = Interruption::default();
        // A separate interruption, because that of the bucket may be due already: the upload may
        // have failed because the process stops.
        soon.interrupt_at(Instant::now() + REMOVAL_TIMEOUT);
        self.clone().with_interruption(soon)
    }

    fn put_parts(
        &self,
        key: &str,
        upload: &str,
        (file, total, part_bytes): (&File, u64, u64),
        progress: &dyn Progress,
    ) -> Result<(), BucketError> {
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
                progress,
            };
            let put = self
                .bucket
                .upload_part(Some(&self.credentials), key, number, upload);
            let response = self.send("PUT", &put.sign(SIGNATURE_LIFETIME), Some(&part))?;
            let etag = response.etag;
            // S3 requires the entity tag of each part to complete the upload.
            etags.push(etag.ok_or_else(|| self.refused("a part has no entity tag".to_owned()))?);
            start += bytes;
            number += 1;
        }
        // The last chance to cancel: the next request creates the object.
        if progress.step(total, total).is_break() {
            return Err(self.failed(BucketErrorKind::Cancelled, "cancelled".to_owned()));
        }
        let tags = etags.iter().map(String::as_str);
        let credentials = Some(&self.credentials);
        let complete = self
            .bucket
            .complete_multipart_upload(credentials, key, upload, tags);
        let url = complete.sign(SIGNATURE_LIFETIME);
        let text = self.text("POST", &url, Some(&complete.body()))?;
        // The service may report a failure after it has responded with 200.
        match problem(&text) {
            Some(problem) => Err(self.refused(problem)),
            None => Ok(()),
        }
    }
}
