//! Refuses targets of backups, exports and builds within or around a folder from which the site is
//! served.
//!
//! The same rule applies to all of them and uses the real paths of the folders, regardless of
//! symbolic links and whether the target exists. A path refers to the same file in the process that
//! specifies it and in the process that writes there: links that differ by process, such as
//! `/proc/self/cwd` and `/dev/fd/3`, are resolved in the process that specifies them.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{PROC_SUPER_MAGIC, statfs},
    io::Errno,
};
use walkdir::WalkDir;

use super::ControlContext;
use crate::{
    content_files::remembered_folder,
    error::{Error, Result},
    uploads::UPLOAD_FOLDERS,
};

/// Maximum length of a chain of symbolic links, as in Linux.
const LINKS_MAX: usize = 40;

/// The reason why a target is refused.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error(
        "{} is in {}, from which the site is served. Choose a path outside of it",
        target.display(), folder.display()
    )]
    Within { target: PathBuf, folder: PathBuf },
    #[error(
        "{} contains {}, from which the site is served. Choose a folder next to it",
        target.display(), folder.display()
    )]
    Around { target: PathBuf, folder: PathBuf },
    #[error(
        "{} refers to a different file in each process. Use an ordinary path",
        .0.display()
    )]
    PerProcess(PathBuf),
    #[error("{} is neither a file nor a folder. Choose another target", .0.display())]
    Special(PathBuf),
}

/// Returns the absolute path for the target `path` of this process, for another process to write to.
///
/// A path through this process's folders or open files is resolved in this process; any other path is
/// left unchanged.
///
/// # Errors
///
/// If such a link points to something without a path, such as a pipe, or there is no working folder.
pub fn named_here(path: &Path) -> io::Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    let (found_path, is_of_process) = followed(&absolute)?;
    if !is_of_process {
        return Ok(absolute);
    }
    let is_same = |named: &Path, found: &Path| number(named) == number(found);
    let is_there = match absolute.symlink_metadata() {
        // A link in `/proc` can name a deleted file or one of another mount namespace, so the found
        // path must resolve to the same file.
        Ok(_) => is_same(&absolute, &found_path),
        Err(_) => match (absolute.parent(), found_path.parent()) {
            (Some(named), Some(found)) => is_same(named, found),
            _ => false,
        },
    };
    if is_there && !is_of_processes(&found_path) {
        Ok(found_path)
    } else {
        Err(io::Error::other(Refusal::PerProcess(path.to_owned())))
    }
}

/// Returns an error if `target`, the absolute path of a file or folder to write, is in a folder of
/// the site, would contain one, or is a device, a pipe or a socket.
///
/// # Errors
///
/// An error that contains both paths; if the store or the file system cannot be read.
pub fn refuse_served(context: &ControlContext, target: &Path) -> Result<()> {
    // Writing a file replaces a link with that name; writing a folder follows the link.
    let name = target.file_name().unwrap_or_default();
    let folder = real(target.parent().unwrap_or(target)).map_err(Error::internal)?;
    // Both paths are checked, because the kind of the command decides which of them is written to.
    let (resolved, is_of_process) = followed(target).map_err(Error::internal)?;
    if is_of_process || is_of_processes(&folder) {
        return Err(Error::internal(Refusal::PerProcess(target.to_owned())));
    }
    let is_special = |found: fs::Metadata| !found.is_file() && !found.is_dir();
    if fs::metadata(target).is_ok_and(is_special) {
        return Err(Error::internal(Refusal::Special(target.to_owned())));
    }
    let paths = [folder.join(name), resolved];
    for folder in served_folders(context)? {
        let own = real(&folder).map_err(Error::internal)?;
        let target = target.to_owned();
        if paths.iter().any(|path| is_below(path, &own)) {
            return Err(Error::internal(Refusal::Within { target, folder }));
        }
        if paths.iter().any(|path| is_in(&own, path)) {
            return Err(Error::internal(Refusal::Around { target, folder }));
        }
    }
    Ok(())
}

/// Returns the folders of the site: the data folder, the folder of uploads and the targets of links
/// in it, the content folder, and the content folder that was served last, which a command need not
/// specify.
fn served_folders(context: &ControlContext) -> Result<Vec<PathBuf>> {
    let mut folders = vec![context.data.clone()];
    if context.uploads.are_shared() {
        folders.push(context.uploads.folder().to_owned());
    }
    // An operator may have moved some uploads to another disk and left links to them.
    for name in UPLOAD_FOLDERS {
        let entries = WalkDir::new(context.uploads.path(name))
            .into_iter()
            .flatten();
        let links = entries.filter(|entry| entry.path_is_symlink() && entry.path().is_dir());
        folders.extend(links.map(|link| link.into_path()));
    }
    folders.extend(context.content_folder.clone());
    folders.extend(remembered_folder(&context.site.current())?);
    Ok(folders)
}

/// Returns the device and the inode number of `path`.
fn number(path: &Path) -> Option<(u64, u64)> {
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// Returns whether `path` is `folder`, is in it, or is in a folder below it that is also mounted
/// elsewhere. Both are real paths.
fn is_below(path: &Path, folder: &Path) -> bool {
    // Numbers instead of paths, because a bind mount shows one folder under several paths.
    let above: Vec<_> = path.ancestors().filter_map(number).collect();
    let is_above = |folder: &Path| number(folder).is_some_and(|number| above.contains(&number));
    let below = WalkDir::new(folder)
        .into_iter()
        .filter_entry(|entry| entry.file_type().is_dir());
    is_in(path, folder) || below.flatten().any(|entry| is_above(entry.path()))
}

/// Returns whether `path` is `folder` or is in it. Both are real paths.
fn is_in(path: &Path, folder: &Path) -> bool {
    let of_folder = number(folder);
    let is_folder =
        |above: &Path| above == folder || (of_folder.is_some() && number(above) == of_folder);
    path.ancestors().any(is_folder)
}

/// Returns `path` without symbolic links, `.` and `..`, even if it or folders above it do not exist.
///
/// # Errors
///
/// If links form a cycle, or there is no working folder.
fn real(path: &Path) -> io::Result<PathBuf> {
    followed(path).map(|(real, _)| real)
}

/// Resolves a path as [`real`] does. Also returns whether a link on the way belongs to a process,
/// such as a link to its folders or open files.
fn followed(path: &Path) -> io::Result<(PathBuf, bool)> {
    let mut real = PathBuf::new();
    let mut links = 0;
    let mut is_of_process = false;
    let parts = |path: &Path| -> VecDeque<OsString> {
        path.components()
            .map(|part| part.as_os_str().to_owned())
            .collect()
    };
    let mut ahead = parts(&std::path::absolute(path)?);
    while let Some(part) = ahead.pop_front() {
        match Path::new(&part).components().next() {
            // Correct because `real` contains no links: the parent of a link's target is not that
            // of the link.
            Some(Component::ParentDir) => drop(real.pop()),
            Some(Component::CurDir) | None => {}
            Some(_) => match fs::read_link(real.join(&part)) {
                Ok(_) if links == LINKS_MAX => return Err(Errno::LOOP.into()),
                Ok(link) => {
                    links += 1;
                    is_of_process |= is_of_processes(&real);
                    // The parts of the link come first. An absolute link begins with `/`, which
                    // replaces `real` when it is pushed.
                    let mut behind = std::mem::replace(&mut ahead, parts(&link));
                    ahead.append(&mut behind);
                }
                // The part is not a link, or does not exist.
                Err(_) => real.push(part),
            },
        }
    }
    Ok((real, is_of_process))
}

/// Returns whether a path is in the file system of processes (`/proc`).
fn is_of_processes(path: &Path) -> bool {
    let there = path.ancestors().find(|above| above.exists());
    there.is_some_and(|path| statfs(path).is_ok_and(|found| found.f_type == PROC_SUPER_MAGIC))
}

#[cfg(test)]
mod tests {
    use std::os::{fd::AsRawFd, unix::fs::symlink};

    use super::*;

    #[test]
    fn folder_inside_a_served_one_is_recognised_under_another_path() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("content/images/2025")).unwrap();
        fs::create_dir(top.join("beside")).unwrap();
        // As a path, this link is another folder, as a bind mount would be.
        symlink("content/images", top.join("mounted")).unwrap();
        let is_below = |path: &str| is_below(&top.join(path), &top.join("content"));
        for path in ["content", "mounted/x.zip", "mounted/2025/none/x.zip"] {
            assert!(is_below(path), "{path}");
        }
        for path in ["beside/x.zip", "x.zip", "content.zip"] {
            assert!(!is_below(path), "{path}");
        }
    }

    #[test]
    fn process_links_are_resolved_or_refused_without_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        let own = fs::File::open(&top).unwrap();
        let process = std::process::id();
        symlink("elsewhere", top.join("link")).unwrap();
        symlink("/proc/self/cwd", top.join("hidden")).unwrap();
        for (path, resolved) in [
            ("/proc/self/cwd/x.zip".to_owned(), here.join("x.zip")),
            ("/proc/thread-self/cwd/x.zip".to_owned(), here.join("x.zip")),
            (
                format!("/proc/{process}/cwd/../x"),
                here.parent().unwrap().join("x"),
            ),
            (
                format!("/proc/self/root{}/x.zip", top.display()),
                top.join("x.zip"),
            ),
            (
                format!("/dev/fd/{}/x.zip", own.as_raw_fd()),
                top.join("x.zip"),
            ),
            (
                format!("{}/hidden/x.zip", top.display()),
                here.join("x.zip"),
            ),
            ("x.zip".to_owned(), here.join("x.zip")),
            (format!("{}/link", top.display()), top.join("link")),
        ] {
            assert_eq!(named_here(Path::new(&path)).unwrap(), resolved, "{path}");
        }
        let (pipe, _write) = io::pipe().unwrap();
        let gone = top.join("gone");
        fs::create_dir(&gone).unwrap();
        let opened = fs::File::open(&gone).unwrap();
        fs::remove_dir(&gone).unwrap();
        for path in [
            format!("/dev/fd/{}", pipe.as_raw_fd()),
            format!("/proc/self/fd/{}/x.zip", opened.as_raw_fd()),
            "/proc/self/fd/4000".to_owned(),
            "/proc/self/x.zip".to_owned(),
        ] {
            assert!(named_here(Path::new(&path)).is_err(), "{path}");
        }
    }

    #[test]
    fn paths_are_resolved_through_links_and_parents_even_if_missing() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("content/images")).unwrap();
        symlink("content/images", top.join("linked")).unwrap();
        symlink(top.join("content/none"), top.join("dangling")).unwrap();
        symlink("circle", top.join("circle")).unwrap();
        for (path, leads_to) in [
            ("linked/x.zip", "content/images/x.zip"),
            ("linked/../x.zip", "content/x.zip"),
            ("missing/../content/x.zip", "content/x.zip"),
            ("missing/deeper/x", "missing/deeper/x"),
            ("dangling/x", "content/none/x"),
            ("./content/./x", "content/x"),
        ] {
            assert_eq!(real(&top.join(path)).unwrap(), top.join(leads_to), "{path}");
        }
        assert!(real(&top.join("circle/x")).is_err());
    }
}
