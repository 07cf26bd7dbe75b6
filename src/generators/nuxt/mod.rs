//! Nuxt Content.

mod collections;
mod reference;
mod settings;

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::{
    generators::{
        document::{Document, PathParts},
        generator::Generator,
        link_path, permalink,
        profile::{
            BY_DATE, HtmlDocuments, NameTitle, POST, PageTemplates, PathDates, Profile, Readme,
            Role, Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{DocumentSyntax, fence_lines, mdc, summary},
    },
    render::markdown::{Dialect, HeadingRule, Math},
};

/// Nuxt Content.
#[derive(Debug)]
pub struct Nuxt;

/// The suffix of the names of drafts, without extension.
const DRAFT: &str = ".draft";

static PROFILE: Profile = Profile {
    name: "nuxt",
    title: "Nuxt Content",
    signs: &[
        Sign::All(&[Sign::Script("nuxt.config"), Sign::Entry("content")]),
        Sign::Script("content.config"),
    ],
    roots: &["content"],
    language_folders: &[],
    rules: &[
        rule("**/.*", Role::Other),
        rule("**/_*", Role::Other),
        rule("**/_*/**", Role::Other),
        rule(
            // `*.` is the number that orders the folders: `2.blog`.
            "{*.,}{article,articles,blog,news,post,posts}/index*",
            Role::Section,
        ),
        rule("{*.,}{article,articles,blog,news,post,posts}/**", POST),
        rule("**", BY_DATE),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates::NONE,
    served_folders: &["public", "content"],
    upload_folders: &["public"],
    upload_links: UploadLinks::Site(""),
    has_bundles: false,
    readme: Readme::Index,
    dialect: Dialect {
        heading_ids: HeadingRule::Nuxt,
        math: Math::NONE,
        ..Dialect::GITHUB
    },
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "date")],
    syntax: DocumentSyntax {
        templates: &[mdc::pass],
        passes: &[
            |text, _| fence_lines::pass(text),
            |text, _| summary::pass(text),
        ],
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Capitals,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

impl Generator for Nuxt {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn setting_rows(&self) -> &'static [SettingRow] {
        reference::ROWS
    }

    fn read_settings(&self, root: &Path) -> ProjectSettings {
        settings::read(root, PROFILE.dialect)
    }

    fn published_path(&self, document: &Document<'_>) -> Option<String> {
        if let Some(path) = document.text("path") {
            return Some(path.to_owned());
        }
        let mut location = PathParts::of(document.below_root);
        for folder in &mut location.folders {
            *folder = without_order(folder);
        }
        // The suffix is removed first, because the name of `1.draft` is not `draft`.
        let stem = location.stem.strip_suffix(DRAFT).unwrap_or(location.stem);
        location.stem = without_order(stem);
        let parts = location.page(&["index"]);
        let parts = parts.split('/').map(permalink::github_slug);
        let path = parts.collect::<Vec<_>>().join("/");
        let mut rules = document.settings.urls.patterns.iter();
        let prefixed = rules.find_map(|rule| {
            let folder = rule.folder.strip_prefix("content")?.trim_start_matches('/');
            let slugs = folder
                .split('/')
                .map(|part| permalink::github_slug(without_order(part)));
            let own = slugs.collect::<Vec<_>>().join("/");
            let below = path.strip_prefix(&own)?;
            let is_below = own.is_empty() || below.is_empty() || below.starts_with('/');
            let prefix = rule.pattern.trim_end_matches('/');
            is_below.then(|| format!("{prefix}/{}", below.trim_start_matches('/')))
        });
        Some(prefixed.unwrap_or(path))
    }

    fn leaves_link(&self, path: &str) -> bool {
        !link_path::is_file_like(path)
    }

    fn names_documents_by_url(&self) -> bool {
        true
    }

    fn is_draft_name(&self, stem: &str) -> bool {
        stem.ends_with(DRAFT)
    }

    fn name_of_folder<'f>(&self, folder: &'f str) -> &'f str {
        without_order(folder)
    }
}

/// Returns a name without its number prefix: `install` for `2.install`.
fn without_order(name: &str) -> &str {
    match name.split_once('.') {
        Some((number, rest))
            if !rest.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            rest
        }
        _ => name,
    }
}
