//! The themes of a site.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    domain::setting::Settings,
    error::{Error, Result},
    themes::{
        built_in::{self, is_reserved},
        files::ThemeFiles,
        name::is_name,
        theme::Theme,
    },
    uploads::Uploads,
};

/// The themes of a site.
#[derive(Clone, Debug)]
pub struct Themes {
    pub(super) folder: PathBuf,
    pub(super) uploads: Uploads,
}

impl Themes {
    /// Returns the themes of the site with these uploads.
    pub fn of(uploads: &Uploads) -> Self {
        Self {
            folder: uploads.path("themes"),
            uploads: uploads.clone(),
        }
    }

    /// Returns all themes, sorted by name.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn all(&self) -> Result<Vec<Theme>> {
        self.follow_now();
        let mut themes: Vec<Theme> = built_in::BUILT_IN
            .into_iter()
            .map(|(name, files)| Theme {
                name: name.to_owned(),
                files: ThemeFiles::BuiltIn(files),
            })
            .collect();
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(themes),
            entries => entries.map_err(Error::internal)?,
        };
        for entry in entries {
            let entry = entry.map_err(Error::internal)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // The type of the entry itself: a link to a folder is not a theme.
            let is_folder = entry.file_type().map_err(Error::internal)?.is_dir();
            if is_folder && is_name(&name) && !is_reserved(&name) {
                let files = ThemeFiles::Folder(entry.path());
                themes.push(Theme { name, files });
            }
        }
        themes.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(themes)
    }

    /// Returns the theme with a name.
    pub fn find(&self, name: &str) -> Option<Theme> {
        let may_be_here = is_name(name) && !is_reserved(name);
        if !may_be_here {
            return self.find_here(name);
        }
        self.follow();
        // Another process may have added the theme since the last scan.
        self.find_here(name).or_else(|| {
            self.follow_now();
            self.find_here(name)
        })
    }

    fn find_here(&self, name: &str) -> Option<Theme> {
        let files = match built_in::find(name) {
            Some((_, files)) => ThemeFiles::BuiltIn(files),
            None if is_name(name) && !is_reserved(name) => {
                let folder = self.folder.join(name);
                let is_folder =
                    fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_dir());
                is_folder.then_some(ThemeFiles::Folder(folder))?
            }
            None => return None,
        };
        Some(Theme {
            name: name.to_owned(),
            files,
        })
    }

    /// Returns the theme that renders the pages of a site: the one in `folder`, if given, else the active one.
    pub fn in_use(&self, folder: Option<&Path>, settings: &Settings) -> Theme {
        folder.map_or_else(|| self.active(settings), Theme::in_folder)
    }

    /// Returns the active theme of a site; the default theme if the folder of the active one was removed manually.
    pub fn active(&self, settings: &Settings) -> Theme {
        let chosen = settings.text("active_theme");
        let (name, files) = built_in::DEFAULT;
        let default = || Theme {
            name: name.to_owned(),
            files: ThemeFiles::BuiltIn(files),
        };
        chosen
            .and_then(|name| self.find(&name))
            .unwrap_or_else(default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        domain::theme::{DEFAULT_IMAGE_WIDTHS, DEFAULT_THEME, image_widths},
        themes::{Report, limits::TEMPLATE_BYTES_MAX, validate},
    };

    #[test]
    fn only_regular_files_of_a_folder_are_opened() {
        let folder = tempfile::TempDir::new().unwrap();
        let assets = folder.path().join("assets");
        fs::create_dir_all(assets.join("folder.css")).unwrap();
        fs::write(assets.join("a.css"), "a").unwrap();
        fs::write(folder.path().join("secret.txt"), "secret").unwrap();
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(target, assets.join(name)).unwrap();
        };
        link("a.css", "inside.css");
        link("../secret.txt", "outside.css");
        link("/dev/zero", "zero.css");
        let pipe = std::process::Command::new("mkfifo")
            .arg(assets.join("pipe.css"))
            .status();
        assert!(pipe.unwrap().success());
        let theme = Theme::in_folder(folder.path());
        assert!(theme.asset("a.css").is_some());
        for name in [
            "inside.css",
            "outside.css",
            "zero.css",
            "pipe.css",
            "folder.css",
        ] {
            assert!(theme.asset(name).is_none(), "{name}");
        }
    }

    #[test]
    fn texts_of_a_theme_are_bounded_together() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::create_dir(folder.path().join("locales")).unwrap();
        let text = " ".repeat(TEMPLATE_BYTES_MAX as usize);
        for number in 0..10 {
            fs::write(folder.path().join(format!("{number}.hbs")), &text).unwrap();
            let locale = format!("locales/{number}.json");
            fs::write(folder.path().join(locale), &text).unwrap();
        }
        let texts = Theme::in_folder(folder.path()).texts();
        assert_eq!(texts.len(), 16);
        let report = validate(&Theme::in_folder(folder.path()));
        let finding = format!("{report:?}");
        assert!(
            finding.contains("9.hbs") && !finding.contains("7.hbs"),
            "{finding}"
        );
    }

    #[test]
    fn built_in_themes_are_valid() {
        let folder = tempfile::tempdir().unwrap();
        let themes = Themes::of(&Uploads::in_data(folder.path()));
        let names: Vec<String> = themes
            .all()
            .unwrap()
            .into_iter()
            .map(|theme| theme.name)
            .collect();
        assert_eq!(names, ["casper", "source"]);
        for theme in themes.all().unwrap() {
            assert_eq!(theme.report(), Report::default(), "{}", theme.name);
            assert_eq!(theme.package().unwrap()["name"], theme.name);
        }
        let default = themes.active(&Settings::default());
        assert_eq!(default.name, DEFAULT_THEME);
        assert_eq!(
            image_widths(&default.package().unwrap()),
            DEFAULT_IMAGE_WIDTHS
        );
    }
}
