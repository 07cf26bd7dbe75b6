//! Eleventy.

pub(crate) mod directory_data;
mod global_data;
mod markdown;
mod paths;
mod reference;
mod settings;

#[cfg(test)]
mod tests;

use crate::{
    content_text::{
        Span, Spanned,
        document::{Kind, Table},
    },
    generators::{
        document::Document,
        generator::Generator,
        link_path,
        profile::{
            BY_DATE, HtmlDocuments, NameTitle, PAGE, POST, PageTemplates, PathDates, Profile,
            Readme, Role, Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{
            DocumentSyntax, callout, contents_marks, directives,
            directives::{Containers, OtherContainers},
            liquid,
            liquid::LiquidDialect,
            summary,
        },
    },
    render::markdown::Dialect,
};
use serde_json::{Map, Value as Json};
use std::path::Path;

/// Extensions of its templates, except Markdown.
pub(super) const TEMPLATES: &[&str] = &[
    "11ty.cjs", "11ty.js", "11ty.mjs", "11ty.ts", "ejs", "haml", "hbs", "htm", "html", "liquid",
    "mustache", "njk", "pug", "webc",
];

/// Eleventy.
#[derive(Debug)]
pub struct Eleventy;

/// The template language of Eleventy: Liquid or Nunjucks.
static NUNJUCKS: LiquidDialect = LiquidDialect {
    is_nunjucks: true,
    ..LiquidDialect::LIQUID
};

/// Containers of markdown-it.
static CONTAINERS: Containers = Containers {
    mark: ':',
    callouts: &[],
    style: callout::plain,
    others: OtherContainers::Elements,
    has_code_titles: false,
};

static PROFILE: Profile = Profile {
    name: "eleventy",
    title: "Eleventy",
    signs: &[Sign::Script(".eleventy"), Sign::Script("eleventy.config")],
    roots: &["src/content", "content", "src", ""],
    language_folders: &[],
    rules: &[
        rule("{_data,_includes,_layouts,_site}/**", Role::Other),
        rule("index*", Role::Section),
        rule(
            "{_drafts,_posts,article,articles,blog,blogs,drafts,news,notes,post,posts}/index*",
            Role::Section,
        ),
        rule(
            "**/{_drafts,_posts,article,articles,blog,blogs,drafts,news,notes,post,posts}/**",
            POST,
        ),
        rule("*", PAGE),
        rule("*/index*", PAGE),
        rule("{page,pages,_pages}/**", PAGE),
        rule("**", BY_DATE),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates {
        extensions: TEMPLATES,
        patterns: &["**"],
        have_front_matter: false,
    },
    served_folders: &["public", "src", "src/public", "static", "content", ""],
    upload_folders: &["public", "src/public", "static"],
    upload_links: UploadLinks::BelowSite(""),
    has_bundles: false,
    readme: Readme::Page,
    dialect: Dialect::MARKDOWN_IT,
    reading: ReadingRules::ELEVENTY,
    usual_names: &[("published_at", "date"), ("updated_at", "updated")],
    syntax: DocumentSyntax {
        templates: &[|text, scope| liquid::pass(text, scope, &NUNJUCKS)],
        passes: &[
            |text, _| contents_marks::leave_out(text),
            |text, _| directives::pass(text, &CONTAINERS),
            |text, _| summary::pass(text),
        ],
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::First,
    author_files: &["_data/authors.json", "src/_data/authors.json"],
};

impl Generator for Eleventy {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn further_settings_files(&self) -> &'static [&'static str] {
        &directory_data::SITE_FILES
    }

    fn setting_rows(&self) -> &'static [SettingRow] {
        reference::ROWS
    }

    fn read_settings(&self, root: &Path) -> ProjectSettings {
        settings::read(root)
    }

    fn published_path(&self, document: &Document<'_>) -> Option<String> {
        paths::published_path(document)
    }

    fn leaves_link(&self, path: &str) -> bool {
        !link_path::is_file_like(path)
    }

    fn complete(&self, table: &mut Table, values: &Map<String, Json>, opening: Span) {
        // Tags are joined first: `complete` leaves keys alone that the document has.
        join_tags(table, values, opening);
        table.complete(values, opening);
    }
}

/// Adds the tags in `values` to those of a document, as Eleventy does. They are appended, so that the document's primary tag
/// is unchanged.
fn join_tags(table: &mut Table, values: &Map<String, Json>, opening: Span) {
    let Some(more) = values.get("tags") else {
        return;
    };
    let mut entries = table.entries.iter_mut();
    let Some((_, tags)) = entries.find(|(key, _)| key.value == "tags") else {
        return;
    };
    let mut joined = match std::mem::replace(&mut tags.value, Kind::Nothing) {
        Kind::List(tags) => tags,
        Kind::Nothing => Vec::new(),
        tag => vec![Spanned::new(tag, tags.span)],
    };
    let more = match more {
        Json::Array(more) => more.as_slice(),
        more => std::slice::from_ref(more),
    };
    for tag in more.iter().filter_map(Json::as_str) {
        let is_known = joined
            .iter()
            .any(|known| known.value == Kind::Text(tag.to_owned()));
        if !is_known {
            joined.push(Spanned::new(Kind::Text(tag.to_owned()), opening));
        }
    }
    tags.value = Kind::List(joined);
}
