//! The settings of the themes of a site, for those who check values of them.

use std::path::PathBuf;

use super::{Theme, Themes};
use crate::domain::theme::{CustomSetting, ThemePackages};

/// The themes that are installed, and the one in a folder that pages are rendered with, if there is one.
#[derive(Debug)]
pub struct InstalledThemes {
    themes: Themes,
    folder: Option<Theme>,
}

impl InstalledThemes {
    /// Returns these themes and the one in `folder`.
    pub fn new(themes: Themes, folder: Option<PathBuf>) -> Self {
        let folder = folder.map(|folder| Theme::in_folder(&folder));
        Self { themes, folder }
    }
}

impl ThemePackages for InstalledThemes {
    fn settings_of(&self, theme: &str) -> Option<Vec<CustomSetting>> {
        let of_folder = self.folder.clone().filter(|folder| folder.name == theme);
        let found = of_folder.or_else(|| self.themes.find(theme))?;
        Some(CustomSetting::all(&found.package().unwrap_or_default()))
    }

    fn names(&self) -> Vec<String> {
        // A folder that cannot be listed has no names to suggest; `settings_of` reads the themes themselves.
        let installed = self.themes.all().unwrap_or_default().into_iter();
        let all = installed.chain(self.folder.clone());
        let mut names: Vec<String> = all.map(|theme| theme.name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
