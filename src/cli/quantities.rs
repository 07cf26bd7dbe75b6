//! Counts and sizes in messages.

/// Returns a number with its noun, in the plural if necessary.
pub(super) fn numbered(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Returns a plural noun, in the singular if `count` is 1.
pub(super) fn counted(kind: &str, count: usize) -> String {
    let (noun, rest) = kind.split_at(kind.find(' ').unwrap_or(kind.len()));
    match (count, noun.strip_suffix('s')) {
        (1, Some(singular)) => format!("{singular}{rest}"),
        _ => kind.to_owned(),
    }
}

/// Returns a number of bytes as text.
pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / f64::from(1 << 20))
}
