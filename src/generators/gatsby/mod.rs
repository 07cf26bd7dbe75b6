//! Gatsby: recognition and the usual folders of its starters. Scripts build its pages and are not run.

mod settings;

use std::path::Path;

use crate::{
    generators::{
        document::{Document, PathParts},
        generator::Generator,
        profile::{
            BY_DATE, HtmlDocuments, NameTitle, PAGE, POST, PageTemplates, PathDates, Profile,
            Readme, Role, Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{DocumentSyntax, contents_marks, fence_lines, summary},
    },
    render::markdown::{Dialect, Math},
};

/// Gatsby.
#[derive(Debug)]
pub struct Gatsby;

static PROFILE: Profile = Profile {
    name: "gatsby",
    title: "Gatsby",
    signs: &[Sign::Script("gatsby-config"), Sign::Script("gatsby-node")],
    roots: &[
        "content",
        "src/content",
        "src/pages",
        "src/posts",
        "data",
        "posts",
        "blog",
        "src",
    ],
    language_folders: &[],
    rules: &[
        rule("{templates,components}/**", Role::Other),
        rule("{page,pages}/**", PAGE),
        rule("{article,articles,blog,blogs,news,post,posts}/**", POST),
        rule("**", BY_DATE),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates::NONE,
    served_folders: &["static", "content", "src", ""],
    upload_folders: &["static"],
    upload_links: UploadLinks::Site(""),
    has_bundles: false,
    readme: Readme::Page,
    dialect: Dialect {
        indented_code: true,
        math: Math::NONE,
        ..Dialect::GITHUB
    },
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "date")],
    syntax: DocumentSyntax {
        is_mdx: |_, environment| environment.site.contains_key(settings::MDX),
        passes: &[
            |text, _| contents_marks::leave_out_fences(text),
            |text, _| fence_lines::pass(text),
            |text, _| summary::pass(text),
        ],
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

impl Generator for Gatsby {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn setting_rows(&self) -> &'static [SettingRow] {
        settings::ROWS
    }

    fn read_settings(&self, root: &Path) -> ProjectSettings {
        settings::read_project(root, PROFILE.dialect, PROFILE.roots)
    }

    /// Returns `path` or `slug` of the front matter, else the path of the file below its folder of documents, as built by
    /// the plugin for file names.
    fn published_path(&self, document: &Document<'_>) -> Option<String> {
        let written = document.text("path").or_else(|| document.text("slug"));
        let of_file = || PathParts::of(document.below_root).page(&["index"]);
        Some(written.map_or_else(of_file, str::to_owned))
    }
}
