//! The state of the local copies of uploads in a bucket, and the copies being fetched.
//!
//! Only names, lengths and times are managed here: `in_bucket.rs` reads and writes the files.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use walkdir::WalkDir;

/// The modification time of every copy. It is the same in all processes, so that a file has the same entity
/// tag everywhere and reuses its resized images when it is fetched again. Copies made by versions that did not
/// verify them have other times.
pub(super) fn changed_at() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_hours(24)
}

/// Time for which a file that is missing or damaged in the bucket is not requested again.
const MISSING_FOR: Duration = Duration::from_secs(5);

/// Maximum number of missing files that are remembered, and of damaged ones.
const MISSING_MAX: usize = 10_000;

/// Time for which no copies are fetched after the bucket was found unavailable.
const AWAY_FOR: Duration = Duration::from_secs(2);

/// Minimum time for which a used copy is retained, because a response may still open it.
const USED_FOR: Duration = Duration::from_secs(5);

/// Maximum number of copies that are fetched concurrently. Each fetch occupies one of the workers, of which
/// there are at least 32, so a slow bucket leaves most of them to readers of local copies. Eight streams are
/// enough to use the full bandwidth to a bucket.
const FETCHES_MAX: usize = 8;

/// Maximum number of readers that wait until another reader's fetch of their file is complete, which can take
/// long for a large file. Together with the readers that fetch, they occupy at most half of the workers.
const PATIENT_MAX: usize = 8;

/// Time for which new readers do not wait at all after a reader waited in vain.
const LATE_FOR: Duration = Duration::from_secs(2);

/// The folders with the kinds of uploads that are fetched file by file.
const KINDS: [&str; 3] = ["images", "media", "files"];

/// The known state of the local copies, and of files without one.
#[derive(Default)]
pub(super) struct Copies {
    by_name: HashMap<String, LocalCopy>,
    /// Names in the order of their last use.
    by_use: BTreeMap<u64, String>,
    bytes: u64,
    uses: u64,
    pub(super) missing: HashMap<String, Instant>,
    /// Files for which the bucket returned other content.
    damaged: HashMap<String, Instant>,
    /// The files that are being fetched, with the number of readers that wait until each is complete.
    under_way: HashMap<String, usize>,
    pub(super) unavailable_since: Option<Instant>,
    /// Time at which a reader last waited in vain for a fetch.
    late_since: Option<Instant>,
}

struct LocalCopy {
    bytes: u64,
    use_number: u64,
    used: Option<Instant>,
}

/// What a reader does when its file has no local copy.
pub(super) enum FetchDecision {
    /// Fetches the file.
    Fetch,
    /// Waits until the fetch of the file by another reader has ended.
    WaitForFetch,
    /// Waits for a while until any fetch has ended.
    Wait,
    /// Tries again later.
    Refused,
}

impl Copies {
    /// Finds the copies of earlier processes. Those that were read last count as the most recently used.
    /// Copies that were not verified are removed.
    pub(super) fn found_in(folder: &Path) -> Self {
        let entries = KINDS
            .into_iter()
            .flat_map(|kind| WalkDir::new(folder.join(kind)))
            .flatten();
        let files = entries.filter(|entry| entry.file_type().is_file());
        let mut files: Vec<(SystemTime, String, u64)> = files
            .filter_map(|entry| {
                let name = entry.path().strip_prefix(folder).ok()?.to_str()?;
                let metadata = entry.metadata().ok()?;
                if metadata.modified().ok()? != changed_at() {
                    let _ = fs::remove_file(entry.path());
                    return None;
                }
                // With `relatime`, the access time is accurate to a day, which is enough for an
                // order.
                let read = metadata.accessed().or_else(|_| metadata.modified());
                Some((read.ok()?, name.to_owned(), metadata.len()))
            })
            .collect();
        files.sort_unstable();
        let mut copies = Self::default();
        for (_, name, bytes) in files {
            copies.add(&name, bytes, None);
        }
        copies
    }

    /// Returns whether there is a copy at `path`, and marks it as used.
    pub(super) fn use_copy(&mut self, name: &str, path: &Path) -> bool {
        let Some(bytes) = self.by_name.get(name).map(|copy| copy.bytes) else {
            return false;
        };
        // The operator may have removed the file.
        if !path.is_file() {
            self.forget(name);
            return false;
        }
        self.add(name, bytes, Some(Instant::now()));
        true
    }

    pub(super) fn add(&mut self, name: &str, bytes: u64, used: Option<Instant>) {
        // Removes the earlier use: each copy is in `by_use` once.
        self.forget(name);
        self.uses += 1;
        self.bytes += bytes;
        self.by_use.insert(self.uses, name.to_owned());
        let copy = LocalCopy {
            bytes,
            use_number: self.uses,
            used,
        };
        self.by_name.insert(name.to_owned(), copy);
        self.missing.remove(name);
        self.damaged.remove(name);
    }

    pub(super) fn forget(&mut self, name: &str) {
        if let Some(copy) = self.by_name.remove(name) {
            self.by_use.remove(&copy.use_number);
            self.bytes -= copy.bytes;
        }
    }

    /// Removes the least recently used copies until the others have at most `bytes_max` bytes.
    pub(super) fn remove_surplus(&mut self, folder: &Path, bytes_max: u64) {
        while self.bytes > bytes_max {
            let Some((_, name)) = self.by_use.first_key_value() else {
                return;
            };
            let name = name.clone();
            let used = self.by_name.get(&name).and_then(|copy| copy.used);
            // All further copies were used even later.
            if used.is_some_and(|used| used.elapsed() < USED_FOR) {
                return;
            }
            self.forget(&name);
            if let Err(error) = fs::remove_file(folder.join(&name)) {
                tracing::warn!(%error, name, "a local copy of an upload cannot be removed");
            }
        }
    }

    pub(super) fn add_missing(&mut self, name: &str) {
        remember(&mut self.missing, name);
    }

    pub(super) fn is_missing(&self, name: &str) -> bool {
        is_recent(&self.missing, name)
    }

    pub(super) fn add_damaged(&mut self, name: &str) {
        remember(&mut self.damaged, name);
    }

    pub(super) fn is_damaged(&self, name: &str) -> bool {
        is_recent(&self.damaged, name)
    }

    /// Decides what a reader of `name` does that arrived at `began`. The reader waits for at most `patience`,
    /// unless its file is being fetched.
    pub(super) fn decide_fetch(
        &mut self,
        name: &str,
        began: Instant,
        patience: Duration,
    ) -> FetchDecision {
        let patient: usize = self.under_way.values().sum();
        let fetches = self.under_way.len();
        match self.under_way.get_mut(name) {
            // Waits until the end of the fetch: with the short wait alone, a second reader of a
            // large file was refused after three seconds.
            Some(readers) if patient < PATIENT_MAX => {
                *readers += 1;
                return FetchDecision::WaitForFetch;
            }
            None if fetches < FETCHES_MAX => {
                self.under_way.insert(name.to_owned(), 0);
                return FetchDecision::Fetch;
            }
            _ => {}
        }
        if began.elapsed() >= patience {
            self.late_since = Some(Instant::now());
            return FetchDecision::Refused;
        }
        // Readers that were already waiting then still wait for their remaining time.
        let is_late = |since: Instant| since < began && since.elapsed() < LATE_FOR;
        if self.late_since.is_some_and(is_late) {
            FetchDecision::Refused
        } else {
            FetchDecision::Wait
        }
    }

    /// Returns whether a file is being fetched.
    pub(super) fn is_under_way(&self, name: &str) -> bool {
        self.under_way.contains_key(name)
    }

    /// Records that a fetch has ended.
    pub(super) fn end_fetch(&mut self, name: &str) {
        self.under_way.remove(name);
    }

    pub(super) fn is_unavailable(&self) -> bool {
        self.unavailable_since
            .is_some_and(|since| since.elapsed() < AWAY_FOR)
    }
}

fn remember(names: &mut HashMap<String, Instant>, name: &str) {
    // Cleared as a whole, because entries are useful for a few seconds only.
    if names.len() >= MISSING_MAX {
        names.clear();
    }
    names.insert(name.to_owned(), Instant::now());
}

fn is_recent(names: &HashMap<String, Instant>, name: &str) -> bool {
    let since = names.get(name);
    since.is_some_and(|since| since.elapsed() < MISSING_FOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_used_longest_ago_go_first_and_those_in_use_stay() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("images")).unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["images/a", "images/b", "images/c"] {
            fs::write(path(name), [0; 100]).unwrap();
            let file = fs::File::options().write(true).open(path(name)).unwrap();
            file.set_modified(changed_at()).unwrap();
        }
        fs::write(path("images/unverified"), "of an earlier version").unwrap();
        let mut copies = Copies::found_in(folder.path());
        assert_eq!((copies.bytes, copies.by_name.len()), (300, 3));
        assert!(!path("images/unverified").exists());
        assert!(copies.use_copy("images/a", &path("images/a")));
        copies.remove_surplus(folder.path(), 250);
        assert_eq!(copies.bytes, 200);
        copies.remove_surplus(folder.path(), 0);
        assert_eq!(copies.by_name.keys().collect::<Vec<_>>(), ["images/a"]);
        assert!(path("images/a").exists() && !path("images/b").exists());
        fs::remove_file(path("images/a")).unwrap();
        assert!(!copies.use_copy("images/a", &path("images/a")));
        assert_eq!((copies.bytes, copies.by_use.len()), (0, 0));
    }

    #[test]
    fn fetches_are_bounded_and_readers_wait_only_while_that_may_help() {
        let mut copies = Copies::default();
        let patience = Duration::from_millis(50);
        let names: Vec<String> = (0..FETCHES_MAX).map(|name| name.to_string()).collect();
        let mut decide = |name: &str, began| copies.decide_fetch(name, began, patience);
        let began = Instant::now();
        for name in &names {
            assert!(matches!(decide(name, began), FetchDecision::Fetch));
        }
        for _ in 0..PATIENT_MAX {
            assert!(matches!(decide("0", began), FetchDecision::WaitForFetch));
        }
        for name in ["0", "other"] {
            assert!(matches!(decide(name, began), FetchDecision::Wait), "{name}");
        }
        std::thread::sleep(patience);
        assert!(matches!(decide("other", began), FetchDecision::Refused));
        // Readers that arrive after that are refused immediately.
        assert!(matches!(
            decide("0", Instant::now()),
            FetchDecision::Refused
        ));
        copies.end_fetch("0");
        assert!(!copies.is_under_way("0") && copies.is_under_way("1"));
        let mut decide = |name: &str| copies.decide_fetch(name, Instant::now(), patience);
        assert!(matches!(decide("other"), FetchDecision::Fetch));
        assert!(matches!(decide("other"), FetchDecision::WaitForFetch));
    }
}
