//! `galley backup`

use std::{
    collections::BTreeMap,
    env,
    fs::{self, File},
    io::{self, IsTerminal, Write},
    mem,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};

use super::{
    progress_bar::Bar,
    terminal::{self, Output},
};
use crate::{
    backup::{
        BackupOptions, BackupReport, BackupTarget, Destination, Moment, ScheduleOptions,
        listed_backups,
    },
    cli::{
        command_failure::CommandFailure,
        common_arguments::CommonArguments,
        quantities::{megabytes, numbered},
        site_commands::command,
    },
    clock::{Clock, SystemClock},
    config::Config,
    control::{Command, Reply, named_here},
    progress::Progress,
};

/// The argument that means standard output.
const STANDARD_OUTPUT: &str = "-";

/// Maximum number of left-out files that are printed.
const PRINTED_MAX: usize = 20;

/// The arguments of `backup`.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  galley backup monday.galley.zip\n  galley backup \"/var/backups/site-$(date +%F).zip\" --quiet\n  galley backup - | zstd > site.zip.zst\n  galley backup --to s3://my-bucket/my-site\n  galley backup list\n\n\
                  The file contains everything but the content folder: the store as of one commit, uploads and themes. The site\n\
                  can be read and changed meanwhile. It contains keys and password hashes: keep it private.\n\
                  `galley check FILE` verifies it, `galley restore FILE --data DIR` restores it into a new data folder."
)]
pub struct BackupArguments {
    #[command(subcommand)]
    action: Option<BackupAction>,
    /// The file to write to, or `-` for standard output [default: a new file in backup.to]
    file: Option<PathBuf>,
    /// The folder or bucket (s3://bucket/prefix) to add it to, instead of a file: it is verified
    /// there, and older ones are deleted by backup.keep
    #[arg(long, value_name = "DIR|URL", conflicts_with_all = ["file", "force"])]
    to: Option<String>,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Print the report as a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum BackupAction {
    /// List the backups in a folder or bucket, oldest first; --json lists every moment
    #[command(
        after_help = "Examples:\n  galley backup list\n  galley backup list --to s3://my-bucket/my-site --json"
    )]
    List {
        /// The folder or bucket [default: backup.to]
        #[arg(long, value_name = "DIR|URL")]
        to: Option<String>,
        /// Print a JSON list of objects
        #[arg(long)]
        json: bool,
    },
}

/// Backs up the site.
pub fn run(
    common: &CommonArguments,
    arguments: &BackupArguments,
) -> Result<ExitCode, CommandFailure> {
    let (to, file) = match &arguments.action {
        Some(BackupAction::List { to, json }) => return list(common, to.as_deref(), *json),
        None => (arguments.to.as_deref(), &arguments.file),
    };
    let config = configuration(common, to)?;
    match file {
        Some(file) => write_file(common, arguments, &config, file),
        None => add(common, arguments, &config),
    }
}

/// Returns the configuration with the destination `to`, if it is given.
fn configuration(common: &CommonArguments, to: Option<&str>) -> Result<Config, CommandFailure> {
    let to = to.map(|to| ("backup.to", to.to_owned()));
    Ok(common.configuration(BTreeMap::from_iter(to))?)
}

fn destination(config: &Config) -> Result<&ScheduleOptions, CommandFailure> {
    config.backups.as_ref().ok_or_else(|| {
        CommandFailure::Command(
            "name a file, or a folder or bucket with --to, or set backup.to".to_owned(),
        )
    })
}

fn list(
    common: &CommonArguments,
    to: Option<&str>,
    as_json: bool,
) -> Result<ExitCode, CommandFailure> {
    let config = configuration(common, to)?;
    let points = listed_backups(&destination(&config)?.destination, &env::temp_dir())?;
    let mut out = Output::standard();
    if as_json {
        out.json_line(&points)?;
        return Ok(ExitCode::SUCCESS);
    }
    print_points(&mut out, &points)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints each whole backup, and the number of moments that follow it.
fn print_points(out: &mut Output, points: &[Moment]) -> io::Result<()> {
    let mut moments: Vec<&Moment> = Vec::new();
    for point in points {
        if point.is_state {
            print_moments(out, &mem::take(&mut moments))?;
            let (name, time) = (&point.name, point.created_at);
            let bytes = point.bytes.map_or("unreadable".to_owned(), megabytes);
            writeln!(out, "{name}  {time}  {bytes}")?;
        } else {
            moments.push(point);
        }
    }
    print_moments(out, &moments)
}

fn print_moments(out: &mut Output, moments: &[&Moment]) -> io::Result<()> {
    let (Some(first), Some(last)) = (moments.first(), moments.last()) else {
        return Ok(());
    };
    let count = numbered(moments.len(), "moment");
    let (first, last) = (first.created_at, last.created_at);
    writeln!(out, "  and {count} with changes, from {first} to {last}")
}

/// Adds a backup to the folder or bucket, and deletes old ones there.
fn add(
    common: &CommonArguments,
    arguments: &BackupArguments,
    config: &Config,
) -> Result<ExitCode, CommandFailure> {
    let options = destination(config)?;
    let to = &options.destination;
    let name = Destination::new_name(SystemClock.now());
    let target = to.target(&name);
    let path = target.path(&config.data);
    let order = BackupOptions {
        overwrites: matches!(target, BackupTarget::PassedOn(_)),
        target,
    };
    let bar = Bar::new("backing up", !common.quiet);
    let reply = command(config, &Command::Backup(order), &bar);
    let Reply::BackedUp(report) = reply? else {
        return Ok(ExitCode::SUCCESS);
    };
    let accepted = to.accept(&name, &path, &bar);
    bar.finish();
    accepted?;
    // Only after the new backup has been verified, so that a damaged one does not replace good
    // ones.
    to.delete_old(options.keep, &name)?;
    let backup_path = Path::new(&to.to_string()).join(name);
    print(&mut Output::standard(), arguments, &backup_path, &report)?;
    Ok(ExitCode::SUCCESS)
}

fn write_file(
    common: &CommonArguments,
    arguments: &BackupArguments,
    config: &Config,
    given: &Path,
) -> Result<ExitCode, CommandFailure> {
    let is_passed_on = given == Path::new(STANDARD_OUTPUT);
    if is_passed_on && io::stdout().is_terminal() {
        return Err(CommandFailure::Command(
            "a backup cannot be printed to a terminal. Name a file, or pipe it with `|`".to_owned(),
        ));
    }
    let target = if is_passed_on {
        BackupTarget::passed_on()
    } else {
        // The path must be absolute: a running server has a different working folder.
        BackupTarget::File(named_here(given)?)
    };
    // Created before the command runs, so that the temporary file is also removed if that fails.
    let passed_on = is_passed_on.then(|| PassedOn(target.path(&config.data)));
    let order = BackupOptions {
        target,
        overwrites: arguments.force || is_passed_on,
    };
    let bar = Bar::new("backing up", !common.quiet);
    let reply = command(config, &Command::Backup(order), &bar);
    bar.finish();
    let Reply::BackedUp(report) = reply? else {
        return Ok(ExitCode::SUCCESS);
    };
    match passed_on {
        Some(file) => {
            file.pass_on()?;
            // The report goes to standard error, since standard output carries the backup.
            if !common.quiet {
                print(&mut Output::error(), arguments, given, &report)?;
            }
        }
        None => print(&mut Output::standard(), arguments, given, &report)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A backup that is passed on to standard output. The process that owns the data folder, which may
/// be another process, writes the backup to a temporary file. An abandoned file of this name is
/// deleted when the folder is opened.
struct PassedOn(PathBuf);

impl PassedOn {
    fn pass_on(self) -> io::Result<()> {
        let mut file = File::open(&self.0)?;
        // The file is unlinked before the copy, so that a broken pipe leaves nothing behind.
        fs::remove_file(&self.0)?;
        let mut out = terminal::data();
        io::copy(&mut file, &mut out)?;
        out.flush()
    }
}

impl Drop for PassedOn {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn print(
    out: &mut Output,
    arguments: &BackupArguments,
    backup_path: &Path,
    report: &BackupReport,
) -> io::Result<()> {
    if arguments.json {
        return out.json(report);
    }
    writeln!(
        out,
        "{}: revision {}, {}, {}",
        backup_path.display(),
        report.revision,
        numbered(report.files, "file"),
        megabytes(report.bytes)
    )?;
    if report.is_rescue {
        writeln!(
            out,
            "The disk of the data folder is read-only: this is the last commit that is on it."
        )?;
    }
    if report.left_out.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "Left out:")?;
    for file in report.left_out.iter().take(PRINTED_MAX) {
        writeln!(out, "  {file}")?;
    }
    match report.left_out.len().saturating_sub(PRINTED_MAX) {
        0 => Ok(()),
        more => writeln!(out, "  … and {more} more; --json lists them"),
    }
}
