//! Lists of names in messages.

/// Maximum number of names in one note.
pub(super) const LISTED_MAX: usize = 20;

/// Joins names with commas: the first [`LISTED_MAX`], and the number of further ones.
pub(super) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(LISTED_MAX);
    let shown: Vec<&str> = names.take(LISTED_MAX).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
