//! Nanoc.

use crate::{
    generators::{
        document::{Document, PathParts},
        generator::Generator,
        profile::{
            BY_DATE, HtmlDocuments, NameTitle, POST, PageTemplates, PathDates, Profile, Readme,
            Role, Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        syntax::DocumentSyntax,
    },
    render::markdown::Dialect,
};

/// Nanoc.
#[derive(Debug)]
pub struct Nanoc;

static PROFILE: Profile = Profile {
    name: "nanoc",
    title: "Nanoc",
    signs: &[Sign::Settings("nanoc")],
    roots: &["content"],
    language_folders: &[],
    rules: &[
        rule("index*", Role::Section),
        rule(
            "{_posts,article,articles,blog,news,post,posts}/index*",
            Role::Section,
        ),
        rule("{_posts,article,articles,blog,news,post,posts}/**", POST),
        rule("**", BY_DATE),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates {
        extensions: &["html", "htm", "erb", "haml", "slim"],
        patterns: &["**"],
        have_front_matter: false,
    },
    served_folders: &["content", "static", ""],
    upload_folders: &["content"],
    upload_links: UploadLinks::Site(""),
    has_bundles: false,
    readme: Readme::Page,
    dialect: Dialect::KRAMDOWN,
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "date")],
    syntax: DocumentSyntax::NONE,
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

impl Generator for Nanoc {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn published_path(&self, document: &Document<'_>) -> Option<String> {
        Some(PathParts::of(document.below_root).page(&["index"]))
    }
}
