//! The process that may write to a location: the one that last claimed it.
//!
//! Two processes that write to one location could delete chunks that the other one needs. So each
//! process claims the location when it begins, by an object with the next number. It checks that its
//! claim is still the last one before it writes a moment and before it deletes objects. So the claim
//! of a killed process blocks no other process. If two servers use the same location by mistake, the
//! first one reports it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    super::BackupError,
    location::Location,
    object_name::{CHUNKS, OWNERS, SEGMENTS, STATES},
};

/// Maximum length of a claim, in bytes.
const BYTES_MAX: u64 = 64 << 10;

/// A claim of a location.
pub struct Claim {
    name: String,
}

/// The content of a claim.
#[derive(Serialize, Deserialize)]
struct ClaimRecord {
    machine: String,
    data: String,
    claimed_at: Timestamp,
}

impl Claim {
    /// Claims a location for this process, whose data folder is `data`.
    ///
    /// # Errors
    ///
    /// If the location cannot be read or written, or another process claims it at the same time.
    pub fn new(location: &Location, data: &str, now: Timestamp) -> Result<Self, BackupError> {
        let last = claims(location)?.pop();
        let number = last.and_then(|name| number(&name)).unwrap_or(0) + 1;
        let (random, ..) = Uuid::new_v4().as_fields();
        let claim = Self {
            // Of fixed width, so that names sort by number. The random part decides between two
            // claims with one number.
            name: format!("{OWNERS}{number:010}-{random:08x}.json"),
        };
        let record = ClaimRecord {
            machine: machine_name(),
            data: data.to_owned(),
            claimed_at: now,
        };
        let text = serde_json::to_vec(&record)
            .map_err(|error| location.error(&claim.name, error.to_string()))?;
        location.put(&claim.name, &text)?;
        location.flush()?;
        // Checked after it is durable: of two processes that claim at the same time, each sees the
        // later name.
        claim.check(location)?;
        for name in claims(location)? {
            if name < claim.name {
                location.delete(&name)?;
            }
        }
        // Only the owner may remove temporary files, which another process could still be writing.
        location.clear_abandoned(&[STATES, SEGMENTS, CHUNKS, OWNERS])?;
        Ok(claim)
    }

    /// Returns an error unless this claim is the last one.
    ///
    /// # Errors
    ///
    /// `OtherWriter` if there is a later claim; `ClaimGone` if this claim was deleted; if the
    /// location cannot be read.
    pub fn check(&self, location: &Location) -> Result<(), BackupError> {
        let last = claims(location)?.pop().unwrap_or_default();
        if last == self.name {
            return Ok(());
        }
        // Also true if there is no claim at all, because the empty name sorts first.
        if last < self.name {
            return Err(BackupError::ClaimGone(location.to_string()));
        }
        let record = location.get(&last, BYTES_MAX).ok().flatten();
        let record = record.and_then(|text| serde_json::from_slice::<ClaimRecord>(&text).ok());
        let by = match record {
            Some(record) => format!(
                "the process with the data folder {} on {} has written there since {:.0}",
                record.data, record.machine, record.claimed_at
            ),
            None => "another process has written there since".to_owned(),
        };
        Err(BackupError::OtherWriter {
            location: location.to_string(),
            by,
        })
    }
}

/// Returns the names of all claims, the last one at the end. Temporary files and other objects are
/// ignored.
fn claims(location: &Location) -> Result<Vec<String>, BackupError> {
    let names = location.list(OWNERS)?.into_iter().map(|(name, _)| name);
    Ok(names.filter(|name| number(name).is_some()).collect())
}

/// Returns the number in the name of a claim, `owners/NUMBER-RANDOM.json`; `None` for other names.
fn number(name: &str) -> Option<u64> {
    let name = name.strip_prefix(OWNERS)?.strip_suffix(".json")?;
    let (number, random) = name.split_once('-')?;
    let is_number = number.len() == 10 && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_random = random.len() == 8 && random.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_number && is_random).then(|| number.parse().ok())?
}

fn machine_name() -> String {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
}
