//! Reads the settings of Zola projects.

use std::path::Path;

use crate::{
    content_text::document::Table,
    generators::{
        profile::Role,
        settings::{
            ProjectSettings,
            literals::{data_in, inner, keys, text, texts, truth_at},
            reference::unsupported_in_data,
        },
    },
    render::markdown::{Alerts, Dialect, ExternalLinks, Typography},
};

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    let known = ["config", "zola"].into_iter();
    let mut tables = known.filter_map(|stem| Some((stem, data_in(root, stem)?)));
    let (stem, table) = tables.next().unwrap_or_default();
    let languages = inner(&table, "languages").map(keys).unwrap_or_default();
    let ignored = texts(&table, "ignored_content").into_iter();
    let mut settings = ProjectSettings {
        language: text(&table, "default_language").filter(|_| !languages.is_empty()),
        languages,
        rules: ignored
            .map(|pattern| (format!("content/**/{pattern}"), Role::Other))
            .collect(),
        dialect: Some(dialect(&table)),
        problems: unsupported_in_data(root, stem, &[], super::reference::ROWS, &table),
        ..ProjectSettings::default()
    };
    settings.set_url(&text(&table, "base_url").unwrap_or_default());
    settings
}

/// Returns the dialect that the table `markdown` configures.
fn dialect(table: &Table) -> Dialect {
    let own = Dialect::ZOLA;
    let is_set = |key: &str| truth_at(table, &format!("markdown.{key}")) == Some(true);
    Dialect {
        typography: if is_set("smart_punctuation") {
            Typography::SMART
        } else {
            own.typography
        },
        emoji: is_set("render_emoji"),
        definition_lists: is_set("definition_list"),
        alerts: if is_set("github_alerts") {
            Alerts::GitHub
        } else {
            own.alerts
        },
        external_links: ExternalLinks {
            new_tab: is_set("external_links_target_blank"),
            no_follow: is_set("external_links_no_follow"),
            no_referrer: is_set("external_links_no_referrer"),
        },
        ..own
    }
}
