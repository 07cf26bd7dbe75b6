//! Names of files that hold on every file system, also on those that do not tell capital letters from small ones.

use std::collections::HashSet;

use crate::render::slug::{self, Kind};

/// Longest name without folder and extension, in bytes. File systems take 255 and more with the extension; some archives
/// and tools take less.
const STEM_BYTES_MAX: usize = 150;

/// Names that content folders or Windows understand as something else.
const RESERVED: &[&str] = &[
    "index", "_index", "readme", "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4",
    "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7",
    "lpt8", "lpt9",
];

/// Paths that are given away, each once.
#[derive(Default)]
pub struct Names {
    /// In small letters.
    taken: HashSet<String>,
}

impl Names {
    /// Takes `path`, and tells whether it was free.
    pub fn take(&mut self, path: &str) -> bool {
        self.taken.insert(path.to_lowercase())
    }

    /// A free path in `folder` for what is called `slug`; the slug is recognisable in it.
    pub fn choose(&mut self, folder: &str, slug: &str, extension: &str) -> String {
        let stem = stem_of(slug);
        slug::candidates(stem)
            .map(|stem| format!("{folder}/{stem}.{extension}"))
            .find(|path| self.take(path))
            .unwrap_or_default()
    }
}

/// `slug` as the name of a file.
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
    stem.truncate(STEM_BYTES_MAX);
    // A name that begins with a date would give the post that date.
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
        let mut names = Names::default();
        slugs
            .iter()
            .map(|slug| names.choose("posts", slug, "md"))
            .collect()
    }

    #[test]
    fn a_plain_slug_is_the_name() {
        assert_eq!(
            names(&["night-ferry", "a_b"]),
            ["posts/night-ferry.md", "posts/a_b.md"]
        );
    }

    #[test]
    fn slugs_that_differ_in_case_alone_get_names_that_differ() {
        assert_eq!(
            names(&["ferry", "Ferry", "FERRY"]),
            ["posts/ferry.md", "posts/ferry-2.md", "posts/ferry-3.md"]
        );
    }

    #[test]
    fn what_means_something_else_as_a_name_is_told_apart() {
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
    fn odd_and_long_slugs_become_names_that_every_system_takes() {
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
