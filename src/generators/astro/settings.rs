//! Reads the settings of Astro projects.

use std::{path::Path, sync::LazyLock};

use regex::Regex;

use crate::{
    generators::{
        permalink::{PatternRule, UrlRules},
        profile::{DocumentKind, Role, TERMS},
        settings::{
            ProjectSettings, default_locale, is_of_posts,
            literals::{clean, literal, regex},
            locales, math_plugins, script_in, scripts,
        },
    },
    render::markdown::{BareLinks, Dialect, FootnoteKinds, Strikethrough, Typography},
};

/// The kind of URL rules for collections whose folder is in the configuration.
pub(super) const COLLECTION: &str = "collection";

/// Usual names of collections that describe tags or authors.
const TERM_COLLECTIONS: [&str; 5] = ["authors", "author", "tags", "categories", "category"];

/// The names of the configuration file, without extension.
const SCRIPTS: [&str; 1] = ["astro.config"];

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    static BASE: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"(?-u:\b)base[ \t\r\n]*:[ \t\r\n]*["'`](?:\./)?([^"'`$]+)["'`]"#));
    // Astro before 5 has `src/content/config`.
    let collections = script_in(
        root,
        &["src/content.config", "src/content/config", "content.config"],
    );
    let bases = BASE.captures_iter(&collections).filter_map(|found| {
        let start = found.get(0)?.start();
        let base = clean(&found[1]);
        let name = collection_at(&collections, start);
        (!base.is_empty()).then_some((base, name))
    });
    let bases: Vec<(String, Option<String>)> = bases.collect();
    let rules = bases.iter().map(|(base, name)| {
        let name = name.as_deref().unwrap_or(base);
        let role = if TERM_COLLECTIONS.contains(&name) {
            TERMS
        } else if is_of_posts(name) || is_of_posts(base) {
            Role::Document(DocumentKind::Post)
        } else {
            Role::Document(DocumentKind::ByDate)
        };
        (format!("{base}/**"), role)
    });
    let rules = rules.collect();
    let of_collections = bases.into_iter().filter_map(|(folder, name)| {
        Some(PatternRule {
            folder,
            kind: COLLECTION.to_owned(),
            // Without a known name there is no path. The documents are still read, by the rules
            // above.
            pattern: name?,
        })
    });
    let script = script_in(root, &SCRIPTS);
    // Starlight's documents are at the root of the site.
    let of_starlight = script.contains("starlight").then(|| PatternRule {
        folder: "src/content/docs".to_owned(),
        ..PatternRule::default()
    });
    let mut settings = ProjectSettings {
        urls: UrlRules {
            patterns: of_starlight.into_iter().chain(of_collections).collect(),
            ..UrlRules::default()
        },
        rules,
        languages: locales(&script),
        language: default_locale(&script),
        dialect: Some(dialect(&script)),
        ..ProjectSettings::default()
    };
    settings.report_scripts(root, &SCRIPTS, super::reference::ROWS);
    for redirects in scripts::values_of(&script, "redirects") {
        settings.redirects.add_script(redirects);
    }
    settings.set_url(&literal(&script, "site").unwrap_or_default());
    if let Some(path) = literal(&script, "base") {
        settings.base_path = format!("/{}", clean(&path));
    }
    settings
}

/// Returns the name of the collection whose definition contains the byte offset `position`: the key in `collections` of the
/// value `defineCollection(…)` or of the constant with that value.
fn collection_at(script: &str, position: usize) -> Option<String> {
    static DEFINED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"["']?([A-Za-z_$][A-Za-z0-9_$-]*)["']?[ \t\r\n]*(=|:)[ \t\r\n]*defineCollection[ \t\r\n]*\("#,
        )
    });
    // The script is not parsed. The last definition that begins before the position is the one
    // around it.
    let before = DEFINED.captures_iter(script);
    let defined = before
        .take_while(|found| found.get(0).is_some_and(|whole| whole.end() <= position))
        .last()?;
    let name = &defined[1];
    if &defined[2] == ":" {
        return Some(name.to_owned());
    }
    let key = regex(&format!(
        r#"["']?([A-Za-z_$][A-Za-z0-9_$-]*)["']?[ \t\r\n]*:[ \t\r\n]*{}[ \t\r\n]*[,}}]"#,
        name.replace('$', "[$]")
    ));
    let renamed = key.captures(script).map(|found| found[1].to_owned());
    Some(renamed.unwrap_or_else(|| name.to_owned()))
}

/// Returns the dialect that a configuration sets.
fn dialect(script: &str) -> Dialect {
    let mut dialect = Dialect {
        math: math_plugins::of_remark(script),
        ..Dialect::REMARK
    };
    if scripts::truth(script, "markdown.smartypants") == Some(false) {
        dialect.typography = Typography::AS_TYPED;
    }
    if scripts::truth(script, "markdown.gfm") == Some(false) {
        dialect = Dialect {
            tables: false,
            task_lists: false,
            strikethrough: Strikethrough::None,
            bare_links: BareLinks::None,
            footnotes: FootnoteKinds::None,
            ..dialect
        };
    }
    dialect
}
