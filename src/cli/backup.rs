//! `galley backup`

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::{self, ExitCode},
};

use clap::Args;

use super::{Common, Failure, bar::Bar, check::counted, command, megabytes};
use crate::{
    backup::{Order, Report, Target},
    control::{Command, Reply, named_here},
};

/// What stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// Most files that are named as left out.
const PRINTED_MAX: usize = 20;

/// What `backup` takes.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley backup monday.galley.zip\n  galley backup \"/var/backups/site-$(date +%F).zip\" --quiet\n  galley backup - | zstd > site.zip.zst\n\n\
                  The file has everything but the content folder: the store as one commit left it, uploads and themes. The site\n\
                  is served and changed meanwhile. It holds keys and hashes of passwords: keep it to yourself.\n\
                  `galley check FILE` tells whether it is whole, `galley restore FILE --data DIR` makes a data folder of it."
)]
pub struct BackupArguments {
    /// The file to write to, or `-` for standard output
    file: PathBuf,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
    /// Print what was written as one object
    #[arg(long)]
    json: bool,
}

/// Backs the site up.
pub fn run(common: &Common, arguments: &BackupArguments) -> Result<ExitCode, Failure> {
    let config = common.configuration(BTreeMap::new())?;
    let is_passed_on = arguments.file == Path::new(STANDARD_OUTPUT);
    if is_passed_on && io::stdout().is_terminal() {
        return Err(Failure::Command(
            "a backup is nothing to be seen on a terminal. Name a file, or pass it on with `|`"
                .to_owned(),
        ));
    }
    let target = if is_passed_on {
        Target::PassedOn(process::id())
    } else {
        // A running server has a working folder and open files of its own.
        Target::File(named_here(&arguments.file)?)
    };
    let passed_on = is_passed_on.then(|| PassedOn(target.path(&config.data)));
    let order = Order {
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
            // Standard output is taken.
            if !common.quiet {
                print(&mut io::stderr().lock(), arguments, &report)?;
            }
        }
        None => print(&mut io::stdout().lock(), arguments, &report)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A backup on its way to standard output. Whoever has the data folder writes it, which may be another process, so it is a
/// file for a moment; its name is one that is cleared away when the folder is opened.
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

fn print(out: &mut impl Write, arguments: &BackupArguments, report: &Report) -> io::Result<()> {
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
        more => writeln!(out, "  … and {more} more; --json tells them"),
    }
}
