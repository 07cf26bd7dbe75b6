//! Themes on disk: a folder for each below `themes/` of the uploads, and two built-in ones.
//!
//! Nothing is rendered here. A theme is stored for its assets, for the settings and image widths in
//! its package, and so that clients that upload and activate themes continue to work. A new theme
//! is extracted next to its final path, validated, and then moved there: at any crash, either the old
//! theme or the new one is there, whole. *Files of a theme never leave its folder; no link is
//! followed.*

mod bucket_change;
mod built_in;
mod card_classes;
mod download;
mod encoding;
mod github;
mod helper_names;
mod in_bucket;
mod incoming;
mod name;
mod old_expressions;
mod package_rules;
mod packages;
mod replacement;
mod replacement_in_bucket;
mod report;
mod rules;
mod served_paths;
mod template_rules;
mod text_rules;
mod translations;
mod validation;
mod variable_rules;

use std::{
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use serde_json::Value;
use walkdir::WalkDir;

use self::served_paths::is_asset;
pub use self::{
    built_in::is_reserved,
    github::GitHubRepository,
    incoming::IncomingTheme,
    name::{NAME_BYTES_MAX, from_text as name_from_text, is_name, name_of_file},
    packages::InstalledThemes,
    replacement::{ReplacedTheme, clear_abandoned},
    report::{Finding, Level, Report, RuleViolation},
    served_paths::is_for_readers,
    translations::parse as parse_translations,
    validation::{code_of, template_errors, validate},
};
use crate::{
    confined_folder::ConfinedFolder,
    domain::setting::Settings,
    error::{Error, Result},
    uploads::Uploads,
};

/// Largest package that is read, in bytes.
const PACKAGE_BYTES_MAX: u64 = 256 << 10;

/// Largest template that is read, in bytes.
const TEMPLATE_BYTES_MAX: u64 = 1 << 20;

/// Most bytes of all templates that are read, and of all translations.
const TEXTS_BYTES_MAX: u64 = 8 << 20;

/// Largest asset whose content is summed, in bytes.
const ASSET_BYTES_MAX: u64 = 16 << 20;

/// Most files of a theme.
const FILES_MAX: usize = 10_000;

/// Most nested folders of a theme.
const DEPTH_MAX: usize = 20;

/// Most bytes of all files of a theme.
const BYTES_MAX: u64 = 256 << 20;

/// The name of the package file.
const PACKAGE: &str = "package.json";

/// The themes of a site.
#[derive(Clone, Debug)]
pub struct Themes {
    folder: PathBuf,
    uploads: Uploads,
}

/// One theme.
#[derive(Clone, Debug)]
pub struct Theme {
    /// Its name, which is also that of its folder.
    pub name: String,
    files: Files,
}

/// The location of a theme's files.
#[derive(Clone, Debug)]
enum Files {
    /// In the program.
    BuiltIn(built_in::BuiltInFiles),
    /// In this folder, which is replaced as a whole.
    Folder(PathBuf),
    /// In this folder, in which files are edited.
    Edited(PathBuf),
}

/// The version of a theme's files: it changes when they are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeVersion {
    name: String,
    /// The device, inode and time of change of the folder, or of each of its files if they are edited; none for a theme in the
    /// program.
    files: Vec<FileVersion>,
}

/// The device, inode and time of change of a file or folder.
type FileVersion = (u64, u64, i64, i64);

/// A file of a theme.
#[derive(Debug)]
pub enum ThemeFile {
    /// In the program.
    BuiltIn(&'static str),
    /// On disk, and open.
    Open(File),
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
                files: Files::BuiltIn(files),
            })
            .collect();
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(themes),
            entries => entries.map_err(Error::internal)?,
        };
        for entry in entries {
            let entry = entry.map_err(Error::internal)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.file_type().map_err(Error::internal)?.is_dir();
            if is_folder && is_name(&name) && !is_reserved(&name) {
                let files = Files::Folder(entry.path());
                themes.push(Theme { name, files });
            }
        }
        themes.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(themes)
    }

    /// Returns the theme of this name.
    pub fn find(&self, name: &str) -> Option<Theme> {
        let may_be_here = is_name(name) && !is_reserved(name);
        if !may_be_here {
            return self.find_here(name);
        }
        self.follow();
        self.find_here(name).or_else(|| {
            self.follow_now();
            self.find_here(name)
        })
    }

    fn find_here(&self, name: &str) -> Option<Theme> {
        let files = match built_in::find(name) {
            Some((_, files)) => Files::BuiltIn(files),
            None if is_name(name) && !is_reserved(name) => {
                let folder = self.folder.join(name);
                let is_folder =
                    fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_dir());
                is_folder.then_some(Files::Folder(folder))?
            }
            None => return None,
        };
        Some(Theme {
            name: name.to_owned(),
            files,
        })
    }

    /// Returns the theme that renders the pages of a site with these settings: that of `folder`, if there is one, else the active
    /// one.
    pub fn in_use(&self, folder: Option<&Path>, settings: &Settings) -> Theme {
        folder.map_or_else(|| self.active(settings), Theme::in_folder)
    }

    /// Returns the active theme of a site with these settings; the default one if its folder was
    /// removed by hand.
    pub fn active(&self, settings: &Settings) -> Theme {
        let chosen = settings.text("active_theme");
        let (name, files) = built_in::DEFAULT;
        let default = || Theme {
            name: name.to_owned(),
            files: Files::BuiltIn(files),
        };
        chosen
            .and_then(|name| self.find(&name))
            .unwrap_or_else(default)
    }
}

impl Theme {
    /// Returns whether it comes with Galley.
    pub fn is_built_in(&self) -> bool {
        matches!(self.files, Files::BuiltIn(_))
    }

    /// Returns the theme of any folder, named after it.
    pub fn in_folder(folder: &Path) -> Self {
        let name = folder.file_name().unwrap_or_default();
        Self {
            name: name.to_string_lossy().into_owned(),
            files: Files::Edited(folder.to_owned()),
        }
    }

    /// Returns whether its files are edited in the folder that they are in.
    pub fn is_edited(&self) -> bool {
        matches!(self.files, Files::Edited(_))
    }

    /// Returns its package; `None` if it has none that can be read.
    pub fn package(&self) -> Option<Value> {
        let bytes = self.read(PACKAGE, PACKAGE_BYTES_MAX)?;
        let package: Value = serde_json::from_str(&encoding::decoded(bytes)).ok()?;
        package.is_object().then_some(package)
    }

    /// Returns an asset by its path below `assets/`; `None` if it does not exist or is not served:
    /// templates, packages, documents about the theme, and files without an extension.
    pub fn asset(&self, path: &str) -> Option<ThemeFile> {
        is_asset(path).then(|| self.open(&format!("assets/{path}")))?
    }

    /// Returns the paths of its assets below `assets/`, sorted.
    pub fn asset_paths(&self) -> Vec<String> {
        let paths = self.paths().into_iter();
        let below = paths.filter_map(|path| Some(path.strip_prefix("assets/")?.to_owned()));
        below.filter(|path| is_asset(path)).collect()
    }

    /// Opens a file outside of the assets that a site serves, such as `robots.txt`, by its path in the theme; `None` if it does
    /// not exist or is not for readers. No link is followed.
    pub fn top_file(&self, path: &str) -> Option<ThemeFile> {
        (is_asset(path) && is_for_readers(path)).then(|| self.open(path))?
    }

    /// Returns the result of validating it.
    pub fn report(&self) -> Report {
        validate(self)
    }

    /// Returns the names of its top-level templates, without `.hbs`, sorted.
    pub fn top_templates(&self) -> Vec<String> {
        let paths = self.paths();
        let at_top = paths.iter().filter(|path| !path.contains('/'));
        at_top
            .filter_map(|path| Some(path.strip_suffix(".hbs")?.to_owned()))
            .collect()
    }

    /// Returns the version of its files. An upload replaces the folder, so its metadata suffices; a folder in which files are edited
    /// is walked.
    pub fn version(&self) -> ThemeVersion {
        let version = |path: &Path| {
            let metadata = fs::symlink_metadata(path).ok()?;
            let changed = (metadata.ctime(), metadata.ctime_nsec());
            Some((metadata.dev(), metadata.ino(), changed.0, changed.1))
        };
        let files = match &self.files {
            Files::BuiltIn(_) => Vec::new(),
            Files::Folder(folder) => version(folder).into_iter().collect(),
            Files::Edited(folder) => {
                let paths = self.paths().into_iter();
                paths
                    .filter_map(|path| version(&folder.join(path)))
                    .collect()
            }
        };
        ThemeVersion {
            name: self.name.clone(),
            files,
        }
    }

    /// Returns the text of a template by its path, such as `partials/card.hbs`.
    pub fn template(&self, path: &str) -> Option<String> {
        self.read(path, TEMPLATE_BYTES_MAX).map(encoding::decoded)
    }

    /// Returns the path and the text of its templates and translations, sorted by path. Files that are too long, alone or together,
    /// are left out.
    pub fn texts(&self) -> Vec<(String, String)> {
        let files = self.text_files().into_iter();
        files
            .map(|(path, bytes)| (path, encoding::decoded(bytes)))
            .collect()
    }

    /// Returns the same as [`Self::texts`], not decoded.
    fn text_files(&self) -> Vec<(String, Vec<u8>)> {
        let paths = self.paths();
        let (mut templates, mut translations) = (self.text_reader(), self.text_reader());
        let read = |path: String| {
            let bytes = if path.ends_with(".hbs") {
                templates(&path)?
            } else if translations::is_translation(&path) {
                translations(&path)?
            } else {
                return None;
            };
            Some((path, bytes))
        };
        paths.into_iter().filter_map(read).collect()
    }

    /// Returns a function that reads templates or translations, one after the other; it returns `None` for those that cannot be
    /// read, and that are too long, alone or together with those before.
    fn text_reader(&self) -> impl FnMut(&str) -> Option<Vec<u8>> {
        let mut bytes_left = TEXTS_BYTES_MAX;
        move |path| {
            let bytes = self.read(path, TEMPLATE_BYTES_MAX.min(bytes_left))?;
            bytes_left -= bytes.len() as u64;
            Some(bytes)
        }
    }

    /// Returns the content of an asset by its path below `assets/`; `None` if it does not exist, is not served, or has more
    /// than 16 MiB.
    pub fn asset_content(&self, path: &str) -> Option<Vec<u8>> {
        let path = is_asset(path).then(|| format!("assets/{path}"))?;
        self.read(&path, ASSET_BYTES_MAX)
    }

    /// Returns the paths of its files, sorted, without links and hidden files.
    fn paths(&self) -> Vec<String> {
        let folder = match &self.files {
            Files::BuiltIn(files) => {
                return files.iter().map(|(path, _)| (*path).to_owned()).collect();
            }
            Files::Folder(folder) | Files::Edited(folder) => folder,
        };
        let is_considered = |entry: &walkdir::DirEntry| {
            entry.depth() == 0 || !is_ignored(&entry.file_name().to_string_lossy())
        };
        let mut paths: Vec<String> = WalkDir::new(folder)
            .max_depth(DEPTH_MAX + 1)
            .into_iter()
            .filter_entry(is_considered)
            // Entries that cannot be read are treated as missing.
            .filter_map(walkdir::Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .filter_map(|entry| Some(entry.path().strip_prefix(folder).ok()?.to_str()?.to_owned()))
            .take(FILES_MAX)
            .collect();
        paths.sort_unstable();
        paths
    }

    /// Opens a file by its path; returns `None` if it does not exist. No link is followed.
    fn open(&self, path: &str) -> Option<ThemeFile> {
        match &self.files {
            Files::BuiltIn(files) => files
                .iter()
                .find(|(own, _)| *own == path)
                .map(|(_, text)| ThemeFile::BuiltIn(text)),
            Files::Folder(folder) | Files::Edited(folder) => {
                let mut file_path = folder.clone();
                for part in path.split('/') {
                    file_path.push(part);
                    let metadata = fs::symlink_metadata(&file_path).ok()?;
                    if metadata.is_symlink() {
                        return None;
                    }
                }
                // Another kind of file, such as a pipe, could make the reader wait without end.
                let folder = ConfinedFolder::open(folder).ok()?;
                folder.open_file(path).ok().map(ThemeFile::Open)
            }
        }
    }

    /// Returns the content of a file of at most `bytes_max` bytes.
    fn read(&self, path: &str, bytes_max: u64) -> Option<Vec<u8>> {
        match self.open(path)? {
            ThemeFile::BuiltIn(text) => Some(text.as_bytes().to_vec()),
            ThemeFile::Open(file) => {
                let mut bytes = Vec::new();
                file.take(bytes_max + 1).read_to_end(&mut bytes).ok()?;
                (bytes.len() as u64 <= bytes_max).then_some(bytes)
            }
        }
    }
}

/// Returns whether a file or folder of this name does not belong to the theme: hidden ones and the
/// author's build tools.
fn is_ignored(name: &str) -> bool {
    name.starts_with('.') || name == "node_modules"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::theme::{DEFAULT_IMAGE_WIDTHS, DEFAULT_THEME, image_widths};

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
