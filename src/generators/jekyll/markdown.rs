//! The dialect of Markdown that a Jekyll project configures.

use crate::{
    content_text::document::{Kind, Table},
    generators::settings::literals::{inner, text, text_at, texts, truth_at, value_at},
    render::markdown::{
        Alerts, BareLinks, Dialect, FootnoteKinds, HeadingRule, Math, Quotes, Strikethrough,
        Typography,
    },
};

/// Returns the dialect of a project with these settings.
pub(super) fn dialect(table: &Table) -> Dialect {
    let processor = text(table, "markdown").unwrap_or_default().to_lowercase();
    let mut dialect = if processor.starts_with("commonmark") || processor == "gfm" {
        commonmark(table)
    } else {
        kramdown(table)
    };
    let mut plugins = texts(table, "plugins");
    // `gems` is the former name of `plugins`.
    plugins.extend(texts(table, "gems"));
    if plugins.iter().any(|plugin| plugin == "jemoji") {
        dialect.emoji = true;
    }
    dialect
}

/// Returns the dialect of kramdown with the options of the project.
fn kramdown(table: &Table) -> Dialect {
    let mut dialect = Dialect::KRAMDOWN;
    let Some(options) = inner(table, "kramdown") else {
        return dialect;
    };
    let is_set = |key: &str| truth_at(options, key) == Some(true);
    let is_own = |input: &str| input.eq_ignore_ascii_case("kramdown");
    // The default input in Jekyll is GFM, which adds to kramdown what is removed here.
    if text_at(options, "input").is_some_and(is_own) {
        dialect.heading_ids = HeadingRule::KramdownOwn;
        dialect.strikethrough = Strikethrough::None;
        dialect.task_lists = false;
    }
    dialect.line_breaks = is_set("hard_wrap");
    dialect.markdown_in_html = is_set("parse_block_html");
    dialect.emoji = is_set("gfm_emojis");
    let engine = value_at(options, "math_engine").map(|value| &value.value);
    // A missing key means MathJax, and only an explicit null disables formulas.
    if matches!(engine, Some(Kind::Nothing)) {
        dialect.math = Math::NONE;
    }
    if let Some(quotes) = text_at(options, "smart_quotes").map(quotes) {
        dialect.typography = Typography {
            quotes,
            ..dialect.typography
        };
    }
    dialect
}

/// Returns the quotation marks of kramdown's `smart_quotes`: four entity names, code points or characters, separated by
/// commas. Returns `None` for straight quotation marks, which leave the text unchanged.
fn quotes(written: &str) -> Option<Quotes> {
    let marks = written.split(',').map(|mark| character(mark.trim()));
    let marks: Vec<char> = marks.collect::<Option<_>>()?;
    let [left_single, right_single, left_double, right_double] = marks.try_into().ok()?;
    let is_straight = left_single == '\'' && left_double == '"';
    (!is_straight).then_some(Quotes {
        single: [left_single, right_single],
        double: [left_double, right_double],
    })
}

fn character(written: &str) -> Option<char> {
    if let Ok(number) = written.parse::<u32>() {
        return char::from_u32(number);
    }
    let entity = format!("&{written};");
    let decoded = htmlize::unescape(entity.as_str());
    let known = if *decoded == *entity {
        written
    } else {
        &*decoded
    };
    let mut characters = known.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// Returns the dialect of the CommonMark plugins, with `commonmark.options` and `commonmark.extensions`.
fn commonmark(table: &Table) -> Dialect {
    let options = inner(table, "commonmark");
    let lists = |key: &str| {
        options
            .map(|options| texts(options, key))
            .unwrap_or_default()
    };
    let (options, extensions) = (lists("options"), lists("extensions"));
    let has =
        |list: &[String], name: &str| list.iter().any(|known| known.eq_ignore_ascii_case(name));
    // The plugin of GitHub Pages enables all extensions unless some are listed.
    let extends = |name: &str| extensions.is_empty() || has(&extensions, name);
    Dialect {
        alerts: Alerts::None,
        emoji: false,
        math: Math::NONE,
        tables: extends("table"),
        task_lists: extends("tasklist"),
        strikethrough: if extends("strikethrough") {
            Strikethrough::Any
        } else {
            Strikethrough::None
        },
        bare_links: if extends("autolink") {
            BareLinks::Http
        } else {
            BareLinks::None
        },
        footnotes: if has(&options, "FOOTNOTES") {
            FootnoteKinds::Named
        } else {
            FootnoteKinds::None
        },
        line_breaks: has(&options, "HARDBREAKS"),
        typography: if has(&options, "SMART") {
            Typography::SMART
        } else {
            Typography::AS_TYPED
        },
        ..Dialect::GITHUB
    }
}
