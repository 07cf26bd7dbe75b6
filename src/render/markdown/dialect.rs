//! The dialects of Markdown: what each generator of sites reads beyond CommonMark by default.
//!
//! A dialect is plain data. `docs/markdown.md` has the table for people.

use pulldown_cmark::Options;

use super::heading_rule::HeadingRule;

/// What is read beyond CommonMark, and how headings get their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// How the id of a heading is made of its text.
    pub heading_ids: HeadingRule,
    /// Where attributes like `{.class #id}` are read.
    pub attributes: Attributes,
    /// Which quotes that begin with `[!NOTE]` are alerts.
    pub alerts: Alerts,
    /// Which math is kept as it is written, for the front end.
    pub math: Math,
    /// How quotes and dashes are set.
    pub typography: Typography,
    /// What `~` and `~~` strike out.
    pub strikethrough: Strikethrough,
    /// Which footnotes are read.
    pub footnotes: FootnoteKinds,
    /// Whether there are tables.
    pub tables: bool,
    /// Whether `[x]` begins an item of a task list.
    pub task_lists: bool,
    /// Whether `: text` below a term defines it.
    pub definition_lists: bool,
    /// Whether addresses without any mark become links, by GitHub's rule.
    pub bare_links: BareLinks,
    /// Whether `:name:` becomes an emoji, by GitHub's names.
    pub emoji: bool,
    /// Whether `==text==` is marked.
    pub highlights: bool,
    /// Whether `%%text%%` is left out.
    pub comments: bool,
    /// Whether ` ^name` at the end of a block names it.
    pub block_names: bool,
    /// Whether each line break shows.
    pub line_breaks: bool,
    /// Whether lines of four blanks are code.
    pub indented_code: bool,
    /// Whether there are kramdown's abbreviations (`*[HTML]: …`), extensions (`{::comment}`) and `markdown="1"` in raw HTML.
    pub kramdown: bool,
}

/// Where attributes in braces are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attributes {
    /// Nowhere: braces are text.
    None,
    /// At the end of headings, as pulldown-cmark reads them.
    AnyOfHeadings,
    /// At the end of headings: `{#id .class key=value}`.
    Headings,
    /// goldmark's: at the end of headings, and in a line directly behind another block.
    Blocks,
    /// At the end of headings, only an id: `{#id}`.
    HeadingIds,
    /// kramdown's: `{#id}` at the end of headings; `{: #id .class key="value"}` behind blocks and spans.
    Kramdown,
}

/// Which quotes are alerts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alerts {
    /// None: the mark is text.
    None,
    /// GitHub's five, with nothing else on the line.
    GitHub,
    /// Those of any name, with an optional fold sign and title, as Obsidian has them.
    Titled,
}

/// Which math is kept as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Math {
    /// None: what is in it is read as Markdown.
    None,
    /// `$$…$$`.
    Display,
    /// `$$…$$`, and `$…$` within a block.
    Dollars,
    /// `$$…$$`, written as `\(…\)` within text and as `\[…\]` if it is a block.
    Kramdown,
}

/// How quotes and dashes are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Typography {
    /// As typed.
    AsTyped,
    /// Curly quotes, ellipses; `--` is an en dash, `---` an em dash.
    Smart,
    /// As [`Smart`](Self::Smart), and `<<` and `>>` are guillemets.
    Guillemets,
    /// Curly quotes, ellipses; `--` is an em dash.
    EmDashes,
}

/// What is struck out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strikethrough {
    /// Nothing.
    None,
    /// `~~text~~`.
    Double,
    /// `~text~` and `~~text~~`.
    Any,
}

/// Which addresses without any mark are links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BareLinks {
    /// None.
    None,
    /// GitHub's; `www.` leads to `http://www.`.
    Http,
    /// GitHub's; `www.` leads to `https://www.`.
    Https,
}

/// Which footnotes are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FootnoteKinds {
    /// None.
    None,
    /// `[^name]`.
    Named,
    /// `[^name]` and `^[text]`.
    NamedAndInline,
}

/// The dialects by name.
const BY_NAME: [(&str, Dialect); 10] = [
    ("galley", Dialect::GALLEY),
    ("commonmark", Dialect::COMMONMARK),
    ("github", Dialect::GITHUB),
    ("hugo", Dialect::HUGO),
    ("zola", Dialect::ZOLA),
    ("kramdown", Dialect::KRAMDOWN),
    ("markdown-it", Dialect::MARKDOWN_IT),
    ("remark", Dialect::REMARK),
    ("docusaurus", Dialect::DOCUSAURUS),
    ("obsidian", Dialect::OBSIDIAN),
];

impl Dialect {
    /// Galley's own: CommonMark with tables, strikethrough, task lists, footnotes and attributes of headings.
    pub const GALLEY: Self = Self {
        heading_ids: HeadingRule::Ghost,
        attributes: Attributes::AnyOfHeadings,
        strikethrough: Strikethrough::Any,
        footnotes: FootnoteKinds::Named,
        tables: true,
        task_lists: true,
        ..Self::COMMONMARK
    };

    /// CommonMark alone. Headings have ids all the same.
    pub const COMMONMARK: Self = Self {
        heading_ids: HeadingRule::GitHub,
        attributes: Attributes::None,
        alerts: Alerts::None,
        math: Math::None,
        typography: Typography::AsTyped,
        strikethrough: Strikethrough::None,
        footnotes: FootnoteKinds::None,
        tables: false,
        task_lists: false,
        definition_lists: false,
        bare_links: BareLinks::None,
        emoji: false,
        highlights: false,
        comments: false,
        block_names: false,
        line_breaks: false,
        indented_code: true,
        kramdown: false,
    };

    /// A file as GitHub shows it.
    pub const GITHUB: Self = Self {
        alerts: Alerts::GitHub,
        math: Math::Dollars,
        strikethrough: Strikethrough::Any,
        footnotes: FootnoteKinds::Named,
        tables: true,
        task_lists: true,
        bare_links: BareLinks::Http,
        emoji: true,
        ..Self::COMMONMARK
    };

    /// Hugo.
    pub const HUGO: Self = Self {
        heading_ids: HeadingRule::Hugo,
        attributes: Attributes::Blocks,
        alerts: Alerts::Titled,
        math: Math::Display,
        typography: Typography::Guillemets,
        strikethrough: Strikethrough::Double,
        footnotes: FootnoteKinds::Named,
        tables: true,
        task_lists: true,
        definition_lists: true,
        bare_links: BareLinks::Https,
        ..Self::COMMONMARK
    };

    /// Zola.
    pub const ZOLA: Self = Self {
        heading_ids: HeadingRule::Zola,
        attributes: Attributes::AnyOfHeadings,
        math: Math::Display,
        strikethrough: Strikethrough::Any,
        footnotes: FootnoteKinds::Named,
        tables: true,
        task_lists: true,
        ..Self::COMMONMARK
    };

    /// Jekyll: kramdown with its parser for GitHub's dialect.
    pub const KRAMDOWN: Self = Self {
        heading_ids: HeadingRule::Kramdown,
        attributes: Attributes::Kramdown,
        math: Math::Kramdown,
        typography: Typography::Guillemets,
        strikethrough: Strikethrough::Double,
        footnotes: FootnoteKinds::Named,
        tables: true,
        task_lists: true,
        definition_lists: true,
        kramdown: true,
        ..Self::COMMONMARK
    };

    /// markdown-it as Eleventy sets it up.
    pub const MARKDOWN_IT: Self = Self {
        attributes: Attributes::HeadingIds,
        math: Math::Display,
        strikethrough: Strikethrough::Double,
        // Its parser has none, but who writes them has its plugin; without, what they say would be lost.
        footnotes: FootnoteKinds::Named,
        tables: true,
        indented_code: false,
        ..Self::COMMONMARK
    };

    /// remark as Astro sets it up.
    pub const REMARK: Self = Self {
        attributes: Attributes::HeadingIds,
        math: Math::Display,
        typography: Typography::EmDashes,
        strikethrough: Strikethrough::Any,
        footnotes: FootnoteKinds::Named,
        tables: true,
        task_lists: true,
        bare_links: BareLinks::Http,
        ..Self::COMMONMARK
    };

    /// Docusaurus.
    pub const DOCUSAURUS: Self = Self {
        typography: Typography::AsTyped,
        emoji: true,
        indented_code: false,
        ..Self::REMARK
    };

    /// Obsidian's reading view.
    pub const OBSIDIAN: Self = Self {
        heading_ids: HeadingRule::Obsidian,
        alerts: Alerts::Titled,
        math: Math::Dollars,
        strikethrough: Strikethrough::Double,
        footnotes: FootnoteKinds::NamedAndInline,
        tables: true,
        task_lists: true,
        bare_links: BareLinks::Http,
        highlights: true,
        comments: true,
        block_names: true,
        line_breaks: true,
        ..Self::COMMONMARK
    };

    /// The names that [`by_name`](Self::by_name) knows.
    pub const NAMES: [&str; BY_NAME.len()] = {
        let mut names = [""; BY_NAME.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = BY_NAME[index].0;
            index += 1;
        }
        names
    };

    /// Returns the dialect of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        let found = BY_NAME.iter().find(|(known, _)| *known == name);
        found.map(|(_, dialect)| *dialect)
    }

    /// What of it the parser does.
    pub(super) fn options(self) -> Options {
        let headings = self.attributes == Attributes::AnyOfHeadings;
        let typography = self.typography != Typography::AsTyped;
        let strikethrough = self.strikethrough != Strikethrough::None;
        let footnotes = self.footnotes != FootnoteKinds::None;
        let switches = [
            (Options::ENABLE_TABLES, self.tables),
            (Options::ENABLE_STRIKETHROUGH, strikethrough),
            (Options::ENABLE_TASKLISTS, self.task_lists),
            (Options::ENABLE_FOOTNOTES, footnotes),
            (Options::ENABLE_HEADING_ATTRIBUTES, headings),
            (Options::ENABLE_DEFINITION_LIST, self.definition_lists),
            (Options::ENABLE_SMART_PUNCTUATION, typography),
        ];
        let on = switches.into_iter().filter(|(_, is_on)| *is_on);
        on.map(|(option, _)| option).collect()
    }

    /// Returns the id of a heading that reads `text`, before it is numbered; empty if there is nothing left of it.
    pub fn heading_id(self, text: &str) -> String {
        self.heading_ids.id(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect_has_a_name_of_its_own() {
        for (index, name) in Dialect::NAMES.into_iter().enumerate() {
            assert_eq!(Dialect::by_name(name), Some(BY_NAME[index].1));
            assert!(!Dialect::NAMES[..index].contains(&name));
        }
        assert_eq!(Dialect::by_name("hugo"), Some(Dialect::HUGO));
        assert_eq!(Dialect::by_name("GitHub"), None);
    }
}
