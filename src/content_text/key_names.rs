//! Names of keys, which are compared without regard to case, dashes and underscores.

/// Returns the letters of a name that count.
pub fn name_letters(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|letter| !matches!(letter, '_' | '-' | ' '))
        .map(|letter| letter.to_ascii_lowercase())
}

/// Returns whether two names are one key.
pub fn same_name(one: &str, other: &str) -> bool {
    name_letters(one).eq(name_letters(other))
}
