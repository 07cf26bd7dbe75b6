//! Reads the settings of the content folder in its site file.

use std::{path::Path, sync::Arc};

use jiff::tz::TimeZone;

use super::{
    context::Context, folder_files, inclusions::IncludedFiles, options::ContentFiles,
    parsed_file::ContentFile, parsing::parse, site_file::SITE_FILES,
};

impl ContentFiles {
    /// Returns these settings, completed with those of the site file in the folder `root`.
    pub fn or_of_site(self, root: &Path) -> Self {
        // The layout depends on these settings, so the file is parsed here without one. Its
        // problems are reported when it is read as a content file.
        let of_site = SITE_FILES.iter().find_map(|path| {
            let bytes = folder_files::read(root, path).ok()?;
            let context = Context {
                time_zone: TimeZone::UTC,
                layout: Arc::default(),
                included_files: IncludedFiles::default(),
                themes: None,
            };
            match parse(path, &bytes, &context).value {
                Some(ContentFile::Site(file)) => Some(file.content_files),
                _ => None,
            }
        });
        self.or(of_site.unwrap_or_default())
    }
}
