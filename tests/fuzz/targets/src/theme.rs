//! Properties of theme archives: a theme is installed completely, only in its own folder, and with unchanged files; or
//! it is rejected and no files remain.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{Read, Write},
    path::{Path, PathBuf},
};

use galley::{
    admin,
    domain::actor::Actor,
    error::Kind,
    themes::{IncomingTheme, Themes},
    uploads::Uploads,
};
use zip::ZipArchive;

use super::{archives, small_site::SmallSite};

/// The name of the theme.
const NAME: &str = "fuzz";

/// Panics unless these properties hold for an archive, which may be a [listing](archives).
pub fn check(input: &[u8]) {
    if let Some(archive) = archives::zip(input) {
        check_archive(&archive);
    }
}

fn check_archive(archive: &[u8]) {
    let data = tempfile::tempdir().unwrap();
    let site = SmallSite::new(data.path());
    let before = site.everything();
    let themes = Themes::of(&Uploads::in_data(data.path()));
    let outcome = IncomingTheme::from_archive(&themes, file_of(archive)).and_then(|incoming| {
        let taken =
            admin::themes::add(&site.site, &Actor::Operator, &themes, NAME, &incoming, None);
        taken.map(drop)
    });
    let folder = data.path().join("themes");
    match outcome {
        Ok(()) => {
            let beside: Vec<PathBuf> = children(&folder);
            assert_eq!(beside, [folder.join(NAME)]);
            assert_eq!(children(data.path()), [folder]);
            let theme = themes.find(NAME).unwrap();
            assert!(!theme.report().is_fatal());
            let mut archive_file = tempfile::tempfile().unwrap();
            theme.write_zip(&mut archive_file).unwrap();
            assert_eq!(
                unpacked(archive_file),
                archives::files_in(&data.path().join("themes").join(NAME))
            );
        }
        Err(error) => {
            let kinds = [Kind::Validation, Kind::UnsupportedMediaType];
            let is_typed = kinds.contains(&error.kind()) || error.own_type_name().is_some();
            assert!(is_typed, "{error}");
            assert_eq!(children(&folder), Vec::<PathBuf>::new());
            let _ = fs::remove_dir(&folder);
            site.everything().assert_same_as(&before);
        }
    }
}

fn file_of(content: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file
}

/// Returns the files of an archive that Galley wrote, by path.
fn unpacked(archive: File) -> BTreeMap<String, Vec<u8>> {
    let mut archive = ZipArchive::new(archive).unwrap();
    let count = archive.len();
    let read = |number| {
        let mut file = archive.by_index(number).unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).unwrap();
        (file.name().unwrap().into_owned(), content)
    };
    (0..count).map(read).collect()
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}
