//! Galley's own content folders. The roles of their files are in the layout of the folder.

use crate::{
    generators::{
        generator::Generator,
        profile::{
            HtmlDocuments, NameTitle, PageTemplates, PathDates, Profile, Readme, Sign, UploadLinks,
        },
        reading_rules::ReadingRules,
        syntax::DocumentSyntax,
    },
    render::markdown::Dialect,
};

/// Galley.
#[derive(Debug)]
pub struct Galley;

static PROFILE: Profile = Profile {
    name: "galley",
    title: "Galley",
    signs: &[
        Sign::Entry("site.toml"),
        Sign::Entry("site.yaml"),
        Sign::Entry("site.yml"),
    ],
    roots: &[""],
    language_folders: &[],
    rules: &[],
    html: HtmlDocuments::Everywhere,
    page_templates: PageTemplates::NONE,
    served_folders: &[""],
    upload_folders: &[""],
    upload_links: UploadLinks::Relative,
    has_bundles: false,
    readme: Readme::None,
    dialect: Dialect::GALLEY,
    reading: ReadingRules::GALLEY,
    usual_names: &[],
    syntax: DocumentSyntax::NONE,
    title_of_name: NameTitle::Sentence,
    dates_of_path: PathDates::Names,
    author_files: &[],
};

impl Generator for Galley {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }
}
