//! The settings of the themes of a site, for validating their values.

use std::path::PathBuf;

use super::{Theme, Themes};
use crate::domain::theme::{CustomSetting, ThemePackages};

/// The installed themes and, if pages are rendered from a theme folder, the theme in that folder.
#[derive(Debug)]
pub struct InstalledThemes {
    themes: Themes,
    folder: Option<Theme>,
}

impl InstalledThemes {
    /// Returns the installed themes and the one in `folder`.
    pub fn new(themes: Themes, folder: Option<PathBuf>) -> Self {
        let folder = folder.map(|folder| Theme::in_folder(&folder));
        Self { themes, folder }
    }
}

impl ThemePackages for InstalledThemes {
    fn settings_of(&self, theme: &str) -> Option<Vec<CustomSetting>> {
        // The theme in the folder takes precedence over an installed one with the same name, as for
        // pages.
        let of_folder = self.folder.clone().filter(|folder| folder.name == theme);
        let found = of_folder.or_else(|| self.themes.find(theme))?;
        Some(CustomSetting::all(&found.package().unwrap_or_default()))
    }

    fn names(&self) -> Vec<String> {
        // If the folder cannot be listed, there are no names to suggest; `settings_of` does not depend on the list.
        let installed = self.themes.all().unwrap_or_default().into_iter();
        let all = installed.chain(self.folder.clone());
        let mut names: Vec<String> = all.map(|theme| theme.name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
