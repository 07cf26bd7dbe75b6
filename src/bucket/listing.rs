//! Lists the objects of a bucket, page by page, in bounded time and memory regardless of the
//! responses of the service.

use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
    time::Instant,
};

use rusty_s3::{
    S3Action,
    actions::{ListObjectsV2, list_objects_v2::ListObjectsV2Response},
};

use super::{Bucket, BucketError, StoredObject};
use crate::bucket::client::SIGNATURE_LIFETIME;

/// Maximum number of objects in a list, of bytes of their keys, and of pages.
const KEYS_MAX: usize = 2_000_000;
const KEY_BYTES_MAX: usize = 256 << 20;
const PAGES_MAX: usize = 4_000;

/// Maximum number of consecutive pages without objects.
const EMPTY_PAGES_MAX: usize = 100;

/// Maximum length of an object, in bytes.
const OBJECT_BYTES_MAX: u64 = 1 << 50;

/// A list that is being read.
#[derive(Default)]
struct Listing {
    objects: Vec<StoredObject>,
    key_bytes: usize,
    pages: usize,
    empty_pages: usize,
    /// Hashes of the keys and tokens received so far.
    keys: HashSet<u64>,
    tokens: HashSet<u64>,
    hasher: RandomState,
}

impl Bucket {
    /// Returns the objects whose names begin with `start`.
    ///
    /// # Errors
    ///
    /// If the service refuses or does not respond; if the list does not end, repeats itself,
    /// contains objects that were not requested, or contains more than 2,000,000 objects.
    pub fn list(&self, start: &str) -> Result<Vec<StoredObject>, BucketError> {
        let top = self.key("");
        let start = self.key(start);
        let until = Instant::now() + self.patience.list;
        let mut listing = Listing::default();
        let mut token: Option<String> = None;
        loop {
            if Instant::now() > until {
                let seconds = self.patience.list.as_secs();
                return Err(self.unavailable(format!("its list is not complete after {seconds} s")));
            }
            let page = self.page(&start, token.as_deref(), None)?;
            let added = listing.add(page, &top, &start);
            token = added.map_err(|why| self.refused(format!("its list {why}")))?;
            if token.is_none() {
                return Ok(listing.objects);
            }
        }
    }

    /// Returns whether any object exists below the prefix.
    ///
    /// # Errors
    ///
    /// If the service refuses or does not respond.
    pub fn has_any(&self) -> Result<bool, BucketError> {
        let start = self.key("");
        let page = self.page(&start, None, Some(1))?;
        Ok(!page.contents.is_empty())
    }

    fn page(
        &self,
        start: &str,
        token: Option<&str>,
        keys_max: Option<usize>,
    ) -> Result<ListObjectsV2Response, BucketError> {
        let mut list = self.bucket.list_objects_v2(Some(&self.credentials));
        list.with_prefix(start);
        if let Some(token) = token {
            list.with_continuation_token(token);
        }
        if let Some(keys_max) = keys_max {
            list.with_max_keys(keys_max);
        }
        let text = self.text("GET", &list.sign(SIGNATURE_LIFETIME), None)?;
        ListObjectsV2::parse_response(&text)
            .map_err(|error| self.refused(format!("its list cannot be read: {error}")))
    }
}

impl Listing {
    /// Adds a page, and returns the token of the next one. The error describes the problem of the
    /// list.
    fn add(
        &mut self,
        page: ListObjectsV2Response,
        top: &str,
        start: &str,
    ) -> Result<Option<String>, String> {
        self.pages += 1;
        self.empty_pages = if page.contents.is_empty() {
            self.empty_pages + 1
        } else {
            0
        };
        for object in page.contents {
            // The prefix separates sites that share a bucket, and the service is not trusted to
            // apply it.
            let Some(name) = object.key.strip_prefix(top) else {
                return Err(format!("has {:?}, outside of the prefix", object.key));
            };
            if !object.key.starts_with(start) {
                return Err(format!("has {:?}, which was not requested", object.key));
            }
            // Hashes instead of keys bound the memory. They are seeded randomly, so that a service
            // cannot choose keys that collide.
            if !self.keys.insert(self.hasher.hash_one(&object.key)) {
                return Err(format!("has {:?} twice", object.key));
            }
            let bytes = object.size.unwrap_or_default();
            if bytes > OBJECT_BYTES_MAX {
                return Err(format!("has {:?} with {bytes} bytes", object.key));
            }
            self.key_bytes += object.key.len();
            if self.objects.len() >= KEYS_MAX || self.key_bytes > KEY_BYTES_MAX {
                return Err(format!("has more than {} objects", self.objects.len()));
            }
            self.objects.push(StoredObject {
                name: name.to_owned(),
                bytes,
                etag: object.etag.unwrap_or_default(),
            });
        }
        let Some(next) = page.next_continuation_token else {
            return Ok(None);
        };
        // A token that was used before would make the list endless.
        if !self.tokens.insert(self.hasher.hash_one(&next)) {
            return Err("repeats itself".to_owned());
        }
        // Even with a new token for each page, a list of empty pages would never end.
        if self.pages >= PAGES_MAX || self.empty_pages >= EMPTY_PAGES_MAX {
            let (pages, empty) = (self.pages, self.empty_pages);
            return Err(format!(
                "has no end: {pages} pages, the last {empty} of them empty"
            ));
        }
        Ok(Some(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of page `number` with this object.
    fn page(number: usize, key: &str, bytes: u64) -> ListObjectsV2Response {
        let text = format!(
            "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><MaxKeys>1000</MaxKeys>\
             <IsTruncated>true</IsTruncated><NextContinuationToken>{number}</NextContinuationToken>\
             <Contents><Key>{key}</Key><LastModified></LastModified><Size>{bytes}</Size></Contents></ListBucketResult>"
        );
        ListObjectsV2::parse_response(&text).unwrap()
    }

    #[test]
    fn list_of_ever_new_objects_ends() {
        let mut listing = Listing::default();
        let mut add = |number: usize| {
            let key = format!("site/{number}");
            listing.add(page(number, &key, 1), "site/", "site/")
        };
        let ended = (1..=PAGES_MAX).find_map(|number| add(number).err().map(|why| (number, why)));
        let (pages, why) = ended.unwrap();
        assert_eq!(pages, PAGES_MAX);
        assert!(why.contains("has no end"), "{why}");
    }

    #[test]
    fn objects_that_cannot_be_right_are_refused() {
        let refused = |key: &str, bytes| {
            let added = Listing::default().add(page(1, key, bytes), "site/", "site/files/");
            added.unwrap_err()
        };
        assert!(refused("sites/files/a", 1).contains("outside"));
        assert!(refused("site/images/a", 1).contains("not requested"));
        assert!(refused("site/files/a", u64::MAX).contains("bytes"));
    }
}
