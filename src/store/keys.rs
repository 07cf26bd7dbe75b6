//! The keys of a table that a scan visits.

use std::ops::{Bound, RangeBounds};

/// A range of keys in the order of their bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    from: Bound<Vec<u8>>,
    to: Bound<Vec<u8>>,
}

impl Keys {
    /// Returns the range of every key.
    pub fn all() -> Self {
        Self {
            from: Bound::Unbounded,
            to: Bound::Unbounded,
        }
    }

    /// Returns the range of the keys that start with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        Self {
            from: Bound::Included(prefix.to_vec()),
            to: after_prefix(prefix),
        }
    }

    /// Returns the range of the keys within `bounds`; the range is empty if the bounds cross.
    pub fn range<K: AsRef<[u8]>>(bounds: impl RangeBounds<K>) -> Self {
        Self {
            from: bounds.start_bound().map(|key| key.as_ref().to_vec()),
            to: bounds.end_bound().map(|key| key.as_ref().to_vec()),
        }
    }

    /// Returns both bounds, or `None` if the range is empty: ordered maps panic for such ranges.
    pub(super) fn bounds(&self) -> Option<Bounds<'_>> {
        let from = self.from.as_ref().map(Vec::as_slice);
        let to = self.to.as_ref().map(Vec::as_slice);
        let crossed = match (from, to) {
            (Bound::Included(from), Bound::Included(to)) => from > to,
            (Bound::Included(from) | Bound::Excluded(from), Bound::Excluded(to))
            | (Bound::Excluded(from), Bound::Included(to)) => from >= to,
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        };
        (!crossed).then_some((from, to))
    }
}

/// Both bounds, in the form that ordered maps accept.
pub(super) type Bounds<'a> = (Bound<&'a [u8]>, Bound<&'a [u8]>);

/// Returns the upper bound of the keys that start with `prefix`: the prefix with its last byte
/// incremented, or unbounded if no byte can be incremented.
fn after_prefix(prefix: &[u8]) -> Bound<Vec<u8>> {
    // A byte of 255 cannot be incremented, so it is dropped and the byte before it is incremented.
    match prefix.iter().rposition(|&byte| byte < u8::MAX) {
        None => Bound::Unbounded,
        Some(last) => {
            let mut end = prefix[..=last].to_vec();
            end[last] += 1;
            Bound::Excluded(end)
        }
    }
}
