//! Names of keys, which are compared without regard to case, dashes and underscores.

/// Returns the characters of a name that count in comparisons.
pub fn name_characters(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|character| !matches!(character, '_' | '-' | ' '))
        .map(|character| character.to_ascii_lowercase())
}

/// Returns whether two names are the same key.
pub fn same_name(one: &str, other: &str) -> bool {
    name_characters(one).eq(name_characters(other))
}
