//! What decides how content files are read, beside the files.

use std::{path::Path, sync::Arc};

use jiff::{Timestamp, tz::TimeZone};

use super::{
    ContentFile, Context, IncludedFiles, Layout, Parsed, history::History, parse, state::Inclusion,
};
use crate::{
    domain::{post::Visibility, setting::Settings},
    id::Id,
};

/// What decides how files are read, beside the files.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// The site's time zone, in which dates without an offset are meant.
    pub time_zone: TimeZone,
    /// Who may read a post that does not say so itself.
    pub default_visibility: Visibility,
    /// The tiers that such a post is for.
    pub default_tiers: Vec<Id>,
    /// The time, which tells what is still to come.
    pub now: Timestamp,
    /// What is known of the history of files, where that says what they do not.
    pub history: Option<Arc<History>>,
    /// What the files of the folder are.
    pub layout: Arc<Layout>,
    /// The files that documents may include.
    pub included_files: IncludedFiles,
}

impl Conditions {
    /// How files are read under these settings, at this time.
    pub fn of(settings: &Settings, now: Timestamp) -> Self {
        Self {
            time_zone: settings.time_zone(),
            default_visibility: settings.default_visibility(),
            default_tiers: settings.default_tiers(),
            now,
            history: None,
            layout: Arc::default(),
            included_files: IncludedFiles::default(),
        }
    }

    /// The same, with what is known of the history of files.
    pub fn with_history(self, history: Option<Arc<History>>) -> Self {
        Self { history, ..self }
    }

    /// The same for a folder of this layout.
    pub fn with_layout(self, layout: Arc<Layout>) -> Self {
        Self { layout, ..self }
    }

    /// The same, for documents that may include files of the folder `root`.
    pub fn with_folder(self, root: &Path) -> Self {
        Self {
            included_files: IncludedFiles::of(root),
            ..self
        }
    }

    /// Whether there is the same as before wherever a document looked for files that it includes.
    pub fn include_the_same(&self, inclusions: &[Inclusion]) -> bool {
        inclusions
            .iter()
            .all(|inclusion| self.included_files.state(&inclusion.path) == inclusion.content)
    }

    /// Reads the file at `path` under these conditions.
    pub fn parse(&self, path: &str, bytes: &[u8]) -> Parsed {
        let context = Context {
            time_zone: self.time_zone.clone(),
            layout: Arc::clone(&self.layout),
            included_files: self.included_files.clone(),
        };
        let mut parsed = parse(path, bytes, &context);
        if let Some(ContentFile::Post(file) | ContentFile::Page(file)) = &mut parsed.value {
            let history = self.history.as_ref();
            file.history = history.and_then(|history| history.of(path)).cloned();
        }
        parsed
    }

    /// Whether files are read alike under both. The time does not count: what is to come is looked at when it comes.
    pub fn read_alike(&self, other: &Self) -> bool {
        self.words() == other.words()
    }

    /// What files are read by, in words that tell conditions apart.
    pub fn words(&self) -> String {
        let zone = self.time_zone.iana_name().unwrap_or("UTC");
        let visibility = self.default_visibility.name();
        let tiers = self.default_tiers.iter().map(|tier| format!(" {tier}"));
        let layout = self.layout.words();
        format!("{zone}\n{visibility}{}{layout}", tiers.collect::<String>())
    }
}
