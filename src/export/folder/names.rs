//! File names that are valid and distinct on every file system, including case-insensitive ones.

use std::collections::HashSet;

use crate::render::slug::{self, Kind};

/// Longest name without folder and extension, in bytes. File systems permit 255 and more including
/// the extension; some archives and tools permit less.
const STEM_BYTES_MAX: usize = 150;

/// Names with a special meaning in content folders or on Windows.
const RESERVED: &[&str] = &[
    "index", "_index", "readme", "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4",
    "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7",
    "lpt8", "lpt9",
];

/// The paths in use.
#[derive(Default)]
pub struct FileNames {
    /// In lower case.
    taken: HashSet<String>,
}

impl FileNames {
    /// Reserves `path`; returns whether it was free.
    pub fn take(&mut self, path: &str) -> bool {
        self.taken.insert(path.to_lowercase())
    }

    /// Reserves and returns a free path in `folder` derived from `slug`.
    pub fn choose(&mut self, folder: &str, slug: &str, extension: &str) -> String {
        let stem = stem_of(slug);
        slug::candidates(stem)
            .map(|stem| format!("{folder}/{stem}.{extension}"))
            .find(|path| self.take(path))
            // Candidates have no end, so there always is one.
            .unwrap_or_default()
    }
}

/// Returns `slug` as a file name.
fn stem_of(slug: &str) -> String {
    let is_plain = !slug.is_empty()
        && slug.len() <= STEM_BYTES_MAX
        && slug
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
    let mut stem = if is_plain {
        slug.to_owned()
    } else {
        slug::from_text(Kind::Post, slug, "")
    };
    // A slug is ASCII here, so every index is a character boundary.
    stem.truncate(STEM_BYTES_MAX);
    // A file name that begins with a date would set the date of the post.
    let begins_with_date =
        stem.bytes().take(4).filter(u8::is_ascii_digit).count() == 4 && stem[4..].starts_with('-');
    if begins_with_date || RESERVED.contains(&stem.as_str()) {
        stem.insert_str(0, "the-");
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(slugs: &[&str]) -> Vec<String> {
        let mut names = FileNames::default();
        slugs
            .iter()
            .map(|slug| names.choose("posts", slug, "md"))
            .collect()
    }

    #[test]
    fn plain_slug_becomes_the_name() {
        assert_eq!(
            names(&["night-ferry", "a_b"]),
            ["posts/night-ferry.md", "posts/a_b.md"]
        );
    }

    #[test]
    fn slugs_that_differ_only_in_case_get_distinct_names() {
        assert_eq!(
            names(&["ferry", "Ferry", "FERRY"]),
            ["posts/ferry.md", "posts/ferry-2.md", "posts/ferry-3.md"]
        );
    }

    #[test]
    fn names_with_a_special_meaning_get_a_prefix() {
        assert_eq!(
            names(&[
                "index",
                "readme",
                "con",
                "2025-01-05-ferry",
                "2025",
                "20250-x"
            ]),
            [
                "posts/the-index.md",
                "posts/the-readme.md",
                "posts/the-con.md",
                "posts/the-2025-01-05-ferry.md",
                "posts/2025.md",
                "posts/20250-x.md",
            ]
        );
    }

    #[test]
    fn unusual_and_long_slugs_become_portable_names() {
        let long = "x".repeat(191);
        for name in names(&[
            "../../etc/passwd",
            "東京",
            "a:b*c?",
            ".hidden",
            "~",
            &long,
            &long,
        ]) {
            let stem = name
                .strip_prefix("posts/")
                .and_then(|name| name.strip_suffix(".md"));
            let stem = stem.expect("a file in posts/");
            assert!(
                !stem.is_empty() && stem.len() <= STEM_BYTES_MAX + 2,
                "{name}"
            );
            assert!(
                stem.bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
                "{name}"
            );
        }
    }
}
