//! The names of objects: their kind, the time at which they were written, and the hash of their content.

use std::{fmt, fs, path::Path};

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// The folders of a location.
pub const STATES: &str = "states/";
pub const SEGMENTS: &str = "segments/";
pub const CHUNKS: &str = "chunks/";
pub const OWNERS: &str = "owners/";

/// The suffixes of names.
const STATE_END: &str = ".json.gz";
const SEGMENT_END: &str = ".jsonl.gz";
const CHUNK_END: &str = ".gz";

/// Format of the time in a name.
const TIME: &str = "%Y%m%dT%H%M%SZ";

/// The kind of an object of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MomentKind {
    /// A whole site.
    State,
    /// The changes since another moment.
    Segment,
}

/// The name of a state or a segment. Names are ordered by time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MomentName {
    /// Time of the moment, in whole seconds.
    pub created_at: Timestamp,
    /// Whether it is a state or a segment.
    pub kind: MomentKind,
    /// The SHA-256 of the uncompressed content, in hexadecimal digits.
    pub sha256: String,
}

impl MomentName {
    /// Parses the name of an object; `None` if it is not the name of a state or a segment.
    pub fn parse(name: &str) -> Option<Self> {
        let (kind, rest) = match (name.strip_prefix(STATES), name.strip_prefix(SEGMENTS)) {
            (Some(rest), _) => (MomentKind::State, rest.strip_suffix(STATE_END)?),
            (_, Some(rest)) => (MomentKind::Segment, rest.strip_suffix(SEGMENT_END)?),
            (None, None) => return None,
        };
        let (time, sha256) = rest.split_once('-')?;
        let time = DateTime::strptime(TIME, time).ok()?;
        is_sha256(sha256).then_some(Self {
            created_at: time.to_zoned(TimeZone::UTC).ok()?.timestamp(),
            kind,
            sha256: sha256.to_owned(),
        })
    }
}

impl fmt::Display for MomentName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (folder, end) = match self.kind {
            MomentKind::State => (STATES, STATE_END),
            MomentKind::Segment => (SEGMENTS, SEGMENT_END),
        };
        let time = self.created_at.strftime(TIME);
        write!(formatter, "{folder}{time}-{}{end}", self.sha256)
    }
}

/// Returns the name of a chunk with this hash.
pub fn of_chunk(sha256: &str) -> String {
    format!("{CHUNKS}{sha256}{CHUNK_END}")
}

/// Returns the hash in the name of a chunk; `None` for other names.
pub fn chunk_sha256(name: &str) -> Option<&str> {
    let sha256 = name.strip_prefix(CHUNKS)?.strip_suffix(CHUNK_END)?;
    is_sha256(sha256).then_some(sha256)
}

/// Returns whether a folder is a location of incremental backups: whether it contains a file with the
/// name of a state, a segment or a chunk.
pub fn is_location(folder: &Path) -> bool {
    [STATES, SEGMENTS, CHUNKS].iter().any(|part| {
        let entries = fs::read_dir(folder.join(part)).into_iter().flatten();
        entries.flatten().any(|entry| {
            let name = format!("{part}{}", entry.file_name().to_string_lossy());
            MomentName::parse(&name).is_some() || chunk_sha256(&name).is_some()
        })
    })
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_as_they_are_written_and_others_are_ignored() {
        let sha256 = "0123456789abcdef".repeat(4);
        for kind in [MomentKind::State, MomentKind::Segment] {
            let name = MomentName {
                created_at: "2026-11-27T12:00:05Z".parse().unwrap(),
                kind,
                sha256: sha256.clone(),
            };
            assert_eq!(MomentName::parse(&name.to_string()), Some(name));
        }
        assert_eq!(chunk_sha256(&of_chunk(&sha256)), Some(&*sha256));
        for other in [
            "states/20261127T120005Z-0123.json.gz",
            "states/20261127T120005Z.json.gz",
            "segments/waiting-abc",
            "galley-20261127T120005Z-3f9a2c41.galley.zip",
        ] {
            assert_eq!(MomentName::parse(other), None, "{other}");
        }
        assert_eq!(chunk_sha256("chunks/waiting-x.gz"), None);
    }
}
