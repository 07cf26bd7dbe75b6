//! The whole Content API as files: what readers may see, as JSON and pictures at the paths at which they are served.
//!
//! A host of files passes queries over and shows the file `index.html` for a path that ends with a slash. So each list is one
//! document with all of its records and all that can be included; beside it lie the same records in pages. What the files
//! say comes from [`Still`], that is from the endpoints themselves. The same site makes the same bytes, whoever builds it,
//! and what has not changed is not written again: [`folder`] remembers what lies there.
//!
//! *Nothing is written that readers do not see: files beside a text go out when what is published names them, and files of
//! uploads likewise. Nothing is touched that another build did not write.*

mod documents;
mod folder;
mod hosts;
mod manifest;
mod pictures;

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use self::{folder::Folder, pictures::Pictures};
use crate::{
    api::{addresses::AddressError, files::FileRoots, still::Still},
    error::Error,
    import::Progress,
};

/// Records on a page of a list unless another number is asked for, as in the API.
pub const PAGE_RECORDS_DEFAULT: usize = 15;

/// Most records on a page of a list.
pub const PAGE_RECORDS_MAX: usize = 100;

/// What is to be built.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The folder to write to: an absolute path.
    pub target: PathBuf,
    /// The site's public address, when it is not the one that is configured.
    pub url: Option<String>,
    /// Records on a page of a list, 1 to [`PAGE_RECORDS_MAX`].
    pub page_size: usize,
    /// Whether files are replaced that no build wrote.
    pub overwrites: bool,
}

/// What a build did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Files that are new or other than before.
    pub written: usize,
    /// Their length, in bytes.
    pub bytes_written: u64,
    /// Files that are as they were.
    pub unchanged: usize,
    /// Files that an earlier build wrote and that are gone.
    pub removed: usize,
    /// What whoever publishes the folder should know.
    pub remarks: Vec<String>,
}

/// A folder could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Nobody said where the site will be.
    #[error(
        "where will the site be? Name its public address with --url, with `url` in galley.toml or with `url` in site.toml: it \
         stands in the files"
    )]
    NoUrl,
    /// The address is none.
    #[error(transparent)]
    Url(#[from] AddressError),
    /// There are files of others at the places where this build would write.
    #[error("{}", foreign(folder, paths))]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// The places.
        paths: Vec<String>,
    },
    /// Another build writes there.
    #[error("another build is writing to {}", .0.display())]
    Busy(PathBuf),
    /// What an earlier build wrote down cannot be understood.
    #[error("{} cannot be read: {why}. Remove it, and build with --force", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The site cannot be read.
    #[error("the site cannot be read: {0}")]
    Site(#[from] Error),
    /// The disk refuses.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Nobody wants it any more.
    #[error("the build was given up")]
    Cancelled,
}

fn foreign(folder: &Path, paths: &[String]) -> String {
    const NAMED_MAX: usize = 3;
    let named: Vec<&str> = paths.iter().take(NAMED_MAX).map(String::as_str).collect();
    let more = match paths.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "there is already something in {} that no build wrote: {}{more}. Choose another folder, or replace it with --force",
        folder.display(),
        named.join(", ")
    )
}

/// Where the folders are from which a site is made.
pub struct Sources {
    /// The files that are served.
    pub files: FileRoots,
    /// First segment of the API's paths.
    pub path_prefix: String,
}

/// Writes `site` to a folder. `progress` is told of the files.
///
/// # Errors
///
/// When the target is none, the site cannot be read or the disk refuses. What was written until then is completed by the
/// next build.
pub fn build(
    site: &Still<'_>,
    sources: &Sources,
    order: &Order,
    progress: &dyn Progress,
) -> Result<Report, BuildError> {
    let top = site.addresses().subdirectory().trim_start_matches('/');
    let below = |path: &str| match top {
        "" => path.to_owned(),
        top => format!("{top}/{path}"),
    };
    let api = below(&format!("{}/api/content", sources.path_prefix));
    let (documents, named) = documents::all(site, order.page_size)?;
    let pictures = Pictures::of(site, &sources.files, named);
    let headers = hosts::headers(&below(&sources.path_prefix), &below("content"));

    let mut folder = Folder::open(&order.target)?;
    let has_own_headers = folder.is_foreign(hosts::HEADERS) && !order.overwrites;
    let mut planned: Vec<String> = documents
        .iter()
        .map(|document| document.path(&api))
        .collect();
    planned.extend(pictures.paths().map(|path| below(&path)));
    if !has_own_headers {
        planned.push(hosts::HEADERS.to_owned());
    }
    folder.claim(&planned, order.overwrites)?;

    let total = planned.len() as u64;
    let mut done = 0;
    let mut advance = || {
        done += 1;
        progress.advance(done, total);
        if progress.is_cancelled() {
            Err(BuildError::Cancelled)
        } else {
            Ok(())
        }
    };
    if !has_own_headers {
        folder.put(hosts::HEADERS, headers.as_bytes())?;
    }
    pictures.write(site, &mut folder, below, &mut advance)?;
    for document in &documents {
        let bytes = document.json(site)?;
        folder.put(&document.path(&api), &bytes)?;
        advance()?;
    }
    let mut report = folder.finish()?;
    if has_own_headers {
        report.remarks.push(format!(
            "{} is not from a build and stays as it is; the API's answers need:\n{headers}",
            hosts::HEADERS
        ));
    }
    Ok(report)
}
