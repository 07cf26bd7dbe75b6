//! The compiled active theme.

use std::sync::Arc;

use arc_swap::ArcSwapOption;

use crate::{
    api::Api,
    domain::setting::Settings,
    front_end::Theme,
    themes::{ThemeVersion, Themes},
};

/// The active theme, compiled when it is first needed and again when its files were replaced.
#[derive(Default)]
pub struct ActiveTheme(ArcSwapOption<Compiled>);

struct Compiled {
    version: ThemeVersion,
    theme: Arc<Theme>,
}

impl Api {
    /// Returns the active theme of a site with these settings.
    ///
    /// Asks the file system whether its files were replaced, so it is for responses that are not cached. If they were, the
    /// cached pages are dropped.
    pub(in crate::api) fn theme(&self, settings: &Settings) -> Arc<Theme> {
        let files = Themes::of(&self.options.files.uploads).active(settings);
        let version = files.version();
        let current = self.active_theme.0.load();
        if let Some(current) = &*current
            && current.version == version
        {
            return Arc::clone(&current.theme);
        }
        let theme = Arc::new(Theme::new(files));
        for error in &theme.errors {
            tracing::warn!(theme = theme.name, %error, "a template cannot be read and is left out");
        }
        let is_replaced = current.is_some();
        let compiled = Compiled {
            version,
            theme: Arc::clone(&theme),
        };
        self.active_theme.0.store(Some(Arc::new(compiled)));
        if is_replaced {
            self.drop_cached_responses();
        }
        theme
    }
}
