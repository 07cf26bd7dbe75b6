//! Checks the data folder: its rights, the free space, and the type of its file system.

use std::{
    fs::{self, Metadata},
    io,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access, statfs, statvfs};

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::data_folder::{DataFolder, STORE};

/// Free space below which commits may fail at any moment, in bytes.
const SPACE_MIN: u64 = 64 << 20;

/// Free space that a backup and a few days of changes need in addition to the size of the store, in bytes.
const SPACE_SPARE: u64 = 256 << 20;

/// File systems that are unsuitable for a data folder: their type numbers in Linux (`statfs(2)`), names and shortcomings.
const UNSUITABLE: [(u64, &str, &str); 8] = [
    (0x6969, "NFS", NETWORK),
    (0xff53_4d42, "SMB", NETWORK),
    (0xfe53_4d42, "SMB", NETWORK),
    (0x517b, "SMB", NETWORK),
    (0x0102_1997, "9p", NETWORK),
    (
        0x6573_5546,
        "FUSE",
        "whether it flushes to disk and locks depends on the program behind it",
    ),
    (
        0x0102_1994,
        "tmpfs",
        "it is in memory and lost with a restart",
    ),
    (
        0x794c_7630,
        "overlay",
        "it belongs to a container and is deleted with it",
    ),
];

const NETWORK: &str = "locks and flushes over a network do not protect the store";

/// Checks the folder.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let path = &examined.config.data;
    let metadata = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => metadata,
        Ok(_) => {
            return vec![UnnamedFinding::error(
                format!("{} is not a folder", path.display()),
                "Choose another with --data or `data`.",
            )];
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return vec![missing(examined)],
        Err(error) => {
            return vec![UnnamedFinding::error(
                format!("cannot read {}: {error}", path.display()),
                "Run this as the user that Galley runs as, and give that user the folder.",
            )];
        }
    };
    let mut outcomes: Vec<UnnamedFinding> = [
        unfinished(path),
        unwritable(examined),
        other_owner(path, &metadata),
        open_to_others(path, &metadata),
        little_space(path),
        unsuitable(path),
    ]
    .into_iter()
    .flatten()
    .collect();
    if outcomes.is_empty() {
        outcomes.push(UnnamedFinding::ok(usual(path)));
    }
    outcomes
}

fn missing(examined: &ExaminedSite) -> UnnamedFinding {
    let path = shown(&examined.config.data);
    match &examined.config.store_url {
        Some(url) => UnnamedFinding::ok(format!(
            "{path} does not exist yet; the site is in {url}, and the first start creates the folder"
        )),
        None => UnnamedFinding::warning(
            format!("{path} does not exist, so there is no site yet"),
            "`galley serve` creates one. If there is a site, name its folder with --data, or run this where its galley.toml is.",
        ),
    }
}

fn shown(path: &Path) -> String {
    let absolute = path.canonicalize().or_else(|_| std::path::absolute(path));
    absolute
        .unwrap_or_else(|_| PathBuf::from(path))
        .display()
        .to_string()
}

fn unfinished(path: &Path) -> Option<UnnamedFinding> {
    match DataFolder::unfinished(path) {
        Ok(None) => None,
        Ok(Some(work)) => Some(UnnamedFinding::error(
            format!("{} has no site yet: a command was killed", path.display()),
            format!(
                "{}. To begin with an empty site, delete that folder.",
                work.advice()
            ),
        )),
        Err(error) => Some(UnnamedFinding::error(error.to_string(), "Check the disk.")),
    }
}

fn unwritable(examined: &ExaminedSite) -> Option<UnnamedFinding> {
    let path = &examined.config.data;
    if DataFolder::is_on_read_only_disk(path) {
        let advice = match examined.config.store_url {
            // A backup from the database needs the folder.
            Some(_) => {
                "The system does that to a disk with errors: see `dmesg`. The records of the site are in its database."
            }
            None => {
                "The system does that to a disk with errors: see `dmesg`. `galley backup FILE`, with a file on another disk, saves the last commit."
            }
        };
        return Some(UnnamedFinding::error(
            format!("the disk of {} is read-only", shown(path)),
            advice,
        ));
    }
    let files = [path.to_owned(), path.join(STORE)];
    let refused = files
        .iter()
        .find(|file| file.exists() && access(*file, Access::READ_OK | Access::WRITE_OK).is_err())?;
    Some(UnnamedFinding::error(
        format!("this user cannot write to {}", refused.display()),
        "Run this as the user that Galley runs as. If it is that user, give it the folder: `sudo chown -R USER FOLDER`.",
    ))
}

/// Returns a finding about files that the owner of the folder does not own, which commands create when they run as root.
fn other_owner(path: &Path, folder: &Metadata) -> Option<UnnamedFinding> {
    let entries = fs::read_dir(path).ok()?.flatten();
    // The operating system creates `lost+found` at the top of a disk, for root.
    let entries = entries.filter(|entry| entry.file_name() != "lost+found");
    let mut others = entries.filter(|entry| {
        let owner = entry.metadata().map(|metadata| metadata.uid());
        owner.is_ok_and(|owner| owner != folder.uid())
    });
    let other = others.next()?;
    Some(UnnamedFinding::error(
        format!(
            "{} does not belong to the owner of its folder",
            other.path().display()
        ),
        format!(
            "A command was run as another user. Give it back: `sudo chown -R {} {}`.",
            folder.uid(),
            path.display()
        ),
    ))
}

fn open_to_others(path: &Path, metadata: &Metadata) -> Option<UnnamedFinding> {
    const OTHERS: u32 = 0o007;
    let mode = metadata.permissions().mode();
    (mode & OTHERS != 0).then(|| {
        UnnamedFinding::warning(
            format!(
                "other users of this machine can enter {}, which contains keys and password hashes",
                shown(path)
            ),
            format!("`chmod 700 {}`", path.display()),
        )
    })
}

fn little_space(path: &Path) -> Option<UnnamedFinding> {
    let disk = statvfs(path).ok()?;
    let free = DataFolder::free_bytes(path).ok()?;
    let store = fs::metadata(path.join(STORE)).map_or(0, |file| file.len());
    // File systems without a fixed number of inodes, such as btrfs, report 0 in total.
    if disk.f_files > 0 && disk.f_favail == 0 {
        return Some(UnnamedFinding::error(
            format!(
                "no file can be created on the disk of {}: it has no free inode",
                path.display()
            ),
            "Delete files there.",
        ));
    }
    let message = format!("{} free on the disk of {}", megabytes(free), shown(path));
    if free < SPACE_MIN {
        Some(UnnamedFinding::error(
            message,
            "Free some space: without it, changes are refused.",
        ))
    } else if free < store + SPACE_SPARE {
        let advice = format!(
            "A backup needs space for a copy of the store ({}) while it is written. Free some.",
            megabytes(store)
        );
        Some(UnnamedFinding::warning(message, advice))
    } else {
        None
    }
}

fn unsuitable(path: &Path) -> Option<UnnamedFinding> {
    let kind = kind_of(path)?;
    let (_, name, lack) = UNSUITABLE.iter().find(|(number, ..)| *number == kind)?;
    Some(UnnamedFinding::warning(
        format!("{} is on {name}: {lack}", shown(path)),
        "Put it on a disk of this machine, or on a volume of the container.",
    ))
}

/// Returns the type number of a file system.
fn kind_of(path: &Path) -> Option<u64> {
    let kind = statfs(path).ok()?.f_type;
    // The type of the field differs between architectures; the number has 32 bits.
    Some((kind as u64) & 0xffff_ffff)
}

fn usual(path: &Path) -> String {
    let free = DataFolder::free_bytes(path).unwrap_or(0);
    format!("{}, {} free", shown(path), megabytes(free))
}

fn megabytes(bytes: u64) -> String {
    const MEGABYTE: f64 = (1 << 20) as f64;
    format!("{:.0} MB", bytes as f64 / MEGABYTE)
}
