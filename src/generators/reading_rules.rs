//! Rules for values whose meaning differs between generators.

/// The meaning of a string where a list of tags is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StringTags {
    /// A single tag: `sea and quay`.
    One,
    /// Tags separated by commas if there are any, else by whitespace: `sea quay`. Under a singular key, a string without
    /// commas is one tag.
    Spaces,
    /// Tags separated by commas: `sea, quay`.
    Commas,
    /// Tags separated by commas or whitespace.
    CommasOrSpaces,
}

/// The meaning of `aliases`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Aliases {
    /// Former URLs, relative to the root of the site.
    OfSite,
    /// Former URLs. One without a leading slash is relative to the section of the document, below this folder.
    OfSection(&'static str),
    /// Other names of the document, which are not URLs.
    Names,
}

/// The lines `Key: value` at the beginning of a file, without a fence, that are its front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MetadataLines {
    /// None.
    None,
    /// Lines with a title and another usual key. Other lines may be text.
    Titled,
    /// All lines.
    Any,
}

/// A generator's rules for values whose meaning differs between generators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReadingRules {
    /// The meaning of a string where a list of tags is expected.
    pub string_tags: StringTags,
    /// Tags that assign a document to a collection of the generator, in lower case. They are not public.
    pub ignored_tags: &'static [&'static str],
    /// Whether a leading `#` of a tag is notation rather than part of its name.
    pub has_hash_tags: bool,
    /// The meaning of `aliases`.
    pub aliases: Aliases,
    /// The lines `Key: value` at the beginning of a file, without a fence, that are its front matter.
    pub metadata_lines: MetadataLines,
}

impl ReadingRules {
    /// Galley's own rules.
    pub const GALLEY: Self = Self {
        string_tags: StringTags::Commas,
        ignored_tags: &[],
        has_hash_tags: false,
        aliases: Aliases::OfSite,
        metadata_lines: MetadataLines::None,
    };
    /// The rules of MkDocs and Pelican.
    pub const METADATA_LINES: Self = Self {
        metadata_lines: MetadataLines::Any,
        ..Self::GALLEY
    };
    /// The rules for folders without a known generator.
    pub const PLAIN: Self = Self {
        metadata_lines: MetadataLines::Titled,
        ..Self::GALLEY
    };
    /// The rules of Hugo.
    pub const HUGO: Self = Self {
        string_tags: StringTags::One,
        aliases: Aliases::OfSection("content"),
        ..Self::GALLEY
    };
    /// The rules of Zola.
    pub const ZOLA: Self = Self {
        string_tags: StringTags::One,
        ..Self::GALLEY
    };
    /// The rules of Jekyll.
    pub const JEKYLL: Self = Self {
        string_tags: StringTags::Spaces,
        ..Self::GALLEY
    };
    /// The rules of Eleventy, with the collections of its starters.
    pub const ELEVENTY: Self = Self {
        string_tags: StringTags::One,
        ignored_tags: &["all", "nav", "page", "pages", "post", "posts"],
        ..Self::GALLEY
    };
    /// The rules of Astro, Next and Docusaurus, where tags are lists.
    pub const LISTS: Self = Self::GALLEY;
    /// The rules of Obsidian.
    pub const OBSIDIAN: Self = Self {
        string_tags: StringTags::CommasOrSpaces,
        has_hash_tags: true,
        aliases: Aliases::Names,
        ..Self::GALLEY
    };

    /// Splits a string under the key `key` into tags.
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
                let parts =
                    text.split(|character: char| character == ',' || character.is_whitespace());
                parts.collect()
            }
        }
    }

    /// Returns the name of a tag, or `None` if it is not public.
    pub fn tag<'t>(&self, written: &'t str) -> Option<&'t str> {
        let name = written.trim();
        let name = if self.has_hash_tags {
            name.trim_start_matches('#')
        } else {
            name
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
