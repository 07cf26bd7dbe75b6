//! Markdown dialects: the syntax beyond CommonMark that each site generator supports by default.
//!
//! A dialect is plain data. `docs/markdown.md` contains a table of all dialects.

use pulldown_cmark::Options;

use super::heading_rule::HeadingRule;
use super::math::Math;
use super::typography::Typography;

/// The syntax beyond CommonMark, and the rule for heading ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dialect {
    /// The derivation of heading ids.
    pub heading_ids: HeadingRule,
    /// The support of attributes such as `{.class #id}`.
    pub attributes: Attributes,
    /// Which quotes that begin with `[!NOTE]` are alerts.
    pub alerts: Alerts,
    /// Which formulas are preserved for the front end.
    pub math: Math,
    /// The conversion of quotes, dashes and dots.
    pub typography: Typography,
    /// The meaning of `~` and `~~`.
    pub strikethrough: Strikethrough,
    /// Which footnotes are supported.
    pub footnotes: FootnoteKinds,
    /// True if tables are supported.
    pub tables: bool,
    /// True if `[x]` begins an item of a task list.
    pub task_lists: bool,
    /// True if `: text` below a term defines it.
    pub definition_lists: bool,
    /// Which bare URLs become links.
    pub bare_links: BareLinks,
    /// True if `:name:` becomes an emoji, with the names of GitHub.
    pub emoji: bool,
    /// True if emoticons such as `:)` become emoji, with the list of markdown-it-emoji.
    pub emoticons: bool,
    /// True if `==text==` is highlighted.
    pub highlights: bool,
    /// True if `%%text%%` is a comment.
    pub comments: bool,
    /// True if ` ^name` at the end of a block gives it a name.
    pub block_names: bool,
    /// True if each line break is preserved.
    pub line_breaks: bool,
    /// The rules of emphasis, of paragraphs in list items, and of the ends of quotes.
    pub family: Family,
    /// True if lines indented by four spaces are code.
    pub indented_code: bool,
    /// True if kramdown's abbreviations (`*[HTML]: …`), extensions (`{::comment}`) and
    /// `markdown="1"` in raw HTML are supported.
    pub kramdown: bool,
    /// True if the content of block elements in raw HTML is Markdown even without `markdown="1"`.
    pub markdown_in_html: bool,
    /// The attributes of links to other sites.
    pub external_links: ExternalLinks,
}

/// The attributes that are added to links to other sites, which are those with `http:` or `https:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ExternalLinks {
    /// True for `target="_blank"`, with `noopener` in `rel`.
    pub new_tab: bool,
    /// True for `nofollow` in `rel`.
    pub no_follow: bool,
    /// True for `noreferrer` in `rel`.
    pub no_referrer: bool,
}

impl ExternalLinks {
    /// No attributes.
    pub const NONE: Self = Self {
        new_tab: false,
        no_follow: false,
        no_referrer: false,
    };
}

/// A family of parsers with the same rules for emphasis, paragraphs in list items, and the ends of
/// quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// CommonMark's.
    CommonMark,
    /// kramdown. Asterisks emphasise text if no white space separates them from it, regardless of
    /// what surrounds them.
    Kramdown,
    /// Python-Markdown, with the same rule for asterisks.
    Python,
}

/// The positions at which attribute lists are supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attributes {
    /// Nowhere: braces are text.
    None,
    /// At the end of headings, as in pulldown-cmark.
    AnyOfHeadings,
    /// goldmark's: `{#id .class key=value}` at the end of headings, and in a line directly after
    /// another block.
    Blocks,
    /// At the end of headings, ids only: `{#id}`.
    HeadingIds,
    /// kramdown's: `{#id}` at the end of headings; `{: #id .class key="value"}` after blocks and
    /// spans.
    Kramdown,
}

/// The quotes that are alerts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alerts {
    /// None: the marker is text.
    None,
    /// GitHub's five, with nothing else on the line.
    GitHub,
    /// Alerts of any name, with an optional fold sign and title, as in Obsidian.
    Titled,
}

/// The syntax of strikethrough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strikethrough {
    /// None.
    None,
    /// `~~text~~`.
    Double,
    /// `~text~` and `~~text~~`.
    Any,
}

/// The bare URLs that become links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BareLinks {
    /// None.
    None,
    /// GitHub's; `www.` means `http://www.`.
    Http,
    /// goldmark's. The host must contain a dot before a letter, and `www.` means `https://www.`.
    Goldmark,
    /// markdown-it's: includes hosts without a scheme whose last label is a known domain, as
    /// `http://` URLs.
    MarkdownIt,
    /// URLs with a scheme, and mail addresses, which is VitePress' setting of markdown-it.
    WithScheme,
}

/// The footnotes that are supported.
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
const BY_NAME: [(&str, Dialect); 13] = [
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
    ("python-markdown", Dialect::PYTHON_MARKDOWN),
    ("vue", Dialect::VUE),
    ("marked", Dialect::MARKED),
];

impl Dialect {
    /// Galley's dialect: CommonMark with tables, strikethrough, task lists, footnotes and heading
    /// attributes.
    pub const GALLEY: Self = Self {
        heading_ids: HeadingRule::Ghost,
        attributes: Attributes::AnyOfHeadings,
        strikethrough: Strikethrough::Any,
        footnotes: FootnoteKinds::Named,
        tables: true,
        task_lists: true,
        ..Self::COMMONMARK
    };

    /// Plain CommonMark, with heading ids.
    pub const COMMONMARK: Self = Self {
        heading_ids: HeadingRule::GitHub,
        attributes: Attributes::None,
        alerts: Alerts::None,
        math: Math::NONE,
        typography: Typography::AS_TYPED,
        strikethrough: Strikethrough::None,
        footnotes: FootnoteKinds::None,
        tables: false,
        task_lists: false,
        definition_lists: false,
        bare_links: BareLinks::None,
        emoji: false,
        emoticons: false,
        highlights: false,
        comments: false,
        block_names: false,
        line_breaks: false,
        family: Family::CommonMark,
        indented_code: true,
        kramdown: false,
        markdown_in_html: false,
        external_links: ExternalLinks::NONE,
    };

    /// Markdown files as GitHub renders them.
    pub const GITHUB: Self = Self {
        alerts: Alerts::GitHub,
        math: Math::DOLLARS,
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
        typography: Typography::GUILLEMETS,
        strikethrough: Strikethrough::Double,
        footnotes: FootnoteKinds::Named,
        tables: true,
        task_lists: true,
        definition_lists: true,
        bare_links: BareLinks::Goldmark,
        ..Self::COMMONMARK
    };

    /// Zola.
    pub const ZOLA: Self = Self {
        heading_ids: HeadingRule::Zola,
        attributes: Attributes::AnyOfHeadings,
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
        math: Math::KRAMDOWN,
        typography: Typography::GUILLEMETS,
        strikethrough: Strikethrough::Double,
        footnotes: FootnoteKinds::Named,
        tables: true,
        task_lists: true,
        definition_lists: true,
        family: Family::Kramdown,
        kramdown: true,
        ..Self::COMMONMARK
    };

    /// markdown-it as configured by Eleventy.
    pub const MARKDOWN_IT: Self = Self {
        attributes: Attributes::HeadingIds,
        strikethrough: Strikethrough::Double,
        // Not built in, but files that contain footnotes are written for its plugin. Without
        // support, their text would be lost.
        footnotes: FootnoteKinds::Named,
        tables: true,
        indented_code: false,
        ..Self::COMMONMARK
    };

    /// remark as configured by Astro.
    pub const REMARK: Self = Self {
        attributes: Attributes::HeadingIds,
        // Astro's default: `quotes and dashes in remark` in tests/it/render/dialects.jsonl.
        typography: Typography::EM_DASHES,
        strikethrough: Strikethrough::Any,
        footnotes: FootnoteKinds::Named,
        tables: true,
        task_lists: true,
        bare_links: BareLinks::Http,
        ..Self::COMMONMARK
    };

    /// Docusaurus.
    pub const DOCUSAURUS: Self = Self {
        typography: Typography::AS_TYPED,
        emoji: true,
        indented_code: false,
        ..Self::REMARK
    };

    /// Obsidian's reading view.
    pub const OBSIDIAN: Self = Self {
        heading_ids: HeadingRule::Obsidian,
        alerts: Alerts::Titled,
        math: Math::MARKDOWN_IT,
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

    /// Python-Markdown with the extensions that Material for MkDocs recommends.
    pub const PYTHON_MARKDOWN: Self = Self {
        heading_ids: HeadingRule::Python,
        math: Math::ARITHMATEX,
        typography: Typography::AS_TYPED,
        emoji: true,
        family: Family::Python,
        ..Self::KRAMDOWN
    };

    /// markdown-it as configured by VitePress and VuePress.
    pub const VUE: Self = Self {
        heading_ids: HeadingRule::Vue,
        alerts: Alerts::GitHub,
        emoji: true,
        emoticons: true,
        bare_links: BareLinks::WithScheme,
        indented_code: true,
        ..Self::MARKDOWN_IT
    };

    /// marked as configured by Hexo.
    pub const MARKED: Self = Self {
        heading_ids: HeadingRule::Hexo,
        typography: Typography::SMART,
        strikethrough: Strikethrough::Any,
        // Supported by a plugin, as in Eleventy.
        footnotes: FootnoteKinds::Named,
        tables: true,
        task_lists: true,
        definition_lists: true,
        bare_links: BareLinks::Http,
        line_breaks: true,
        ..Self::COMMONMARK
    };

    /// The names that [`by_name`](Self::by_name) accepts.
    pub const NAMES: [&str; BY_NAME.len()] = {
        let mut names = [""; BY_NAME.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = BY_NAME[index].0;
            index += 1;
        }
        names
    };

    /// Returns the dialect with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        let dialect = BY_NAME.iter().find(|(known, _)| *known == name);
        dialect.map(|(_, dialect)| *dialect)
    }

    /// Returns the options of the parser.
    pub(super) fn options(self) -> Options {
        let headings = self.attributes == Attributes::AnyOfHeadings;
        let typography = self.typography.is_parsed();
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

    /// Returns the id of a heading with this text, before it is numbered; empty if no character
    /// remains.
    pub fn heading_id(self, text: &str) -> String {
        self.heading_ids.id(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect_has_a_unique_name() {
        for (index, name) in Dialect::NAMES.into_iter().enumerate() {
            assert_eq!(Dialect::by_name(name), Some(BY_NAME[index].1));
            assert!(!Dialect::NAMES[..index].contains(&name));
        }
        assert_eq!(Dialect::by_name("hugo"), Some(Dialect::HUGO));
        assert_eq!(Dialect::by_name("GitHub"), None);
    }
}
