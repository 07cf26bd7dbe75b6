//! Next.js.

mod paths;
mod settings;

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::{
    generators::{
        document::Document,
        generator::Generator,
        profile::{
            BY_DATE, COMPONENTS, HtmlDocuments, NameTitle, POST, PageTemplates, PathDates, Profile,
            Readme, Role, Sign, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        settings::{ProjectSettings, reference::SettingRow},
        syntax::{DocumentSyntax, summary},
    },
    render::markdown::{Dialect, Typography},
};

/// Next.js.
#[derive(Debug)]
pub struct Next;

static PROFILE: Profile = Profile {
    name: "next",
    title: "Next.js",
    signs: &[Sign::Script("next.config")],
    roots: &["src", ""],
    language_folders: &[
        "pages",
        "src/pages",
        "content",
        "src/content",
        "data",
        "docs",
    ],
    rules: &[
        rule("**/_*/**", Role::Other),
        rule("components/**", Role::Other),
        // Files in `pages/api` are endpoints and not pages.
        rule("pages/api/**", Role::Other),
        rule("pages/{_app,_document,_error}.*", Role::Other),
        // Templates for the pages of documents: `[slug].tsx`.
        rule("pages/**/[[]*", Role::Other),
        rule("app/**/[[]*/page.*", Role::Other),
        rule(
            "{_posts,article,articles,blog,blog-posts,blogs,news,notes,post,posts}/**",
            POST,
        ),
        rule(
            "{_content,app,content,contents,data,pages}/**/{_posts,article,articles,blog,blog-posts,blogs,news,notes,post,posts}/**",
            POST,
        ),
        rule(
            "{_content,app,content,contents,data,docs,pages}/**",
            BY_DATE,
        ),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates {
        extensions: COMPONENTS,
        patterns: &["app/**/page.*", "pages/**"],
        have_front_matter: false,
    },
    served_folders: &["public", "", "src"],
    upload_folders: &["public"],
    upload_links: UploadLinks::Site(""),
    has_bundles: false,
    readme: Readme::Page,
    dialect: Dialect {
        typography: Typography::AS_TYPED,
        ..Dialect::REMARK
    },
    reading: ReadingRules::LISTS,
    usual_names: &[("published_at", "date"), ("updated_at", "lastmod")],
    syntax: DocumentSyntax {
        is_mdx: |text, _| has_components(text),
        passes: &[|text, _| summary::pass(text)],
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

impl Generator for Next {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn setting_rows(&self) -> &'static [SettingRow] {
        settings::ROWS
    }

    fn read_settings(&self, root: &Path) -> ProjectSettings {
        settings::read_project(root, PROFILE.dialect)
    }

    fn published_path(&self, document: &Document<'_>) -> Option<String> {
        Some(paths::published_path(document.in_project))
    }
}

/// Returns whether a component is at the beginning of a line outside of code blocks. Next.js projects choose their Markdown
/// parser, so components are the only sign of MDX; HTML elements are not capitalised.
fn has_components(text: &str) -> bool {
    let mut is_in_code = false;
    text.lines().any(|line| {
        let line = line.trim_start();
        is_in_code ^= line.starts_with("```") || line.starts_with("~~~");
        let name = line.strip_prefix('<').unwrap_or_default();
        let mut characters = name.chars();
        let is_component = characters
            .next()
            .is_some_and(|character| character.is_ascii_uppercase())
            && characters
                .next()
                .is_some_and(|character| character.is_ascii_lowercase());
        !is_in_code && is_component
    })
}
