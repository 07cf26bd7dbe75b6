//! `galley backup`

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::{self, ExitCode},
};

use clap::Args;

use super::{
    CommandFailure, CommonArguments, check::counted, command, megabytes, progress_bar::Bar,
};
use crate::{
    backup::{BackupOptions, BackupReport, BackupTarget},
    control::{Command, Reply, named_here},
};

/// The argument that means standard output.
const STANDARD_OUTPUT: &str = "-";

/// Most left-out files that are printed.
const PRINTED_MAX: usize = 20;

/// The arguments of `backup`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley backup monday.galley.zip\n  galley backup \"/var/backups/site-$(date +%F).zip\" --quiet\n  galley backup - | zstd > site.zip.zst\n\n\
                  The file contains everything but the content folder: the store as of one commit, uploads and themes. The site\n\
                  can be read and changed meanwhile. It contains keys and password hashes: keep it private.\n\
                  `galley check FILE` verifies it, `galley restore FILE --data DIR` restores it into a new data folder."
)]
pub struct BackupArguments {
    /// The file to write to, or `-` for standard output
    file: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Print the report as a JSON object
    #[arg(long)]
    json: bool,
}

/// Backs up the site.
pub fn run(
    common: &CommonArguments,
    arguments: &BackupArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let is_passed_on = arguments.file == Path::new(STANDARD_OUTPUT);
    if is_passed_on && io::stdout().is_terminal() {
        return Err(CommandFailure::Command(
            "a backup cannot be printed to a terminal. Name a file, or pipe it with `|`".to_owned(),
        ));
    }
    let target = if is_passed_on {
        BackupTarget::PassedOn(process::id())
    } else {
        // A running server has its own working folder and open files.
        BackupTarget::File(named_here(&arguments.file)?)
    };
    let passed_on = is_passed_on.then(|| PassedOn(target.path(&config.data)));
    let order = BackupOptions {
        target,
        overwrites: arguments.force || is_passed_on,
    };
    let bar = Bar::new("backing up", !common.quiet);
    let reply = command(&config, &Command::Backup(order), &bar);
    bar.finish();
    let Reply::BackedUp(report) = reply? else {
        return Ok(ExitCode::SUCCESS);
    };
    match passed_on {
        Some(file) => {
            file.pass_on()?;
            // Standard output carries the backup.
            if !common.quiet {
                print(&mut io::stderr().lock(), arguments, &report)?;
            }
        }
        None => print(&mut io::stdout().lock(), arguments, &report)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A backup on its way to standard output. The process that has the data folder, which may be
/// another one, writes it to a temporary file, whose name is one that is cleaned up when the folder
/// is opened.
struct PassedOn(PathBuf);

impl PassedOn {
    fn pass_on(self) -> io::Result<()> {
        let mut file = File::open(&self.0)?;
        fs::remove_file(&self.0)?;
        let mut out = io::stdout().lock();
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
    out: &mut impl Write,
    arguments: &BackupArguments,
    report: &BackupReport,
) -> io::Result<()> {
    if arguments.json {
        let report = serde_json::to_string_pretty(report)?;
        return writeln!(out, "{report}");
    }
    writeln!(
        out,
        "{}: revision {}, {}, {}",
        arguments.file.display(),
        report.revision,
        counted(report.files, "file"),
        megabytes(report.bytes)
    )?;
    if report.left_out.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nLeft out:")?;
    for file in report.left_out.iter().take(PRINTED_MAX) {
        writeln!(out, "  {file}")?;
    }
    match report.left_out.len().saturating_sub(PRINTED_MAX) {
        0 => Ok(()),
        more => writeln!(out, "  … and {more} more; --json lists them"),
    }
}
