//! The inputs of parsing a content file, other than the file.

use std::sync::Arc;

use jiff::tz::TimeZone;

use super::{inclusions::IncludedFiles, layout::Layout};
use crate::domain::theme::ThemePackages;

/// The inputs of parsing a file other than its bytes.
#[derive(Debug, Clone)]
pub struct Context {
    /// The site's time zone, which applies to dates without an offset.
    pub time_zone: TimeZone,
    /// The layout of the folder.
    pub layout: Arc<Layout>,
    /// The files that documents may include.
    pub included_files: IncludedFiles,
    /// The themes whose settings the site file sets; `None` if they are not known.
    pub themes: Option<Arc<dyn ThemePackages>>,
}
