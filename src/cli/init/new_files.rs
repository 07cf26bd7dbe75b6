//! The files and folders of a new site. Existing files are never replaced. New ones are removed if the site
//! cannot be completed, or by the next `galley init` if this one is killed.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use crate::{
    cli::command_failure::CommandFailure,
    confined_folder::ConfinedFolder,
    data_folder::{DataFolder, UNFINISHED, UnfinishedWork},
};

/// The mode of a file that may contain passwords.
const OWNER_ONLY: u32 = 0o600;

/// The mode of other files, before the umask.
const EVERYONE: u32 = 0o666;

/// The mode of the data folder, as `galley serve` creates it.
const OWNER_ONLY_FOLDER: u32 = 0o700;

/// The mode of other folders, before the umask.
const EVERYONE_FOLDER: u32 = 0o777;

/// The content files of a new site. The folder may belong to another user, so links out of it are not
/// followed.
struct NewContent {
    site: ConfinedFolder,
    /// The created files and folders, in order of creation.
    created: Vec<String>,
}

/// The created files and folders. They are removed on drop, unless the command completes.
#[derive(Default)]
pub struct NewFiles {
    created: Vec<PathBuf>,
    /// The data folder, whose content is removed, too.
    data: Option<PathBuf>,
    content: Option<NewContent>,
}

impl NewFiles {
    /// Creates a folder and its missing parents.
    pub fn create_folder(&mut self, path: &Path) -> Result<(), CommandFailure> {
        self.create_folder_with(path, EVERYONE_FOLDER)
    }

    /// Creates a folder with this mode and its missing parents.
    fn create_folder_with(&mut self, path: &Path, mode: u32) -> Result<(), CommandFailure> {
        let missing: Vec<&Path> = path
            .ancestors()
            .take_while(|path| !path.as_os_str().is_empty() && !path.exists())
            .collect();
        for folder in missing.into_iter().rev() {
            let mode = if folder == path {
                mode
            } else {
                EVERYONE_FOLDER
            };
            let created = DirBuilder::new().mode(mode).create(folder);
            created.map_err(|error| cannot(folder, &error))?;
            self.created.push(folder.to_owned());
        }
        Ok(())
    }

    /// Creates a content folder in the current folder, unless it exists. Its parent must exist.
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
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(refused)
    }

    fn content(&mut self) -> io::Result<&mut NewContent> {
        // `Option::get_or_insert_with` could not return the error of `open`.
        let content = match self.content.take() {
            Some(content) => content,
            None => NewContent {
                site: ConfinedFolder::open(Path::new("."))?,
                created: Vec::new(),
            },
        };
        Ok(self.content.insert(content))
    }

    /// Claims the data folder for `work`. The folder must be empty, not exist, or be left behind by a killed
    /// `work`.
    pub fn create_data(
        &mut self,
        path: &Path,
        work: &UnfinishedWork,
    ) -> Result<(), CommandFailure> {
        let unfinished =
            DataFolder::unfinished(path)?.filter(|unfinished| unfinished.is_like(work));
        match &unfinished {
            Some(unfinished) => remove_unfinished(path, unfinished),
            None if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) => {
                return Err(CommandFailure::Command(format!(
                    "there is a site already: the data folder {} is not empty, and `galley init` replaces nothing",
                    path.display()
                )));
            }
            None => self.create_folder_with(path, OWNER_ONLY_FOLDER)?,
        }
        self.data = Some(path.to_owned());
        // The lock is released, since the commands that fill the folder lock it again.
        drop(DataFolder::begin(path, work)?);
        Ok(())
    }

    /// Renames `draft` to `name`, durably, and completes the command.
    pub fn complete(mut self, draft: &Path, name: &Path) -> Result<(), CommandFailure> {
        // A hard link cannot replace an existing file, but not every file system supports links.
        let named = match fs::hard_link(draft, name) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists && !name.exists() => {
                fs::rename(draft, name)
            }
            linked => linked,
        };
        named.map_err(|error| cannot(name, &error))?;
        // From here on there is a site, so nothing is removed even if a following step fails.
        self.created.clear();
        self.data = None;
        self.content = None;
        let _ = fs::remove_file(draft);
        let synced = name.parent().map(|folder| File::open(folder)?.sync_all());
        synced
            .unwrap_or(Ok(()))
            .map_err(|error| cannot(name, &error))
    }

    /// Creates a file that only its owner can read.
    pub fn create_private(&mut self, path: &Path, text: &str) -> Result<(), CommandFailure> {
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(OWNER_ONLY);
        let mut file = options.open(path).map_err(|error| cannot(path, &error))?;
        self.created.push(path.to_owned());
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(|error| cannot(path, &error))
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        if let Some(data) = &self.data {
            // The marker of a folder without a site is removed last.
            remove_content(data, &[UNFINISHED]);
            remove_content(data, &[]);
        }
        let content = self.content.take();
        if let Some(NewContent { site, created }) = content {
            for path in created.iter().rev() {
                if let Ok((folder, name)) = site.open_parent(path) {
                    // The path is either a folder or a file.
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

/// Removes the content of a data folder that has no site yet, except these names.
fn remove_content(data: &Path, but: &[&str]) {
    let content = fs::read_dir(data).into_iter().flatten().flatten();
    for entry in content.filter(|entry| but.iter().all(|name| entry.file_name() != *name)) {
        let path = entry.path();
        let _ = if path.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
    }
}

/// Removes the files of a killed command: those in the data folder, and complete or incomplete files that it
/// created elsewhere, with their folders if those are empty. Files that were changed since remain.
pub fn remove_unfinished(data: &Path, unfinished: &UnfinishedWork) {
    remove_content(data, &[UNFINISHED]);
    for (path, text) in unfinished.created() {
        let is_ours = fs::read(path).is_ok_and(|found| text.as_bytes().starts_with(&found));
        if !is_ours {
            continue;
        }
        let _ = fs::remove_file(path);
        if let Some(folder) = path.parent() {
            let _ = fs::remove_dir(folder);
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
