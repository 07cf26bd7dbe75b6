//! The files and folders of a new site: none replaces another, and they are removed if the site
//! cannot be completed.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use super::super::CommandFailure;
use crate::confined_folder::ConfinedFolder;

/// The mode of a file that may contain passwords.
const OWNER_ONLY: u32 = 0o600;

/// The mode of other files, before the umask.
const EVERYONE: u32 = 0o666;

/// The content files of a new site, whose folder may be somebody else's: links out of it are not followed.
struct NewContent {
    site: ConfinedFolder,
    /// The created files and folders, in this order.
    created: Vec<String>,
}

/// The created files and folders. They are removed on drop, unless they are kept.
#[derive(Default)]
pub struct NewFiles {
    created: Vec<PathBuf>,
    /// The data folder, whose content is removed, too.
    data: Option<PathBuf>,
    content: Option<NewContent>,
}

impl NewFiles {
    /// Creates a folder, if it does not exist, with those above it.
    pub fn create_folder(&mut self, path: &Path) -> Result<(), CommandFailure> {
        let missing: Vec<&Path> = path
            .ancestors()
            .take_while(|path| !path.as_os_str().is_empty() && !path.exists())
            .collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder).map_err(|error| cannot(folder, &error))?;
            self.created.push(folder.to_owned());
        }
        Ok(())
    }

    /// Creates a folder with content in the current folder, if it does not exist. The one above it exists.
    pub fn create_content_folder(&mut self, path: &str) -> Result<(), CommandFailure> {
        let refused = |error| cannot(Path::new(path), &error);
        let content = self.content().map_err(refused)?;
        if !content.site.has(path).map_err(refused)? {
            content.site.folder(path).map_err(refused)?;
            content.created.push(path.to_owned());
        }
        Ok(())
    }

    /// Creates a content file in the current folder.
    pub fn create_content(&mut self, path: &str, text: &str) -> Result<(), CommandFailure> {
        let refused = |error| cannot(Path::new(path), &error);
        let content = self.content().map_err(refused)?;
        let (folder, name) = content.site.open_parent(path).map_err(refused)?;
        let mut file = folder.create_file(name, EVERYONE).map_err(refused)?;
        content.created.push(path.to_owned());
        file.write_all(text.as_bytes()).map_err(refused)
    }

    fn content(&mut self) -> io::Result<&mut NewContent> {
        let content = match self.content.take() {
            Some(content) => content,
            None => NewContent {
                site: ConfinedFolder::open(Path::new("."))?,
                created: Vec::new(),
            },
        };
        Ok(self.content.insert(content))
    }

    /// Claims the data folder, which must be empty or not exist.
    pub fn create_data(&mut self, path: &Path) -> Result<(), CommandFailure> {
        let is_used = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        if is_used {
            return Err(CommandFailure::Command(format!(
                "there is a site already: the data folder {} is not empty, and `galley init` replaces nothing",
                path.display()
            )));
        }
        self.create_folder(path)?;
        self.data = Some(path.to_owned());
        Ok(())
    }

    /// Keeps everything.
    pub fn keep(mut self) {
        self.created.clear();
        self.data = None;
        self.content = None;
    }

    /// Creates a file that only its owner can read.
    pub fn create_private(&mut self, path: &Path, text: &str) -> Result<(), CommandFailure> {
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(OWNER_ONLY);
        let mut file = options.open(path).map_err(|error| cannot(path, &error))?;
        self.created.push(path.to_owned());
        file.write_all(text.as_bytes())
            .map_err(|error| cannot(path, &error))
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        let content = self
            .data
            .iter()
            .filter_map(|data| fs::read_dir(data).ok())
            .flatten();
        for entry in content.flatten() {
            let path = entry.path();
            let _ = if path.is_dir() {
                fs::remove_dir_all(path)
            } else {
                fs::remove_file(path)
            };
        }
        let content = self.content.take();
        if let Some(NewContent { site, created }) = content {
            for path in created.iter().rev() {
                if let Ok((folder, name)) = site.open_parent(path) {
                    // One of both, as it is a folder or a file.
                    let _ = folder.remove_folder(name).or_else(|_| folder.remove(name));
                }
            }
        }
        for path in self.created.iter().rev() {
            let _ = if path.is_dir() {
                fs::remove_dir(path)
            } else {
                fs::remove_file(path)
            };
        }
    }
}

fn cannot(path: &Path, error: &io::Error) -> CommandFailure {
    CommandFailure::Command(match error.kind() {
        io::ErrorKind::AlreadyExists => format!(
            "{} exists, and `galley init` replaces nothing",
            path.display()
        ),
        _ => format!("cannot create {}: {error}", path.display()),
    })
}
