//! `galley copy`

mod report;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use clap::Args;

use super::progress_bar::Bar;
use crate::{
    app::AppError,
    atomic_file::{self, AtomicFile},
    backup::{self, CopiedUploads},
    cli::{command_failure::CommandFailure, common_arguments::CommonArguments},
    config::Config,
    data_folder::{DataFolder, STORE, UnfinishedWork},
    progress::Progress,
    store::{
        RecordsDigest, Snapshot, Store, has_begun_copy,
        postgres::PostgresUrl,
        redb::{self, RedbStore},
    },
    themes::Themes,
    uploads::Uploads,
};
use report::Copied;

/// The argument for the database of the option `store.url`.
const CONFIGURED: &str = "postgres:";

/// The folder in the data folder for records in transit between two databases.
const COPYING: &str = "copying";

/// The arguments of `copy`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley copy --from /var/lib/galley --to postgres://galley@db.example.com/galley\n  galley copy --from postgres: --to /var/lib/galley\n\n\
                  Copies all records with their revisions, as of one commit, reads them back and compares them. The destination must\n\
                  have no site, and is complete at the end. After an interruption, run the same command again: it continues.\n\
                  Stop the servers first: changes that they make meanwhile are not copied.\n\
                  Uploads are copied to where uploads.folder or uploads.bucket says, or from there, if one of them is set."
)]
pub struct CopyArguments {
    /// The source: a data folder without a running server, or a database (postgres://…); `postgres:`
    /// for the one of store.url, so that other users do not see its password
    #[arg(long, value_name = "DIR|URL")]
    from: String,
    /// The destination, in the same form
    #[arg(long, value_name = "DIR|URL")]
    to: String,
    /// Delete an incomplete copy that is at the destination, and begin again
    #[arg(long)]
    restart: bool,
    /// Leave the uploads where they are
    #[arg(long)]
    without_uploads: bool,
    /// Print the report as a JSON object
    #[arg(long)]
    json: bool,
}

/// One end of a copy.
enum CopyEnd {
    Folder(PathBuf),
    Database(Box<PostgresUrl>),
}

/// Copies the store of a site.
pub fn run(
    common: &CommonArguments,
    arguments: &CopyArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let from = CopyEnd::named(&arguments.from, "--from", &config)?;
    let to = CopyEnd::named(&arguments.to, "--to", &config)?;
    let bar = Bar::new("copying", !common.quiet);
    let uploads = OtherUploads {
        config: &config,
        are_copied: !arguments.without_uploads,
    };
    let copied = match (&from, &to) {
        (CopyEnd::Folder(from), CopyEnd::Folder(_)) => {
            return Err(CommandFailure::Command(format!(
                "a data folder is copied with its uploads by `galley backup FILE --data {}` and `galley restore FILE --data DIR`",
                from.display()
            )));
        }
        (CopyEnd::Folder(from), CopyEnd::Database(to)) => from_folder(from, &config, |snapshot| {
            let name = absolute(from).display().to_string();
            let mut copied_uploads = None;
            let copied = to_database((snapshot, &name), to, arguments.restart, &bar, || {
                let from = Uploads::in_data(from);
                copied_uploads = uploads.copy(|other| (from, other), &bar)?;
                Ok(())
            });
            Ok(Copied {
                uploads: copied_uploads,
                ..copied?
            })
        }),
        (CopyEnd::Database(from), CopyEnd::Folder(to)) => {
            let restarts = arguments.restart;
            to_folder(from, to, (&config, restarts, &uploads), &bar)
        }
        (CopyEnd::Database(from), CopyEnd::Database(to)) => {
            between_databases(from, to, (&config, arguments.restart), &bar)
        }
    };
    bar.finish();
    let copied = copied?;
    report::print(arguments, &copied, (&from, &to), &config)?;
    Ok(ExitCode::SUCCESS)
}

/// The uploads in the location that `uploads.folder` or `uploads.bucket` names.
struct OtherUploads<'c> {
    config: &'c Config,
    are_copied: bool,
}

impl OtherUploads<'_> {
    /// Copies the uploads, if such a location is configured. `direction` receives its uploads, and
    /// returns the source and the destination.
    fn copy(
        &self,
        direction: impl FnOnce(Uploads) -> (Uploads, Uploads),
        bar: &Bar,
    ) -> Result<Option<CopiedUploads>, CommandFailure> {
        // Receives the archives of themes that are unpacked from a bucket.
        let folder = temporary_folder()?;
        let config = self.config;
        let uploads = match (&config.uploads_bucket, &config.uploads_folder) {
            _ if !self.are_copied => return Ok(None),
            (Some(bucket), _) => Uploads::in_bucket(folder.path(), Arc::clone(bucket)),
            (None, Some(folder)) => Uploads::in_shared(folder),
            (None, None) => return Ok(None),
        };
        uploads.check().map_err(AppError::from)?;
        let (from, to) = direction(uploads);
        if from.bucket().is_some() {
            // Listing the themes unpacks their archives from the bucket.
            Themes::of(&from).all().map_err(AppError::from)?;
        }
        let copied = backup::copy_uploads(&from, &to, bar);
        let copied = copied.map_err(|error| CommandFailure::Command(error.to_string()))?;
        Ok(Some(copied))
    }
}

fn temporary_folder() -> Result<tempfile::TempDir, CommandFailure> {
    tempfile::tempdir().map_err(|error| {
        CommandFailure::Command(format!("cannot create a temporary folder: {error}"))
    })
}

impl CopyEnd {
    fn named(text: &str, option: &str, config: &Config) -> Result<Self, CommandFailure> {
        if text == CONFIGURED {
            let url = config.store_url.clone().ok_or_else(|| {
                CommandFailure::Command(format!(
                    "{option} {CONFIGURED} needs store.url, or GALLEY_STORE_URL"
                ))
            })?;
            return Ok(Self::Database(Box::new(url)));
        }
        if ["postgres:", "postgresql:"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
        {
            let url: PostgresUrl = text
                .parse()
                .map_err(|error| CommandFailure::Command(format!("{option}: {error}")))?;
            return Ok(Self::Database(Box::new(url)));
        }
        Ok(Self::Folder(text.into()))
    }
}

/// Copies the store of a data folder that no other process has open.
fn from_folder(
    from: &Path,
    config: &Config,
    copy: impl FnOnce(&dyn Snapshot) -> Result<Copied, CommandFailure>,
) -> Result<Copied, CommandFailure> {
    if !from.is_dir() {
        return Err(CommandFailure::Command(format!(
            "there is no data folder {}",
            from.display()
        )));
    }
    DataFolder::refuse_replica(from)?;
    // The lock excludes a running server, whose later changes would be lost.
    let folder = DataFolder::open(from)?;
    if !folder.store().is_file() {
        return Err(no_site(&from.display()));
    }
    let store = open_file(&folder.store(), config.store_cache_bytes)?;
    let snapshot = store.snapshot().map_err(AppError::from)?;
    if snapshot.revision() == 0 {
        return Err(no_site(&from.display()));
    }
    copy(&*snapshot)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn no_site(site: &dyn std::fmt::Display) -> CommandFailure {
    CommandFailure::Command(format!("{site} has no site"))
}

fn open_file(path: &Path, cache_bytes: usize) -> Result<RedbStore, CommandFailure> {
    Ok(RedbStore::open(path, cache_bytes).map_err(AppError::from)?)
}

/// Copies the store of a database to a data folder without a site. The records are first fetched
/// into a file in that folder; a later run resumes an interrupted fetch. They are then written to
/// another file, which is renamed to the store when it is complete and verified.
fn to_folder(
    from: &PostgresUrl,
    to: &Path,
    (config, restarts, uploads): (&Config, bool, &OtherUploads<'_>),
    bar: &Bar,
) -> Result<Copied, CommandFailure> {
    let refuse_site = |store: &Path| {
        if store.exists() {
            return Err(CommandFailure::Command(format!(
                "{} already has a site, which is never replaced: choose another folder",
                to.display()
            )));
        }
        Ok(())
    };
    refuse_site(&to.join(STORE))?;
    let folder = DataFolder::begin(to, &UnfinishedWork::of("galley copy", Some(STORE.into())))?;
    // Checked again, since another process may have created a site before the folder was locked.
    refuse_site(&folder.store())?;
    let failed = write_error(to);
    // Files of a killed run: this process has the lock, so no other one uses them.
    backup::clear_abandoned(to).map_err(failed)?;
    atomic_file::clear_abandoned(to, |_| true).map_err(failed)?;
    let copied = from_database(from, (to, restarts), config, |snapshot, found| {
        // Before the store, which makes the folder a site: a site never lacks its uploads.
        let copied_uploads = uploads.copy(|other| (other, Uploads::in_data(to)), bar)?;
        let written = write_store(snapshot, found, &folder, bar)?;
        Ok(Copied {
            uploads: copied_uploads,
            ..written
        })
    });
    if copied.is_ok() {
        clear_copies(to).map_err(failed)?;
    }
    // The folder stays marked as unfinished while a later run can resume the copy.
    if copied.is_ok() || !has_begun_copy(to).map_err(failed)? {
        folder.finish()?;
    }
    copied
}

/// Copies the store of a database to another database. The records go through a file in a separate
/// folder within the data folder. A later run resumes from the file; the folder is removed at the
/// end.
fn between_databases(
    from: &PostgresUrl,
    to: &PostgresUrl,
    (config, restarts): (&Config, bool),
    bar: &Bar,
) -> Result<Copied, CommandFailure> {
    let data = &config.data;
    let is_new = !data.exists();
    // The data folder itself cannot be opened, since a server may have it open.
    let folder = DataFolder::open(data.join(COPYING))?;
    let failed = write_error(folder.path());
    let copied = from_database(
        from,
        (folder.path(), restarts),
        config,
        |snapshot, found| {
            let name = from.to_string();
            let copied = to_database((snapshot, &name), to, restarts, bar, || Ok(()))?;
            Ok(Copied {
                fetched_before: Some(found),
                ..copied
            })
        },
    )?;
    fs::remove_dir_all(folder.path()).map_err(failed)?;
    if is_new {
        // This fails if another process has put something into the folder meanwhile.
        let _ = fs::remove_dir(data);
    }
    Ok(copied)
}

/// Returns a function that reports an error of a folder.
fn write_error(folder: &Path) -> impl Fn(io::Error) -> CommandFailure + Copy {
    move |error| CommandFailure::Command(format!("cannot write to {}: {error}", folder.display()))
}

/// Writes `snapshot` as the store of a data folder. `found` of its records were fetched by an
/// earlier run.
fn write_store(
    snapshot: &dyn Snapshot,
    found: u64,
    folder: &DataFolder,
    bar: &Bar,
) -> Result<Copied, CommandFailure> {
    let to = folder.path();
    let failed = write_error(to);
    let digest = digest(snapshot)?;
    let file = AtomicFile::private(to).map_err(failed)?;
    let content = File::options().read(true).write(true).open(file.path());
    let mut records = 0;
    let written = redb::write_copy(snapshot, &content.map_err(failed)?, &mut |_| {
        records = (records + redb::COPY_STEP_RECORDS).min(digest.records);
        bar.advance(records, 2 * digest.records);
        ControlFlow::Continue(())
    });
    // The callback never stops the copy.
    let _ = written.map_err(AppError::from)?;
    let copy = open_file(file.path(), redb::COPY_CACHE_BYTES)?;
    let read = copy.snapshot().map_err(AppError::from)?;
    if self::digest(&*read)? != digest {
        return Err(CommandFailure::Command(format!(
            "the records read back from {} differ from those that were written, so nothing was stored there",
            to.display()
        )));
    }
    // The store is complete on disk only after it is dropped, so this precedes the rename.
    drop(read);
    drop(copy);
    file.replace(&folder.store()).map_err(failed)?;
    Ok(Copied {
        revision: snapshot.revision(),
        digest,
        sent: digest.records.saturating_sub(found),
        fetched_before: None,
        uploads: None,
    })
}

fn digest(snapshot: &dyn Snapshot) -> Result<RecordsDigest, CommandFailure> {
    Ok(RecordsDigest::of(snapshot).map_err(AppError::from)?)
}

#[cfg(feature = "postgres")]
fn to_database(
    (snapshot, name): (&dyn Snapshot, &str),
    to: &PostgresUrl,
    restarts: bool,
    bar: &Bar,
    prepare: impl FnOnce() -> Result<(), CommandFailure>,
) -> Result<Copied, CommandFailure> {
    use crate::store::postgres::{CopySource, fill};
    let digest = digest(snapshot)?;
    let source = CopySource {
        name,
        snapshot,
        digest,
    };
    let sent = fill(to, &source, restarts, prepare, &mut |done| {
        bar.advance(done, 2 * digest.records);
    })?;
    Ok(Copied {
        revision: snapshot.revision(),
        digest,
        sent,
        fetched_before: None,
        uploads: None,
    })
}

#[cfg(feature = "postgres")]
impl From<crate::store::postgres::FillError> for CommandFailure {
    fn from(error: crate::store::postgres::FillError) -> Self {
        match error {
            crate::store::postgres::FillError::Store(error) => AppError::from(error).into(),
            error => Self::Command(error.to_string()),
        }
    }
}

/// Copies the store of a database as of its last commit. The records are first fetched into a file
/// in `folder`, which may already contain records of an earlier run; `copy` receives the number of
/// those.
#[cfg(feature = "postgres")]
fn from_database(
    from: &PostgresUrl,
    (folder, restarts): (&Path, bool),
    config: &Config,
    copy: impl FnOnce(&dyn Snapshot, u64) -> Result<Copied, CommandFailure>,
) -> Result<Copied, CommandFailure> {
    use crate::store::postgres::PostgresStore;
    let cache_bytes = config.store_cache_bytes;
    let opened = PostgresStore::open_to_copy(from, folder, cache_bytes, restarts);
    let (store, found) = opened.map_err(AppError::from)?;
    let snapshot = store.snapshot().map_err(AppError::from)?;
    if snapshot.revision() == 0 {
        return Err(no_site(from));
    }
    copy(&*snapshot, found)
}

#[cfg(feature = "postgres")]
fn clear_copies(folder: &Path) -> io::Result<()> {
    crate::store::postgres::PostgresStore::clear_copies(folder)
}

#[cfg(not(feature = "postgres"))]
fn to_database(
    _: (&dyn Snapshot, &str),
    to: &PostgresUrl,
    _: bool,
    _: &Bar,
    _: impl FnOnce() -> Result<(), CommandFailure>,
) -> Result<Copied, CommandFailure> {
    match *to {}
}

#[cfg(not(feature = "postgres"))]
fn from_database(
    from: &PostgresUrl,
    _: (&Path, bool),
    _: &Config,
    _: impl FnOnce(&dyn Snapshot, u64) -> Result<Copied, CommandFailure>,
) -> Result<Copied, CommandFailure> {
    match *from {}
}

#[cfg(not(feature = "postgres"))]
fn clear_copies(_: &Path) -> io::Result<()> {
    Ok(())
}
