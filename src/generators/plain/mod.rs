//! A folder of Markdown without a known generator: documents with a date are posts, and all others are pages, whose slugs
//! are derived from their paths.

use crate::{
    generators::{
        generator::Generator,
        profile::{
            BY_DATE, HtmlDocuments, NameTitle, PAGE, POST, PageTemplates, PathDates, Profile,
            Readme, Role, UploadLinks, rule,
        },
        reading_rules::ReadingRules,
        syntax::{DocumentSyntax, contents_marks},
    },
    render::markdown::{Alerts, BareLinks, Dialect, Math},
};

/// plain Markdown.
#[derive(Debug)]
pub struct Plain;

static PROFILE: Profile = Profile {
    name: "plain",
    title: "plain Markdown",
    signs: &[],
    roots: &[""],
    language_folders: &[],
    rules: &[
        rule(
            "**/*.{htm,html}",
            Role::LeftOut("it is HTML, which is read only if `[content_files]` includes it"),
        ),
        rule("**/_index*", Role::Section),
        rule("{page,pages,_pages}/**", PAGE),
        rule("{_drafts,_posts,blog,drafts,posts}/**", POST),
        rule("**", BY_DATE),
    ],
    html: HtmlDocuments::Nowhere,
    page_templates: PageTemplates::NONE,
    served_folders: &["", "static", "public"],
    upload_folders: &[""],
    upload_links: UploadLinks::Relative,
    has_bundles: false,
    readme: Readme::Index,
    // Such folders are mostly written to be read on GitHub.
    dialect: Dialect {
        alerts: Alerts::GitHub,
        math: Math::DOLLARS,
        bare_links: BareLinks::Http,
        ..Dialect::GALLEY
    },
    reading: ReadingRules::PLAIN,
    usual_names: &[],
    syntax: DocumentSyntax {
        passes: &[|text, _| contents_marks::leave_out(text)],
        ..DocumentSyntax::NONE
    },
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::Notes,
    author_files: &[],
};

impl Generator for Plain {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn names_pages_by_path(&self) -> bool {
        true
    }

    fn prefers_index(&self) -> bool {
        true
    }
}
