//! `galley check`

use std::{
    io::{IsTerminal, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, OnceLock},
    time::Duration,
};

use clap::Args;

use super::{Common, Failure, bar::Bar, counted as counted_records, megabytes};
use crate::{
    app::AppError,
    backup::{Backup, BackupError, Verdict},
    clock::SystemClock,
    config::Config,
    error::Error,
    site::Site,
    sources::{ContentReport, Diagnostic, Progress, Reconciler, git},
    store::memory::MemoryStore,
};

/// What `check` takes.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley check\n  galley check ~/site --strict\n  galley check --json | jq '.[].file'\n  galley check monday.galley.zip\n\nThe exit code is 0 when all files can be used, or the backup is whole, and 1 otherwise."
)]
pub struct CheckArguments {
    /// The folder of content files [default: content], or a backup
    #[arg(value_name = "DIR")]
    path: Option<PathBuf>,
    /// Fail for warnings, too
    #[arg(long)]
    strict: bool,
    /// Print a list of objects
    #[arg(long)]
    json: bool,
}

/// Tells every problem of a content folder. Needs no server and writes nothing.
pub fn run(common: &Common, arguments: &CheckArguments) -> Result<ExitCode, Failure> {
    let config = common.configuration(std::collections::BTreeMap::new())?;
    if let Some(file) = arguments.path.as_ref().filter(|path| path.is_file()) {
        return check_backup(common, arguments, file);
    }
    let named = arguments.path.clone().or(config.content);
    let content = named.or_else(Config::default_content).ok_or_else(|| {
        Failure::Command("there is no folder content. Name one: `galley check DIR`".to_owned())
    })?;
    if !content.is_dir() {
        return Err(Failure::Command(format!(
            "there is no folder {}",
            content.display()
        )));
    }
    let report = check(content, &ProgressBar::new(!common.quiet))?;
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let problems =
            serde_json::to_string_pretty(&report.problems).map_err(std::io::Error::from)?;
        writeln!(out, "{problems}")?;
    } else {
        print(&mut out, &report, common.quiet)?;
    }
    let fails = report.has_errors() || (arguments.strict && !report.problems.is_empty());
    Ok(if fails {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Tells what is in a backup, and whether it is whole.
fn check_backup(
    common: &Common,
    arguments: &CheckArguments,
    file: &Path,
) -> Result<ExitCode, Failure> {
    let bar = Bar::new("checking", !common.quiet);
    let verify = || -> Result<Verdict, BackupError> {
        Backup::open(file)?.verify(&|done, total| {
            crate::import::Progress::advance(&bar, done, total);
            ControlFlow::Continue(())
        })
    };
    let verdict = verify();
    bar.finish();
    let verdict = verdict?;
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let verdict = serde_json::to_string_pretty(&verdict).map_err(std::io::Error::from)?;
        writeln!(out, "{verdict}")?;
    } else {
        print_backup(&mut out, file, &verdict)?;
    }
    Ok(match verdict.damages.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Says what was found out about a backup.
pub fn print_backup(out: &mut impl Write, file: &Path, verdict: &Verdict) -> std::io::Result<()> {
    let title = verdict.site.as_ref().map(|site| site.title.as_str());
    writeln!(
        out,
        "{}: {}, revision {}, written {:.0} by Galley {}",
        file.display(),
        title.unwrap_or("a site that cannot be opened"),
        verdict.revision,
        verdict.created_at,
        verdict.galley
    )?;
    for (kind, count) in verdict.site.iter().flat_map(|site| &site.counts) {
        writeln!(out, "  {count:>7} {}", counted_records(kind, *count))?;
    }
    let files = counted(verdict.files, "file");
    let bytes = megabytes(verdict.bytes);
    if verdict.damages.is_empty() {
        return writeln!(out, "{files}, {bytes}: all as they were written.");
    }
    writeln!(out, "{files}, {bytes}. Damaged:")?;
    for damage in &verdict.damages {
        writeln!(out, "  {damage}")?;
    }
    Ok(())
}

/// Reads a content folder into a site that is forgotten again.
pub fn check(content: PathBuf, progress: &dyn Progress) -> Result<ContentReport, AppError> {
    let read = || -> Result<ContentReport, Error> {
        let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock))?;
        let mut reconciler = Reconciler::new(Arc::new(site), content)?;
        reconciler.run(None, progress)?;
        Ok(reconciler.report())
    };
    read().map_err(AppError::Site)
}

/// The report on the content files of a site that is not being served.
pub fn report(config: &Config, site: &Site) -> Result<ContentReport, AppError> {
    let mut report = match config.content_folder().filter(|content| content.is_dir()) {
        Some(content) => check(content, &ProgressBar::new(false))?,
        None => ContentReport::default(),
    };
    if let Some(options) = &config.git {
        report.git = Some(git::remembered(site, options)?);
    }
    Ok(report)
}

fn print(out: &mut impl Write, report: &ContentReport, quiet: bool) -> std::io::Result<()> {
    for problem in report
        .problems
        .iter()
        .filter(|problem| !quiet || problem.is_error())
    {
        writeln!(out, "{problem}\n")?;
    }
    if !quiet {
        let files = counted(report.files, "file");
        writeln!(
            out,
            "{files}, {}, {}",
            errors(&report.problems),
            warnings(&report.problems)
        )?;
    }
    Ok(())
}

/// How many errors there are, in words.
fn errors(problems: &[Diagnostic]) -> String {
    let errors = problems.iter().filter(|problem| problem.is_error());
    counted(errors.count(), "error")
}

/// How many warnings there are, in words.
fn warnings(problems: &[Diagnostic]) -> String {
    let warnings = problems.iter().filter(|problem| !problem.is_error());
    counted(warnings.count(), "warning")
}

/// Keeps a strict command from going on when there is any problem; `what_follows` says what does not happen.
///
/// # Errors
///
/// When there is one.
pub fn refuse_problems(problems: &[Diagnostic], what_follows: &str) -> Result<(), Failure> {
    if problems.is_empty() {
        return Ok(());
    }
    let (errors, warnings) = (errors(problems), warnings(problems));
    Err(Failure::Command(format!(
        "{errors} and {warnings} in the content files: {what_follows} (--strict)"
    )))
}

/// The content folder that a command needs that reads it.
///
/// # Errors
///
/// When it is not there.
pub fn content_folder_of(config: &Config) -> Result<&Path, Failure> {
    match &config.content {
        Some(content) if content.is_dir() => Ok(content),
        Some(content) => Err(Failure::Command(format!(
            "there is no folder {}. Name the content folder with --content",
            content.display()
        ))),
        None => Err(Failure::Command(
            "there is no folder content. Name the content folder with --content".to_owned(),
        )),
    }
}

/// A number of things, in words.
pub fn counted(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Shows on a terminal how far a long run is.
pub struct ProgressBar {
    is_shown: bool,
    bar: OnceLock<indicatif::ProgressBar>,
}

impl ProgressBar {
    /// A bar that shows itself if `is_wanted` and standard error is a terminal.
    pub fn new(is_wanted: bool) -> Self {
        Self {
            is_shown: is_wanted && std::io::stderr().is_terminal(),
            bar: OnceLock::new(),
        }
    }
}

impl Progress for ProgressBar {
    fn begin(&self, files: usize) {
        /// Fewer files than this are read before anybody has seen a bar.
        const WORTH_A_BAR: usize = 500;
        if self.is_shown && files >= WORTH_A_BAR {
            let bar =
                indicatif::ProgressBar::new(files as u64).with_message("reading content files");
            let style = indicatif::ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}");
            bar.set_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(100));
            self.bar.get_or_init(|| bar);
        }
    }

    fn advance(&self) {
        if let Some(bar) = self.bar.get() {
            bar.inc(1);
        }
    }

    fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
