//! `galley check`

use std::{
    collections::BTreeSet,
    fmt,
    io::IsTerminal,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, OnceLock},
    time::Duration,
};

use clap::Args;

use super::{
    CommandFailure, CommonArguments, check_backups::NamedBackups, numbered, terminal::Output,
};
use crate::{
    app::AppError,
    clock::SystemClock,
    config::Config,
    domain::post::PostKind,
    error::Error,
    id::Id,
    render::body_counts::BodyCounts,
    site::{Site, SiteSnapshot},
    sources::{
        self, ContentFiles, ContentReport, Diagnostic, DiagnosticGroup, Explanation, Layout,
        Project, ReadProgress, Reconciler, git, unread_files,
    },
    store::memory::MemoryStore,
};

/// The arguments of `check`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley check\n  galley check ~/site --strict\n  galley check content/posts/monday.md\n  galley check --json | jq '.[].file'\n  galley check monday.galley.zip\n  galley check /var/backups/galley\n\nThe exit code is 0 if all files can be used, or the backups are intact, and 1 otherwise."
)]
pub struct CheckArguments {
    /// The folder of content files [default: content], files of one, backups, or a folder of them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Fail on warnings, too
    #[arg(long)]
    strict: bool,
    /// Print every problem, including those that differ only in their position
    #[arg(long)]
    all: bool,
    /// Print what each file becomes and by which rule, and check nothing
    #[arg(long, conflicts_with_all = ["strict", "all", "json"])]
    explain: bool,
    /// Print a JSON list of objects
    #[arg(long)]
    json: bool,
}

/// Reports every problem of a content folder, or of some of its files. Needs no server and writes
/// nothing.
pub fn run(
    common: &CommonArguments,
    arguments: &CheckArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(std::collections::BTreeMap::new())?;
    if let Some(backups) = NamedBackups::of(&arguments.paths)? {
        return backups.check(common.quiet, arguments.json);
    }
    let scope = CheckScope::of(&arguments.paths, config)?;
    if arguments.explain {
        return explain(&scope);
    }
    let bar = ProgressBar::new(!common.quiet);
    let folder = scope.folder.clone();
    let CheckedFolder {
        mut report,
        layout,
        served,
    } = check(scope.folder, &scope.content_files, &bar)?;
    let is_whole = scope.files.is_none();
    if let Some(files) = scope.files {
        let is_selected = |path: &String| files.contains(path) && layout.kind_of(path).is_some();
        report.problems.retain(|problem| is_selected(&problem.file));
        let paths = files.iter().map(String::as_str);
        report
            .problems
            .extend(unread_files(&folder, &layout, paths));
        report.files = files.len();
    }
    let mut out = Output::standard();
    if arguments.json {
        out.json(&report.problems)?;
    } else {
        print(&mut out, &report, common.quiet, arguments.all)?;
        if is_whole && !common.quiet {
            writeln!(out, "{served}")?;
        }
    }
    let fails = report.has_errors() || (arguments.strict && !report.problems.is_empty());
    Ok(if fails {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The files to check.
struct CheckScope {
    folder: PathBuf,
    /// The paths of the files, relative to the folder; `None` for all.
    files: Option<BTreeSet<String>>,
    /// Settings of the content folder.
    content_files: ContentFiles,
}

impl CheckScope {
    /// Returns the folder that `paths` name, or that contains the files at `paths`. Without paths it is the configured one.
    ///
    /// # Errors
    ///
    /// If there is no such folder or file, or the files are in no content folder or in several.
    fn of(paths: &[PathBuf], config: Config) -> Result<Self, CommandFailure> {
        let content_files = config.content_files;
        let configured = config.content.or_else(Config::default_content);
        let folder = match paths {
            [] => configured.ok_or_else(|| {
                let message = "there is no folder \"content\". Name one: `galley check DIR`";
                CommandFailure::Command(message.to_owned())
            })?,
            [path] if !path.is_file() => path.clone(),
            files => return Self::of_files(files, configured.as_deref(), &content_files),
        };
        if folder.is_dir() {
            Ok(Self {
                folder,
                files: None,
                content_files,
            })
        } else {
            Err(CommandFailure::Command(format!(
                "there is no folder {}",
                folder.display()
            )))
        }
    }

    fn of_files(
        files: &[PathBuf],
        configured: Option<&Path>,
        content_files: &ContentFiles,
    ) -> Result<Self, CommandFailure> {
        let mut scope: Option<Self> = None;
        for file in files {
            let (folder, path, set) = located(file, configured)?;
            let scope = scope.get_or_insert_with(|| Self {
                folder: folder.clone(),
                files: Some(BTreeSet::new()),
                content_files: set.unwrap_or_else(|| content_files.clone()),
            });
            if scope.folder != folder {
                return Err(CommandFailure::Command(format!(
                    "{} and {} are different content folders. Check one at a time",
                    scope.folder.display(),
                    folder.display()
                )));
            }
            scope.files.get_or_insert_default().insert(path);
        }
        scope.ok_or_else(|| CommandFailure::Command("there is nothing to check".to_owned()))
    }
}

/// The content folder that contains a file, the path there, and the settings of the folder's own `galley.toml` for its files.
type LocatedFile = (PathBuf, String, Option<ContentFiles>);

/// Returns where `file` is content: in the configured folder; else in that of the nearest `galley.toml` above it; else in the
/// project of a generator that it belongs to; else in the nearest folder that makes it content by its name.
fn located(file: &Path, configured: Option<&Path>) -> Result<LocatedFile, CommandFailure> {
    let failure = |why: &str| CommandFailure::Command(format!("{}: {why}", file.display()));
    let whole = file
        .canonicalize()
        .map_err(|error| failure(&error.to_string()))?;
    if !whole.is_file() {
        return Err(failure("not a file. Name one folder, or files"));
    }
    let path_in = |folder: &Path| {
        let folder = folder.canonicalize().ok()?;
        let path = whole.strip_prefix(&folder).ok()?.to_str()?.to_owned();
        Some((folder, path))
    };
    if let Some((folder, path)) = configured.and_then(path_in) {
        return Ok((folder, path, None));
    }
    for folder in Project::folders_above(&whole) {
        if let Some((content, set)) = Config::content_beside(folder)? {
            match path_in(&content) {
                Some((folder, path)) => return Ok((folder, path, Some(set))),
                None => break,
            }
        }
    }
    let by_name = || {
        let mut folders = whole.ancestors().skip(1).filter_map(path_in);
        folders.find(|(_, path)| sources::kind_of(path).is_some())
    };
    let location = Project::around_document(&whole).or_else(by_name);
    let (folder, path) = location.ok_or_else(|| {
        failure("not in a content folder. Set the folder with `content` in galley.toml")
    })?;
    Ok((folder, path, None))
}

/// The result of checking a content folder.
pub struct CheckedFolder {
    /// Its files and problems.
    pub report: ContentReport,
    /// The kinds of its files.
    layout: Arc<Layout>,
    /// The content that readers get.
    served: ServedCounts,
}

/// Numbers of the content that readers get.
struct ServedCounts {
    posts: usize,
    pages: usize,
    bodies: BodyCounts,
}

impl ServedCounts {
    fn of(snapshot: &SiteSnapshot) -> Result<Self, Error> {
        /// Most bodies in memory at a time.
        const CHUNK: usize = 256;
        let posts_of_kind = |kind| {
            snapshot
                .catalog
                .posts
                .iter()
                .filter(move |post| post.kind == kind)
        };
        let mut served = Self {
            posts: posts_of_kind(PostKind::Post).count(),
            pages: posts_of_kind(PostKind::Page).count(),
            bodies: BodyCounts::default(),
        };
        let ids: Vec<Id> = snapshot.catalog.posts.iter().map(|post| post.id).collect();
        for ids in ids.chunks(CHUNK) {
            for html in snapshot.bodies(ids.iter().copied())?.into_iter().flatten() {
                served.bodies += BodyCounts::of_html(&html);
            }
        }
        Ok(served)
    }
}

impl fmt::Display for ServedCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BodyCounts {
            images,
            links,
            code_blocks,
            footnotes,
        } = self.bodies;
        write!(
            f,
            "{}, {} with {}, {}, {}, {}",
            numbered(self.posts, "post"),
            numbered(self.pages, "page"),
            numbered(images, "image"),
            numbered(links, "link"),
            numbered(code_blocks, "code block"),
            numbered(footnotes, "footnote")
        )
    }
}

/// Prints the records of the files of a scope: the named ones, or all documents of its folder.
fn explain(scope: &CheckScope) -> Result<ExitCode, CommandFailure> {
    let explanations = Explanation::of_folder(&scope.folder, &scope.content_files);
    let mut out = Output::standard();
    for explanation in explanations {
        let is_selected = match &scope.files {
            Some(files) => files.contains(&explanation.file),
            None => explanation.is_text,
        };
        if is_selected {
            out.lines(explanation)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a content folder into a temporary site.
pub fn check(
    content: PathBuf,
    content_files: &ContentFiles,
    progress: &dyn ReadProgress,
) -> Result<CheckedFolder, AppError> {
    let read = || -> Result<CheckedFolder, Error> {
        let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock))?;
        let site = Arc::new(site);
        let reconciler = Reconciler::new(Arc::clone(&site), content)?;
        let mut reconciler = reconciler.with_content_files(content_files.clone());
        reconciler.run(None, progress)?;
        Ok(CheckedFolder {
            report: reconciler.report(),
            layout: Arc::clone(reconciler.layout()),
            served: ServedCounts::of(&site.current())?,
        })
    };
    read().map_err(AppError::Site)
}

/// Returns the report on the content files of a site that is not being served.
pub fn report(config: &Config, site: &Site) -> Result<ContentReport, AppError> {
    let mut report = match config.content_folder().filter(|content| content.is_dir()) {
        Some(content) => check(content, &config.content_files, &ProgressBar::new(false))?.report,
        None => ContentReport::default(),
    };
    if let Some(options) = &config.git {
        report.git = Some(git::remembered(&site.current(), options)?);
    }
    Ok(report)
}

fn print(out: &mut Output, report: &ContentReport, quiet: bool, all: bool) -> std::io::Result<()> {
    let shown = |problem: &&Diagnostic| !quiet || problem.is_error();
    let problems = report.problems.iter().filter(shown);
    let problems = if all {
        problems.map(ToString::to_string).collect()
    } else {
        summary(problems)
    };
    for problem in problems {
        out.lines(problem)?;
        writeln!(out)?;
    }
    if quiet {
        Ok(())
    } else {
        writeln!(out, "{}", counts(report))
    }
}

/// Returns the numbers of files, errors and warnings, as text.
pub fn counts(report: &ContentReport) -> String {
    let files = numbered(report.files, "file");
    let (errors, warnings) = (errors(&report.problems), warnings(&report.problems));
    format!("{files}, {errors}, {warnings}")
}

/// Returns the texts of problems: similar ones are grouped and, on a terminal, limited to a
/// readable number.
pub fn summary<'a>(problems: impl IntoIterator<Item = &'a Diagnostic>) -> Vec<String> {
    /// Most groups on a terminal. If there are more, errors come before warnings.
    const GROUPS_MAX: usize = 30;
    let mut groups = DiagnosticGroup::all(problems);
    let mut left_out = 0;
    if std::io::stdout().is_terminal() && groups.len() > GROUPS_MAX {
        groups.sort_by_key(|group| !group.is_error());
        left_out = groups.split_off(GROUPS_MAX).len();
    }
    let mut shown: Vec<String> = groups.iter().map(ToString::to_string).collect();
    if left_out > 0 {
        let kinds = numbered(left_out, "kind");
        shown.push(format!(
            "… and {kinds} of problems more; `galley check --all` shows all"
        ));
    }
    shown
}

/// Returns the number of errors, as text.
fn errors(problems: &[Diagnostic]) -> String {
    let errors = problems.iter().filter(|problem| problem.is_error());
    numbered(errors.count(), "error")
}

/// Returns the number of warnings, as text.
fn warnings(problems: &[Diagnostic]) -> String {
    let warnings = problems.iter().filter(|problem| !problem.is_error());
    numbered(warnings.count(), "warning")
}

/// Stops a strict command if there is any problem; `what_follows` names the step that is cancelled.
///
/// # Errors
///
/// If there is one.
pub fn refuse_problems(problems: &[Diagnostic], what_follows: &str) -> Result<(), CommandFailure> {
    if problems.is_empty() {
        return Ok(());
    }
    let (errors, warnings) = (errors(problems), warnings(problems));
    Err(CommandFailure::Command(format!(
        "{errors} and {warnings} in the content files: {what_follows} (--strict)"
    )))
}

/// Returns the content folder, for a command that needs it.
///
/// # Errors
///
/// If it does not exist.
pub fn content_folder_of(config: &Config) -> Result<&Path, CommandFailure> {
    match &config.content {
        Some(content) if content.is_dir() => Ok(content),
        Some(content) => Err(CommandFailure::Command(format!(
            "there is no folder {}. Name the content folder with --content",
            content.display()
        ))),
        None => Err(CommandFailure::Command(
            "there is no folder \"content\". Name the content folder with --content".to_owned(),
        )),
    }
}

/// Shows the progress of reading content files on a terminal.
pub struct ProgressBar {
    is_shown: bool,
    bar: OnceLock<indicatif::ProgressBar>,
}

impl ProgressBar {
    /// Creates a bar that is shown if `is_wanted` and standard error is a terminal.
    pub fn new(is_wanted: bool) -> Self {
        Self {
            is_shown: is_wanted && std::io::stderr().is_terminal(),
            bar: OnceLock::new(),
        }
    }
}

impl ReadProgress for ProgressBar {
    fn begin(&self, files: usize) {
        /// Fewest files for which a bar is shown: fewer are read too quickly.
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
