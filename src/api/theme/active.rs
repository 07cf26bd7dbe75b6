//! The compiled active theme.

use std::sync::Arc;

use arc_swap::ArcSwapOption;

use crate::{
    front_end::Theme,
    themes::{self, ThemeVersion},
};

/// The active theme, compiled on first use and again after its files were replaced.
#[derive(Default)]
pub struct ActiveTheme(ArcSwapOption<Compiled>);

struct Compiled {
    version: ThemeVersion,
    theme: Arc<Theme>,
}

impl ActiveTheme {
    /// Returns the theme with these files, and whether it replaces another theme or another version.
    ///
    /// Reads the version of the files from the file system, so it is only called for uncached responses.
    pub(super) fn get(&self, files: themes::Theme) -> (Arc<Theme>, bool) {
        let version = files.version();
        let current = self.0.load();
        if let Some(current) = &*current
            && current.version == version
        {
            return (Arc::clone(&current.theme), false);
        }
        let report = files.is_edited().then(|| files.report());
        for finding in report.into_iter().flat_map(|report| report.errors) {
            for failure in finding.failures {
                let (file, message) = (failure.file, failure.message);
                tracing::warn!(file, rule = finding.rule, message, "theme has an error");
            }
        }
        // Concurrent requests may compile the theme twice; either result is valid.
        let theme = Arc::new(Theme::new(files));
        for error in &theme.errors {
            tracing::warn!(theme = theme.name, %error, "template ignored because it cannot be read");
        }
        let compiled = Compiled {
            version,
            theme: Arc::clone(&theme),
        };
        self.0.store(Some(Arc::new(compiled)));
        // Before the first theme, no pages are cached that would have to be dropped.
        (theme, current.is_some())
    }
}
