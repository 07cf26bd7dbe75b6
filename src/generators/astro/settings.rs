//! The settings of projects of Astro.

use std::{path::Path, sync::LazyLock};

use regex::Regex;

use crate::generators::{
    permalink::{AddressRules, PatternRule},
    profile::{Role, TextKind},
    settings::{
        Settings, default_locale, is_of_posts,
        literals::{clean, literal, regex},
        locales, script_in,
    },
};

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> Settings {
    static BASE: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"(?-u:\b)base[ \t\r\n]*:[ \t\r\n]*["'`](?:\./)?([^"'`$]+)["'`]"#));
    let collections = script_in(
        root,
        &["src/content.config", "src/content/config", "content.config"],
    );
    let bases = BASE
        .captures_iter(&collections)
        .map(|found| clean(&found[1]));
    let rules = bases.filter(|base| !base.is_empty()).map(|base| {
        let role = Role::Text(if is_of_posts(&base) {
            TextKind::Post
        } else {
            TextKind::ByDate
        });
        (format!("{base}/**"), role)
    });
    let script = script_in(root, &["astro.config"]);
    // Starlight's documents are at the root of the site.
    let of_starlight = script.contains("starlight").then(|| PatternRule {
        folder: "src/content/docs".to_owned(),
        ..PatternRule::default()
    });
    let mut settings = Settings {
        addresses: AddressRules {
            patterns: of_starlight.into_iter().collect(),
            ..AddressRules::default()
        },
        rules: rules.collect(),
        languages: locales(&script),
        language: default_locale(&script),
        ..Settings::default()
    };
    settings.set_url(&literal(&script, "site").unwrap_or_default());
    if let Some(path) = literal(&script, "base") {
        settings.base_path = format!("/{}", clean(&path));
    }
    settings
}
