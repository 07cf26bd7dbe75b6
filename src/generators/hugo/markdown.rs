//! The dialect of Markdown that a Hugo project configures below `markup.goldmark`.

use crate::{
    content_text::document::{Kind, Table, Value},
    generators::settings::literals::{inner, text_at, truth_at, value_at},
    render::markdown::{
        Attributes, BareLinks, Dialect, FootnoteKinds, HeadingRule, Math, MathBlocks, Quotes,
        Strikethrough, Typography,
    },
};

/// Returns the dialect of a project with this configuration.
pub(super) fn dialect(table: &Table) -> Dialect {
    let own = Dialect::HUGO;
    let mut dialect = Dialect {
        emoji: truth_at(table, "enableEmoji") == Some(true),
        ..own
    };
    let Some(goldmark) = inner(table, "markup").and_then(|markup| inner(markup, "goldmark")) else {
        return dialect;
    };
    dialect.line_breaks = truth_at(goldmark, "renderer.hardWraps") == Some(true);
    match text_at(goldmark, "parser.autoHeadingIDType") {
        Some("github-ascii") => dialect.heading_ids = HeadingRule::HugoAscii,
        Some("blackfriday") => dialect.heading_ids = HeadingRule::Blackfriday,
        _ => {}
    }
    if truth_at(goldmark, "parser.attribute.title") == Some(false) {
        dialect.attributes = Attributes::None;
    }
    if let Some(extensions) = inner(goldmark, "extensions") {
        dialect.set_extensions(extensions);
    }
    dialect
}

impl Dialect {
    fn set_extensions(&mut self, extensions: &Table) {
        let is_off = |name: &str| is_on(extensions, name) == Some(false);
        if is_off("definitionList") {
            self.definition_lists = false;
        }
        if is_off("footnote") {
            self.footnotes = FootnoteKinds::None;
        }
        if is_off("linkify") {
            self.bare_links = BareLinks::None;
        }
        // Hugo has two extensions for strikethrough, of which `extras.delete` is off by default.
        if is_off("strikethrough") && is_on(extensions, "extras.delete") != Some(true) {
            self.strikethrough = Strikethrough::None;
        }
        if is_off("table") {
            self.tables = false;
        }
        if is_off("taskList") {
            self.task_lists = false;
        }
        if is_on(extensions, "extras.mark") == Some(true) {
            self.highlights = true;
        }
        if is_on(extensions, "passthrough") == Some(true) {
            self.math = passthrough(extensions);
        }
        self.typography = typography(extensions);
    }
}

/// Returns whether an extension is enabled, by a Boolean or by `enable` or `disable` in its table; `None` if the
/// configuration does not say.
fn is_on(extensions: &Table, name: &str) -> Option<bool> {
    let enabled =
        truth_at(extensions, name).or_else(|| truth_at(extensions, &format!("{name}.enable")));
    let disabled = || truth_at(extensions, &format!("{name}.disable"));
    enabled.or_else(|| disabled().map(|is_off| !is_off))
}

/// Returns the formula syntax that the delimiters of the passthrough extension select. Other delimiters are ignored.
fn passthrough(extensions: &Table) -> Math {
    let list = |value: &Value| match &value.value {
        Kind::List(list) => list.clone(),
        _ => Vec::new(),
    };
    let begins_with = |kind: &str, mark: &str| {
        let pairs = value_at(extensions, &format!("passthrough.delimiters.{kind}"));
        let mut pairs = pairs.map(list).into_iter().flatten();
        pairs.any(|pair| {
            let first = list(&pair).into_iter().next();
            first.is_some_and(|first| first.value == Kind::Text(mark.to_owned()))
        })
    };
    Math {
        double_dollars: begins_with("block", "$$"),
        dollars: begins_with("inline", "$"),
        brackets: begins_with("block", "\\["),
        parentheses: begins_with("inline", "\\("),
        // In Hugo, the delimiters make a formula a block, also within a line.
        blocks: MathBlocks::Anywhere,
    }
}

/// Returns the conversion of quotes and dashes. If a configured mark has several characters, its first character other than
/// a space is used.
fn typography(extensions: &Table) -> Typography {
    if is_on(extensions, "typographer") == Some(false) {
        return Typography::AS_TYPED;
    }
    let mark = |name: &str, own: char| {
        let written = text_at(extensions, &format!("typographer.{name}"))?;
        let written = htmlize::unescape(written);
        Some(written.trim().chars().next().unwrap_or(own))
    };
    let english = Quotes::ENGLISH;
    let with_own = |name, own| mark(name, own).unwrap_or(own);
    let quotes = Quotes {
        single: [
            with_own("leftSingleQuote", english.single[0]),
            with_own("rightSingleQuote", english.single[1]),
        ],
        double: [
            with_own("leftDoubleQuote", english.double[0]),
            with_own("rightDoubleQuote", english.double[1]),
        ],
    };
    Typography {
        quotes: Some(quotes),
        ..Dialect::HUGO.typography
    }
}
