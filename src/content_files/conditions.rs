//! The inputs of reading content files, apart from the files.

use crate::content_files::site_file::SITE_FILES;
use std::{path::Path, sync::Arc};

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    content_files::{
        context::Context,
        file_state::{Fingerprint, Inclusion},
        history::History,
        inclusions::IncludedFiles,
        layout::Layout,
        parse,
        parsed_file::{ContentFile, ParsedFile},
    },
    domain::{post::Visibility, setting::Settings, theme::ThemePackages},
    id::Id,
};

/// The inputs of reading files, apart from the files, such as settings, time and layout.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// The site's time zone, which applies to dates without an offset.
    pub time_zone: TimeZone,
    /// The visibility of posts without the key.
    pub default_visibility: Visibility,
    /// The tiers of posts with default visibility.
    pub default_tiers: Vec<Id>,
    /// The current time, which separates scheduled posts from published ones.
    pub now: Timestamp,
    /// The history of the files, which supplies missing dates and authors.
    pub history: Option<Arc<History>>,
    /// The layout of the folder.
    pub layout: Arc<Layout>,
    /// The files that documents may include.
    pub included_files: IncludedFiles,
    /// Whether posts are edited in editors and written back. If so, Markdown is also converted to a document of the editor.
    pub are_edited: bool,
    /// The themes whose settings the site file sets; `None` if they are not known.
    pub themes: Option<Arc<dyn ThemePackages>>,
}

impl Conditions {
    /// Returns the conditions of these settings at this time.
    pub fn of(settings: &Settings, now: Timestamp) -> Self {
        Self {
            time_zone: settings.time_zone(),
            default_visibility: settings.default_visibility(),
            default_tiers: settings.default_tiers(),
            now,
            history: None,
            layout: Arc::default(),
            included_files: IncludedFiles::default(),
            are_edited: false,
            themes: None,
        }
    }

    /// Returns the conditions with the history of the files.
    pub fn with_history(self, history: Option<Arc<History>>) -> Self {
        Self { history, ..self }
    }

    /// Returns the conditions for a folder of this layout.
    pub fn with_layout(self, layout: Arc<Layout>) -> Self {
        Self { layout, ..self }
    }

    /// Returns the conditions for documents that may include files of the folder `root`.
    pub fn with_folder(self, root: &Path) -> Self {
        Self {
            included_files: IncludedFiles::of(root),
            ..self
        }
    }

    /// Returns the conditions of a folder whose posts are edited in editors and written back.
    pub fn for_editing(self, are_edited: bool) -> Self {
        Self { are_edited, ..self }
    }

    /// Returns the conditions of a site with these themes.
    pub fn with_themes(self, themes: Option<Arc<dyn ThemePackages>>) -> Self {
        Self { themes, ..self }
    }

    /// Returns whether the files that a document included, or failed to include, are unchanged.
    pub fn include_the_same(&self, inclusions: &[Inclusion]) -> bool {
        inclusions
            .iter()
            .all(|inclusion| self.included_files.state(&inclusion.path) == inclusion.content)
    }

    /// Returns the time zone of dates without an offset: that of the project's settings, else the site's.
    fn time_zone_of_project(&self) -> TimeZone {
        let name = self.layout.settings().time_zone.as_deref();
        // The settings belong to another program, so an unknown name is not an error here.
        let of_project = name.and_then(|name| TimeZone::get(name).ok());
        of_project.unwrap_or_else(|| self.time_zone.clone())
    }

    /// Reads the file at `path` under these conditions.
    pub fn parse(&self, path: &str, bytes: &[u8]) -> ParsedFile {
        let context = Context {
            time_zone: self.time_zone_of_project(),
            layout: Arc::clone(&self.layout),
            included_files: self.included_files.clone(),
            themes: self.themes.clone(),
        };
        let mut parsed = parse(path, bytes, &context);
        // Only documents have dates and authors that a history can supply.
        if let Some(ContentFile::Post(file) | ContentFile::Page(file)) = &mut parsed.value {
            let history = self.history.as_ref();
            file.history = history.and_then(|history| history.of(path)).cloned();
        }
        parsed
    }

    /// Returns the fingerprint of a file under these conditions. The site file affects how other files are read, but is
    /// itself read the same under all conditions.
    pub fn fingerprint(&self, path: &str, bytes: &[u8]) -> Fingerprint {
        if SITE_FILES.contains(&path) {
            return Fingerprint::of(bytes, "");
        }
        // The history differs from file to file, so `fingerprint_text` does not contain it.
        let own = self.fingerprint_text();
        let history = self.history.as_ref();
        let history = history.map_or_else(String::new, |history| history.fingerprint(path));
        Fingerprint::of(bytes, &format!("{own}{history}"))
    }

    /// Returns whether files are read the same under both conditions. The time is not compared: the scheduler handles it.
    pub fn read_alike(&self, other: &Self) -> bool {
        self.fingerprint_text() == other.fingerprint_text()
    }

    /// Returns a text that is different for conditions under which files are read differently.
    pub fn fingerprint_text(&self) -> String {
        let zone = self.time_zone.iana_name().unwrap_or("UTC");
        let visibility = self.default_visibility.name();
        let tiers = self.default_tiers.iter().map(|tier| format!(" {tier}"));
        let layout = self.layout.fingerprint_text();
        let edited = if self.are_edited { " edited" } else { "" };
        format!(
            "{zone}\n{visibility}{}{layout}{edited}",
            tiers.collect::<String>()
        )
    }
}
