//! The inputs of a build other than the site.

use crate::{
    api::{files::FileRoots, front_end::ExternalFrontEnd},
    front_end::ScriptChoice,
    themes,
};

/// The folders of a site's files.
pub struct Sources {
    /// The files that are served.
    pub files: FileRoots,
    /// First segment of the API's paths.
    pub path_prefix: String,
    /// The front end that feeds and sitemaps link to, if it is configured.
    pub front_end: Option<ExternalFrontEnd>,
    /// The theme that pages are rendered with.
    pub theme: themes::Theme,
    /// The origin of the reader scripts that pages load.
    pub script_choice: ScriptChoice,
}
