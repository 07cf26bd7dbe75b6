//! What a generator means by a value, where generators differ.

/// How a text without a list says tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StringTags {
    /// It is one tag: `sea and quay`.
    One,
    /// There are blanks between them, unless there are commas: `sea quay`. Under a key in the singular it is one tag.
    Spaces,
    /// There are commas between them: `sea, quay`.
    Commas,
    /// Both are between them.
    CommasOrSpaces,
}

/// What `aliases` are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Aliases {
    /// Old addresses, from the top of the site.
    OfSite,
    /// Old addresses. One without a slash in front is relative to the section that the text lies in, below this folder.
    OfSection(&'static str),
    /// Other names of the text, which are no addresses.
    Names,
}

/// What a generator means by a value, where generators differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReadingRules {
    /// How a text says tags that stands in the place of a list.
    pub string_tags: StringTags,
    /// Tags that put a text into a collection of the generator, in small letters. Readers do not see them.
    pub ignored_tags: &'static [&'static str],
    /// Whether a `#` in front of a tag is a way to write it, and not a part of it.
    pub has_hash_tags: bool,
    /// What `aliases` are.
    pub aliases: Aliases,
}

impl ReadingRules {
    /// Galley's own, and those of a folder that is no particular generator's.
    pub const GALLEY: Self = Self {
        string_tags: StringTags::Commas,
        ignored_tags: &[],
        has_hash_tags: false,
        aliases: Aliases::OfSite,
    };
    /// Those of Hugo.
    pub const HUGO: Self = Self {
        string_tags: StringTags::One,
        aliases: Aliases::OfSection("content"),
        ..Self::GALLEY
    };
    /// Those of Zola.
    pub const ZOLA: Self = Self {
        string_tags: StringTags::One,
        ..Self::GALLEY
    };
    /// Those of Jekyll.
    pub const JEKYLL: Self = Self {
        string_tags: StringTags::Spaces,
        ..Self::GALLEY
    };
    /// Those of Eleventy, with the collections of its starters.
    pub const ELEVENTY: Self = Self {
        string_tags: StringTags::One,
        ignored_tags: &["all", "nav", "page", "pages", "post", "posts"],
        ..Self::GALLEY
    };
    /// Those of Astro, Next and Docusaurus, where tags are lists.
    pub const LISTS: Self = Self::GALLEY;
    /// Those of Obsidian.
    pub const OBSIDIAN: Self = Self {
        string_tags: StringTags::CommasOrSpaces,
        has_hash_tags: true,
        aliases: Aliases::Names,
        ..Self::GALLEY
    };

    /// The tags that a text says under the key `key`.
    pub fn tags_in<'t>(&self, text: &'t str, key: &str) -> Vec<&'t str> {
        let spaced = || text.split_whitespace().collect();
        let parted = || text.split(',').collect();
        match self.string_tags {
            StringTags::One => vec![text],
            StringTags::Commas => parted(),
            StringTags::Spaces if text.contains(',') => parted(),
            StringTags::Spaces if !key.ends_with('s') => vec![text],
            StringTags::Spaces => spaced(),
            StringTags::CommasOrSpaces => {
                let parts = text.split(|letter: char| letter == ',' || letter.is_whitespace());
                parts.collect()
            }
        }
    }

    /// The name of a tag as it is written, or none if readers do not see it.
    pub fn tag<'t>(&self, written: &'t str) -> Option<&'t str> {
        let name = written.trim();
        let name = match self.has_hash_tags {
            true => name.trim_start_matches('#'),
            false => name,
        };
        let is_ignored = self
            .ignored_tags
            .iter()
            .any(|ignored| ignored.eq_ignore_ascii_case(name));
        (!name.is_empty() && !is_ignored).then_some(name)
    }
}

impl Default for ReadingRules {
    fn default() -> Self {
        Self::GALLEY
    }
}
