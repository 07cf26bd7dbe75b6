//! The inputs of a build besides the site.

use crate::{
    api::{files::FileRoots, front_end::ExternalFrontEnd},
    front_end::ScriptChoice,
    themes,
};

/// The files, the theme and the settings that a build reads besides the site.
pub struct Sources {
    /// The files that the site serves.
    pub files: FileRoots,
    /// The first segment of API paths.
    pub path_prefix: String,
    /// The front end to which feeds and sitemaps link, if one is configured.
    pub front_end: Option<ExternalFrontEnd>,
    /// The theme that renders the pages.
    pub theme: themes::Theme,
    /// The origin of the reader scripts that pages load.
    pub script_choice: ScriptChoice,
}
