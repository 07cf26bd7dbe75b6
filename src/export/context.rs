//! The context of an export.

use jiff::Timestamp;
use url::Url;

use crate::{domain::theme::ThemeSettings, export::folder::Folders, progress::Progress};

/// The context of an export, apart from the snapshot.
#[derive(Clone, Copy)]
pub struct ExportContext<'a> {
    /// The site's public URL.
    pub site: &'a Url,
    /// The time of the export.
    pub now: Timestamp,
    /// The folders of the site.
    pub folders: Folders<'a>,
    /// The settings of the active theme, if known.
    pub theme_settings: Option<&'a ThemeSettings>,
    /// Receives the number of records written.
    pub progress: &'a dyn Progress,
}
