//! Finds the last moment that can be restored, before a damaged one.

use std::collections::HashMap;

use super::{
    super::BackupError,
    format::Chunk,
    history::{Chain, History},
    last_moment::{chunks_of, stored_chunks},
    location::Location,
    object_name::{MomentName, of_chunk},
};

/// Returns the last moment before `moment` that needs no damaged object: neither `damaged`, nor one that cannot be read,
/// is missing or has the wrong length. `None` if there is none.
///
/// # Errors
///
/// If the location cannot be read.
pub fn last_whole(
    location: &Location,
    moment: &MomentName,
    damaged: &str,
) -> Result<Option<MomentName>, BackupError> {
    let history = History::read(location)?;
    let stored = stored_chunks(location)?;
    let mut end = moment.clone();
    loop {
        let mut earlier = history.names().rev().filter(|name| **name < end);
        let Some(candidate) = earlier.next() else {
            return Ok(None);
        };
        match damaged_part(location, candidate, (damaged, &stored))? {
            None => return Ok(Some(candidate.clone())),
            // All later moments need the part, too.
            Some(part) => end = part.min(candidate.clone()),
        }
    }
}

/// Returns the state or segment of a moment's chain that needs a damaged object.
fn damaged_part(
    location: &Location,
    moment: &MomentName,
    (damaged, stored): (&str, &HashMap<String, u64>),
) -> Result<Option<MomentName>, BackupError> {
    let chain = match Chain::read(location, moment) {
        Err(BackupError::Object { name, .. }) => {
            return Ok(Some(MomentName::parse(&name).unwrap_or(moment.clone())));
        }
        // A moment of a newer version cannot be restored by this one, but an earlier moment may be.
        Err(BackupError::Newer { .. }) => return Ok(Some(moment.clone())),
        chain => chain?,
    };
    let is_damaged = |chunk: &Chunk| {
        stored.get(&chunk.sha256) != Some(&chunk.stored) || of_chunk(&chunk.sha256) == damaged
    };
    if chain.state.chunks().any(is_damaged) {
        return Ok(Some(chain.state_name));
    }
    let mut segments = chain.segments.into_iter();
    let found = segments
        .find(|(name, header)| name.to_string() == damaged || chunks_of(header).any(is_damaged));
    Ok(found.map(|(name, _)| name))
}
