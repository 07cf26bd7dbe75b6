//! The rules about the text of templates, style sheets and scripts, in any folder of a theme (Ghost 6.65).

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::{
    Level, Theme,
    card_classes::CardClasses,
    encoding::decoded,
    rules::{Positions, Rules},
};

/// Maximum total size of the templates, style sheets and scripts that are read, in bytes.
const BYTES_MAX: u64 = 32 << 20;

/// The types of files that a rule applies to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Files {
    Templates,
    StyleSheets,
    TemplatesAndScripts,
}

/// A rule that is violated by text that matches an expression.
struct TextRule {
    code: &'static str,
    level: Level,
    files: Files,
    /// The regular expression.
    expression: &'static str,
    /// The description of a match in messages.
    found: &'static str,
    /// The advice.
    details: &'static str,
}

/// The rules for every theme.
const RULES: &[TextRule] = &[
    TextRule {
        code: "GS001-DEPR-MD",
        level: Level::Error,
        files: Files::Templates,
        expression: r#"(?i)<meta name=["']description["'] content=["']\{\{meta_description\}\}["']"#,
        found: "<meta name=\"description\">",
        details: "{{ghost_head}} writes it.",
    },
    TextRule {
        code: "GS001-DEPR-C0H",
        level: Level::Error,
        files: Files::Templates,
        expression: r#"\{\{\s*content words=["']0["']\s*\}\}"#,
        found: "{{content words=\"0\"}}",
        details: "Write {{img_url feature_image}} for the image of a post.",
    },
    TextRule {
        code: "GS001-DEPR-CSS-AT",
        level: Level::Error,
        files: Files::StyleSheets,
        expression: r"\.archive-template[\s{]",
        found: ".archive-template",
        details: "Pages after the first have the class .paged.",
    },
    TextRule {
        code: "GS001-DEPR-CSS-PATS",
        level: Level::Error,
        files: Files::StyleSheets,
        expression: r"\.page-template-\w+[\s{]",
        found: ".page-template-…",
        details: "Pages have the class .page-SLUG.",
    },
    TextRule {
        code: "GS001-DEPR-CSS-KGMD",
        level: Level::Warning,
        files: Files::StyleSheets,
        expression: r"\.kg-card-markdown",
        found: ".kg-card-markdown",
        details: "Markdown cards have no wrapper element.",
    },
    TextRule {
        code: "GS001-DEPR-EACH",
        level: Level::Warning,
        files: Files::Templates,
        expression: r"\{\{\s*#each\s*",
        found: "{{#each}}",
        details: "Write {{#foreach}}, which has @first and @last and considers visibility.",
    },
    TextRule {
        code: "GS001-DEPR-USER-GET",
        level: Level::Error,
        files: Files::Templates,
        expression: r#"\{\{\s*#get ["']\s*users["']\s*"#,
        found: "{{#get \"users\"}}",
        details: "Write {{#get \"authors\"}}.",
    },
    TextRule {
        code: "GS001-DEPR-AUTH-INCL",
        level: Level::Error,
        files: Files::Templates,
        expression: r#"\{\{\s*#get.+include=["']\s*([\w\[\]]+,\s*)*\s*author\s*(\s*,\s?[\w\[\]]+)*\s*["'].*\}\}"#,
        found: "include=\"author\"",
        details: "Write include=\"authors\".",
    },
    TextRule {
        code: "GS001-DEPR-AUTH-FIELD",
        level: Level::Error,
        files: Files::Templates,
        expression: r#"\{\{\s*#get.+fields=["']\s*([\w\[\]]+,\s*)*\s*author\s*(\s*,\s?[\w\[\]]+)*\s*["'].*\}\}"#,
        found: "fields=\"author\"",
        details: "Write include=\"authors\", and {{primary_author}} in the block.",
    },
    TextRule {
        code: "GS001-DEPR-AUTH-FILT",
        level: Level::Error,
        files: Files::Templates,
        expression: r#"\{\{\s*#get.+filter=["']\s*([\w\[\]]+,\s*)*\s*author:.*["'].*\}\}"#,
        found: "filter=\"author:…\"",
        details: "Write filter=\"authors:…\".",
    },
    TextRule {
        code: "GS001-DEPR-IUA",
        level: Level::Error,
        files: Files::Templates,
        expression: r"\{\{\s*img_url\s*author..*\}\}",
        found: "{{img_url author.…}}",
        details: "Write {{img_url primary_author.…}}.",
    },
    TextRule {
        code: "GS001-DEPR-TWITTER-URL",
        level: Level::Warning,
        files: Files::Templates,
        expression: r"\{\{\s*twitter_url(\s+[^}]*)?\s*\}\}",
        found: "{{twitter_url}}",
        details: "Write {{social_url type=\"twitter\"}}.",
    },
    TextRule {
        code: "GS001-DEPR-FACEBOOK-URL",
        level: Level::Warning,
        files: Files::Templates,
        expression: r"\{\{\s*facebook_url(\s+[^}]*)?\s*\}\}",
        found: "{{facebook_url}}",
        details: "Write {{social_url type=\"facebook\"}}.",
    },
    TextRule {
        code: "GS001-DEPR-AMP-TEMPLATE",
        level: Level::Warning,
        files: Files::Templates,
        expression: r"(?i)<html\s+(?:amp|⚡)(?:\s|>)|<html\s+[^>]*\s(?:amp|⚡)(?:\s|>)",
        found: "<html amp>",
        details: "Ghost 6 serves no AMP pages: remove the template.",
    },
    TextRule {
        code: "GS060-JS-GUA",
        level: Level::Error,
        files: Files::TemplatesAndScripts,
        expression: r"ghost\.url\.api",
        found: "ghost.url.api",
        details: "Ghost has removed it: use the Content API, for example with @tryghost/content-api.",
    },
    TextRule {
        code: "GS080-NO-EMPTY-TRANSLATIONS",
        level: Level::Error,
        files: Files::Templates,
        expression: r#"\{\{\s*t\s*(?:"\s*"?|'\s*'?|“\s*“?|”\s*”?)?\s*\}\}"#,
        found: "{{t}} without a text",
        details: "Name the text to translate, or remove it.",
    },
];

/// The rules for a theme whose package specifies the engine `"ghost-api": "v3"`.
const RULES_OF_V3: &[TextRule] = &[
    TextRule {
        code: "GS080-FEACH-POSTS",
        level: Level::Warning,
        files: Files::Templates,
        expression: r"\{\{\s*#foreach\s*\w*\s*\}\}",
        found: "{{#foreach}}",
        details: "Since Ghost 4, it shows all posts, not only public ones.",
    },
    TextRule {
        code: "GS080-CARD-LAST4",
        level: Level::Warning,
        files: Files::Templates,
        expression: r"default_payment_card_last4",
        found: "default_payment_card_last4",
        details: "Since Ghost 4, it is **** if it is unknown.",
    },
    TextRule {
        code: "GS080-FEACH-PV",
        level: Level::Recommendation,
        files: Files::Templates,
        expression: r#"\{\{\s*#foreach\b[\w\s='"]*visibility=["']all["'][\w\s='"]*\}\}"#,
        found: "{{#foreach visibility=\"all\"}}",
        details: "It shows all posts by default.",
    },
];

/// A rule with its compiled expression.
type CompiledRule = (&'static TextRule, Regex);

static COMPILED: LazyLock<[Vec<CompiledRule>; 2]> =
    LazyLock::new(|| [RULES, RULES_OF_V3].map(compiled));

fn compiled(rules: &'static [TextRule]) -> Vec<CompiledRule> {
    let compile = |rule: &'static TextRule| {
        let expression = Regex::new(rule.expression);
        // Invariant: the expressions are constants, and a test compiles them.
        (rule, expression.expect("the expression of a rule compiles"))
    };
    rules.iter().map(compile).collect()
}

/// Checks the files of a theme with these paths and this package.
pub fn check<'p>(
    rules: &mut Rules,
    theme: &Theme,
    paths: impl Iterator<Item = &'p String>,
    package: &Value,
) {
    let is_of_v3 = package.pointer("/engines/ghost-api") == Some(&Value::from("v3"));
    let [always, of_v3] = &*COMPILED;
    let more: &[CompiledRule] = if is_of_v3 { of_v3 } else { &[] };
    let mut texts = Texts {
        positions: always
            .iter()
            .chain(more)
            .map(|rule| (rule, Vec::new()))
            .collect(),
        assets: Vec::new(),
        classes: CardClasses::default(),
        has_fonts: false,
    };
    let mut bytes_left = BYTES_MAX;
    for path in paths.filter(|path| kind_of(path).is_some()) {
        // A file that exceeds the rest of the limit is skipped; smaller ones after it are still
        // checked.
        if let Some(bytes) = theme.read(path, bytes_left) {
            bytes_left -= bytes.len() as u64;
            texts.read(path, &decoded(bytes));
        }
    }
    texts.report(rules, package);
}

/// Returns the extension of a file that rules apply to.
fn kind_of(path: &str) -> Option<&str> {
    let (_, extension) = path.rsplit_once('.')?;
    matches!(extension, "hbs" | "css" | "js").then_some(extension)
}

/// The matches in the files of a theme.
struct Texts<'r> {
    positions: Vec<(&'r CompiledRule, Positions)>,
    /// The URLs of assets written without `{{asset}}`.
    assets: Positions,
    classes: CardClasses,
    /// Whether a file refers to the fonts that a site chooses.
    has_fonts: bool,
}

impl Texts<'_> {
    fn read(&mut self, path: &str, text: &str) {
        let kind = kind_of(path);
        for ((rule, expression), positions) in &mut self.positions {
            let is_read = match rule.files {
                Files::Templates => kind == Some("hbs"),
                Files::StyleSheets => kind == Some("css"),
                Files::TemplatesAndScripts => matches!(kind, Some("hbs" | "js")),
            };
            // Only the first match of each file is reported.
            if is_read && let Some(found) = expression.find(text) {
                let line = line_at(text, found.start());
                let message = format!("line {line}: {}.", rule.found);
                positions.push((path.to_owned(), Some(message)));
            }
        }
        if kind == Some("hbs") {
            let assets = written_assets(text).map(|(offset, url)| {
                let message = format!("line {}: {url}.", line_at(text, offset));
                (path.to_owned(), Some(message))
            });
            self.assets.extend(assets);
        }
        // Classes may also be in `<style>` elements of templates.
        if kind != Some("js") {
            self.classes.read(text);
            self.has_fonts |= text.contains("--gh-font-heading") && text.contains("--gh-font-body");
        }
    }

    fn report(self, rules: &mut Rules, package: &Value) {
        for ((rule, _), positions) in self.positions {
            let broken = format!("Themes should not use {}", rule.found);
            rules.report_where(rule.code, rule.level, &broken, rule.details, positions);
        }
        rules.report_where(
            "GS030-ASSET-REQ",
            Level::Warning,
            "Templates should refer to assets with {{asset}}",
            "Its URLs change with the files, so browsers load changed files.",
            self.assets,
        );
        self.classes.check(rules, package);
        let fonts = (!self.has_fonts).then(|| ("styles".to_owned(), None));
        rules.report_where(
            "GS051-CUSTOM-FONTS",
            Level::Warning,
            "A style sheet should use --gh-font-heading and --gh-font-body",
            "They contain the fonts chosen in the settings of the site.",
            fonts.into_iter().collect(),
        );
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..offset]).count()
}

/// Returns the URLs in `src` and `href` of a template that point to the folder `assets` of the site, with their offsets.
fn written_assets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
        // Invariant: the expression is a constant, and a test compiles it.
        Regex::new(r#"(?i)(?:src|href)=['"]"#).expect("the expression of an attribute compiles")
    });
    let mut end_of_last = 0;
    ATTRIBUTE.find_iter(text).filter_map(move |attribute| {
        let line = text[attribute.end()..].split(['\n', '\r']).next()?;
        // Eight bytes are the longest scheme, `https://`. A shorter line, or one with a character
        // across that offset, is compared as a whole.
        let lower = line.get(..8).unwrap_or(line).to_ascii_lowercase();
        let is_elsewhere = ["http://", "https://", "//"]
            .iter()
            .any(|scheme| lower.starts_with(scheme));
        // Matches do not overlap: an attribute within the previous URL does not count.
        if attribute.start() < end_of_last || is_elsewhere {
            return None;
        }
        let folder = line.to_ascii_lowercase().find("/assets/")? + "/assets/".len();
        let end = folder + line[folder..].find(['"', '\''])?;
        end_of_last = attribute.end() + end;
        Some((attribute.start(), &line[..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(path: &str, text: &str) -> Vec<&'static str> {
        let rules = COMPILED.iter().flatten();
        let mut texts = Texts {
            positions: rules.map(|rule| (rule, Vec::new())).collect(),
            assets: Vec::new(),
            classes: CardClasses::default(),
            has_fonts: false,
        };
        texts.read(path, text);
        let found = texts
            .positions
            .iter()
            .filter(|(_, found)| !found.is_empty());
        found.map(|((rule, _), _)| rule.code).collect()
    }

    #[test]
    fn texts_that_break_rules_are_found_in_files_of_their_kind() {
        for (path, text, code) in [
            (
                "a.hbs",
                "<META name='description' content=\"{{meta_description}}\">",
                "GS001-DEPR-MD",
            ),
            ("a.hbs", "{{ content words=\"0\" }}", "GS001-DEPR-C0H"),
            ("a.css", ".archive-template{", "GS001-DEPR-CSS-AT"),
            ("a.css", ".page-template-about {", "GS001-DEPR-CSS-PATS"),
            ("a.css", ".kg-card-markdown", "GS001-DEPR-CSS-KGMD"),
            ("a.hbs", "{{#each tags}}", "GS001-DEPR-EACH"),
            ("a.hbs", "{{#get \"users\"}}", "GS001-DEPR-USER-GET"),
            (
                "a.hbs",
                "{{#get \"posts\" include=\"tags,author\"}}",
                "GS001-DEPR-AUTH-INCL",
            ),
            (
                "a.hbs",
                "{{#get \"posts\" fields=\"title, author , url\"}}",
                "GS001-DEPR-AUTH-FIELD",
            ),
            (
                "a.hbs",
                "{{#get \"posts\" filter=\"author:zoe\"}}",
                "GS001-DEPR-AUTH-FILT",
            ),
            ("a.hbs", "{{img_url author.image}}", "GS001-DEPR-IUA"),
            (
                "a.hbs",
                "{{twitter_url @site.twitter}}",
                "GS001-DEPR-TWITTER-URL",
            ),
            ("a.hbs", "{{ facebook_url }}", "GS001-DEPR-FACEBOOK-URL"),
            ("a.hbs", "<html ⚡ lang=\"en\">", "GS001-DEPR-AMP-TEMPLATE"),
            ("a.js", "ghost.url.api('posts')", "GS060-JS-GUA"),
            ("a.hbs", "{{t}}", "GS080-NO-EMPTY-TRANSLATIONS"),
            ("a.hbs", "{{ t \" \" }}", "GS080-NO-EMPTY-TRANSLATIONS"),
            ("a.hbs", "{{#foreach posts}}", "GS080-FEACH-POSTS"),
            (
                "a.hbs",
                "{{default_payment_card_last4}}",
                "GS080-CARD-LAST4",
            ),
            (
                "a.hbs",
                "{{#foreach posts visibility=\"all\"}}",
                "GS080-FEACH-PV",
            ),
        ] {
            assert_eq!(codes(path, text), [code], "{text}");
            assert!(codes("a.md", text).is_empty(), "{text}");
        }
        for text in [
            "{{t \"More\"}}",
            "{{title}}",
            "{{#get \"posts\" include=\"authors\"}}",
            "<html lang=\"en\">",
            "{{img_url feature_image}}",
        ] {
            assert!(codes("a.hbs", text).is_empty(), "{text}");
        }
    }

    #[test]
    fn assets_that_are_written_as_urls_are_found() {
        let found = |text: &'static str| -> Vec<&str> {
            written_assets(text).map(|(_, url)| url).collect()
        };
        assert_eq!(found("<a href=\"/assets/a.js\">"), ["/assets/a.js"]);
        assert_eq!(
            found("<img SRC='{{@site.url}}/assets/a.png'><img src='/assets/b.png'>"),
            ["{{@site.url}}/assets/a.png", "/assets/b.png"]
        );
        for text in [
            "<a href=\"{{asset \"a.js\"}}\">",
            "<a href=\"https://a.example/assets/a.js\">",
            "<a href=\"//a.example/assets/a.js\">",
            "<a href=\"a\n/assets/a.js\">",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
