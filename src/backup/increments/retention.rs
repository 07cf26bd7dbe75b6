//! Deletes moments that are too old, and then the chunks that no object refers to any more.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::{
    super::BackupError,
    format::{read_segment, read_state},
    history::History,
    last_moment::{chunks_of, stored_chunks},
    location::Location,
    object_name::{MomentKind, MomentName, of_chunk},
    owner::Claim,
};

/// Maximum number of states that are deleted each time: usually one is too old, and a listing may be wrong.
const STATES_MAX: usize = 3;

/// Number of deletions between two checks that no other process has claimed the location.
const DELETIONS_PER_CHECK: usize = 100;

/// The deletion of old objects from a location.
pub struct Retention<'a> {
    pub location: &'a Location,
    pub claim: &'a Claim,
    /// The state that has just been written and verified.
    pub last: &'a MomentName,
    /// The states that were listed before `last` was written.
    pub earlier: &'a [MomentName],
}

impl Retention<'_> {
    /// Deletes the states that no moment since `oldest` needs and the segments that follow them, then the chunks that no
    /// remaining state or segment refers to.
    ///
    /// # Errors
    ///
    /// If an existing state or a chunk of the last state is not listed, or something cannot be read or deleted. Nothing that
    /// a remaining moment needs is deleted.
    pub fn run(&self, oldest: Timestamp) -> Result<(), BackupError> {
        let history = History::read(self.location)?;
        let states: Vec<&MomentName> = history.states().collect();
        // With an incomplete list, chunks of a state that is not listed would appear unused and be
        // deleted.
        for name in self.earlier.iter().chain([self.last]) {
            if !states.contains(&name) {
                return Err(BackupError::NotListed {
                    destination: self.location.to_string(),
                    name: name.to_string(),
                });
            }
        }
        let chunks = stored_chunks(self.location)?;
        // Read back from the location, so that nothing is deleted before the newest state is known
        // to be readable.
        let last = read_state(self.location, self.last)?;
        if let Some(missing) = last
            .chunks()
            .find(|chunk| chunks.get(&chunk.sha256) != Some(&chunk.stored))
        {
            let what = format!(
                "it is not listed as it was written, and {} needs it",
                self.last
            );
            return Err(self.location.error(&of_chunk(&missing.sha256), what));
        }
        // A state is needed until the next state is old enough.
        let too_old = states
            .windows(2)
            .take_while(|pair| pair[1].created_at <= oldest && pair[0] != self.last)
            .take(STATES_MAX)
            .count();
        let oldest_state = states.get(too_old).map(|name| name.created_at);
        let is_too_old = |name: &&MomentName| match name.kind {
            MomentKind::State => states[..too_old].contains(name),
            MomentKind::Segment => oldest_state.is_some_and(|state| name.created_at < state),
        };
        // Segments are deleted first, so that none remains without its state; newer ones first, so that none remains without
        // its predecessor.
        let mut names: Vec<&MomentName> = history.names().filter(is_too_old).collect();
        names.sort_by_key(|name| (name.kind == MomentKind::State, -name.created_at.as_second()));
        self.delete(names.iter().map(|name| name.to_string()))?;
        self.delete_chunks(&states[too_old..], &history, &chunks)
    }

    fn delete_chunks(
        &self,
        states: &[&MomentName],
        history: &History,
        stored: &HashMap<String, u64>,
    ) -> Result<(), BackupError> {
        let mut needed = HashSet::new();
        for name in states {
            // An unreadable state ends the deletion, because its chunks are not known.
            let state = read_state(self.location, name)?;
            let chunks = state.chunks().chain(&state.segment_chunks);
            needed.extend(chunks.map(|chunk| chunk.sha256.clone()));
        }
        // The chunks of earlier segments are listed in the state that follows them.
        let after = history.names().rev();
        let after = after
            .take_while(|name| name.created_at >= self.last.created_at)
            .filter(|name| name.kind == MomentKind::Segment);
        for name in after {
            let (header, _) = read_segment(self.location, name)?;
            needed.extend(chunks_of(&header).map(|chunk| chunk.sha256.clone()));
        }
        let unneeded = stored.keys().filter(|sha256| !needed.contains(*sha256));
        self.delete(unneeded.map(|sha256| of_chunk(sha256)))
    }

    fn delete(&self, names: impl Iterator<Item = String>) -> Result<(), BackupError> {
        for (index, name) in names.enumerate() {
            if index.is_multiple_of(DELETIONS_PER_CHECK) {
                // Not before each deletion, because the check lists the claims of the location.
                self.claim.check(self.location)?;
            }
            self.location.delete(&name)?;
        }
        Ok(())
    }
}
