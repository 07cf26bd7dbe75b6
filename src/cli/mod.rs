//! The command line: one file for each subcommand, and what they share.

mod backup;
mod bar;
mod build;
mod check;
mod compact;
mod completions;
mod exec;
mod export;
mod import;
mod key;
mod momentary;
mod repository;
mod restore;
mod serve;
mod status;
mod sync;
mod theme;
mod user;
mod webhook;

use std::{
    collections::BTreeMap,
    io::IsTerminal,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

pub use exec::variables;

use arc_swap::ArcSwap;
use clap::{Args, CommandFactory, Parser, Subcommand, error::ErrorKind};
use tracing_subscriber::filter::LevelFilter;

use crate::{
    app::{self, AppError, OpenSite},
    backup::BackupError,
    clock::SystemClock,
    config::{Config, ConfigError},
    control::{self, AccountCommand, ClientError, Command, Reply, Subject, ThemeCommand, Work},
    data_folder::{DataFolder, DataFolderError, Owner},
    error::Error,
    import::Progress,
    server::OpenFilesError,
    site::Site,
    sources::{ContentFiles, ContentReport, Reconciler},
    store::{memory::MemoryStore, redb},
};

/// How long a command waits for a process that has the data folder and takes no commands yet: a server that starts, or
/// another command that will be done soon.
const UNREADY_MAX: Duration = Duration::from_secs(10);

/// How often it looks.
const UNREADY_PAUSE: Duration = Duration::from_millis(20);

/// A headless publishing service that speaks the Ghost 6 API: one program, one data file.
#[derive(Parser)]
#[command(
    name = "galley",
    version,
    after_help = "Examples:\n  galley                                 serve the folder content/ at http://127.0.0.1:2368\n  \
                  galley serve --content ~/site          serve another folder\n  \
                  galley check                           tell what is wrong with the content files\n  \
                  galley key create --name \"My site\"     make keys for a client\n  \
                  galley user create --name Ada --email ada@example.com --role owner\n  \
                  galley import my-site.json             bring in a site from Ghost\n  \
                  galley export my-site --markdown       write all of it as a folder of Markdown\n  \
                  galley exec -- npx @11ty/eleventy      build a site from the content files\n  \
                  galley sync                            pull from the repository at once\n  \
                  galley backup my-site.zip              write all of it into one file to restore from\n  \
                  galley status                          how the site is, running or not"
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Subcommands>,
    #[command(flatten)]
    serve: serve::ServeArguments,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Serve the site. This is what `galley` alone does.
    Serve(serve::ServeArguments),
    /// Write all of the site into one file, while it is served or not.
    Backup(backup::BackupArguments),
    /// Write the Content API and its pictures as files, for any host of files.
    Build(build::BuildArguments),
    /// Tell every problem of the content files, or of a backup; fails if there is an error.
    Check(check::CheckArguments),
    /// Give back the space of what was deleted from the store; the site must not be served meanwhile.
    Compact(compact::CompactArguments),
    /// Run a command, such as a generator of static sites, beside a server that lives as long as it does.
    Exec(exec::ExecArguments),
    /// Write the site elsewhere: in Ghost's format, as a folder of Markdown, or its members as CSV.
    Export(export::ExportArguments),
    /// Bring in a site from Ghost.
    Import(import::ImportArguments),
    /// Make, list and revoke the keys of clients.
    Key(key::KeyArguments),
    /// Make a data folder of a backup.
    Restore(restore::RestoreArguments),
    /// Make and list the accounts of the staff, and set their passwords.
    User(user::UserArguments),
    /// Bring themes in, choose one, list and delete them.
    Theme(theme::ThemeArguments),
    /// Have other programs told of what happens, and list who is.
    Webhook(webhook::WebhookArguments),
    /// Tell how the site is: counts, content files with their problems, store.
    Status(status::StatusArguments),
    /// Look at the repository that the site is made of at once, and serve what is new.
    Sync(sync::SyncArguments),
    /// Print what completes these commands in a shell.
    Completions(completions::CompletionsArguments),
    /// Print the manual, or write a page of it for each command.
    Man(completions::ManArguments),
}

/// Options of every subcommand.
#[derive(Args, Default)]
struct Common {
    /// The data folder, with the store and what was uploaded [default: galley-data]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The configuration file [default: galley.toml, if there is one]
    #[arg(long, global = true, value_name = "FILE", env = "GALLEY_CONFIG")]
    config: Option<PathBuf>,
    /// How the log is written [default: text]
    #[arg(long, global = true, value_name = "FORMAT", value_parser = ["text", "json"])]
    log_format: Option<String>,
    /// Tell more; twice, tell all
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Tell only what went wrong
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
}

/// A command failed; the text is for the person who gave it.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    App(#[from] AppError),
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    OpenFiles(#[from] OpenFilesError),
    #[error("there is no data folder {}. `galley serve` makes one; --data names another", .0.display())]
    NoDataFolder(PathBuf),
    #[error("{0}")]
    Command(String),
    #[error("cannot write to the terminal: {0}")]
    Output(#[from] std::io::Error),
}

/// Runs the program with the arguments of the process.
pub fn run() -> ExitCode {
    redb::silence_caught_panics();
    let arguments = Arguments::parse();
    refuse_misplaced_flags(&arguments);
    let common = &arguments.common;
    let outcome = match &arguments.command {
        None => serve::run(common, &arguments.serve),
        Some(Subcommands::Serve(serve)) => serve::run(common, serve),
        Some(Subcommands::Backup(backup)) => backup::run(common, backup),
        Some(Subcommands::Build(build)) => build::run(common, build),
        Some(Subcommands::Check(check)) => check::run(common, check),
        Some(Subcommands::Compact(compact)) => compact::run(common, compact),
        Some(Subcommands::Completions(completions)) => completions::print(completions),
        Some(Subcommands::Exec(exec)) => exec::run(common, exec),
        Some(Subcommands::Export(export)) => export::run(common, export),
        Some(Subcommands::Import(import)) => import::run(common, import),
        Some(Subcommands::Key(key)) => key::run(common, key),
        Some(Subcommands::Man(man)) => completions::manual(man),
        Some(Subcommands::Restore(restore)) => restore::run(common, restore),
        Some(Subcommands::Status(status)) => status::run(common, status),
        Some(Subcommands::Sync(sync)) => sync::run(common, sync),
        Some(Subcommands::Theme(theme)) => theme::run(common, theme),
        Some(Subcommands::User(user)) => user::run(common, user),
        Some(Subcommands::Webhook(webhook)) => webhook::run(common, webhook),
    };
    match outcome {
        Ok(code) => code,
        // Whoever reads the output has seen enough, as `head` does.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("galley: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Ends the program when flags of `serve` stand before another subcommand, which would pass them over.
fn refuse_misplaced_flags(arguments: &Arguments) {
    if arguments.command.is_some() && arguments.serve.is_given() {
        Arguments::command()
            .error(
                ErrorKind::ArgumentConflict,
                "--content, --no-content, --git, --listen and --url stand after `serve`, and belong to no other command",
            )
            .exit();
    }
}

impl Common {
    /// The configuration with these flags and those of the subcommand.
    fn configuration(
        &self,
        mut flags: BTreeMap<&'static str, String>,
    ) -> Result<Config, ConfigError> {
        if let Some(data) = &self.data {
            flags.insert("data", data.to_string_lossy().into_owned());
        }
        if let Some(format) = &self.log_format {
            flags.insert("log_format", format.clone());
        }
        Config::read(&flags, self.config.as_deref())
    }

    /// Starts the log, on standard error; it tells what is as grave as `usual` unless another level is asked for.
    fn start_log(&self, config: &Config, usual: LevelFilter) {
        let level = match (self.quiet, self.verbose) {
            (true, _) => LevelFilter::ERROR,
            (_, 0) => usual,
            (_, 1) => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        };
        let log = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_writer(std::io::stderr)
            // What cannot be logged, as on a full disk, is lost; to complain on the same file would be a panic.
            .log_internal_errors(false)
            .with_ansi(std::io::stderr().is_terminal());
        if config.log_json {
            log.json().init()
        } else {
            log.with_target(false).init()
        }
    }
}

/// Who has the data folder at `path`, and takes commands unless it is busy for longer than [`UNREADY_MAX`].
fn ready_owner(path: &Path) -> Result<Option<Owner>, DataFolderError> {
    let end = Instant::now() + UNREADY_MAX;
    loop {
        match DataFolder::owner_of(path)? {
            Some(owner) if owner.is_starting() && Instant::now() < end => {
                thread::sleep(UNREADY_PAUSE);
            }
            owner => return Ok(owner),
        }
    }
}

/// Carries out a command, through the running server if one has the data folder, and tells `progress` how far it is.
///
/// Only a new key, a new account, a theme, an import and a repository make a data folder: to look at one that is not there is a mistake in its name.
fn command(config: &Config, command: &Command, progress: &dyn Progress) -> Result<Reply, Failure> {
    let reply = match ready_owner(&config.data)? {
        Some(owner) => control::ask(&config.data, &owner, command, &mut |work: Work| {
            progress.advance(work.done, work.total);
        })?,
        None => {
            let open = match command {
                _ if config.data.is_dir() => Some(OpenSite::open(config)?),
                Command::AddKey { .. }
                | Command::Account(AccountCommand::Add { .. })
                | Command::Theme(ThemeCommand::Add { .. })
                | Command::Import { dry_run: false, .. } => Some(OpenSite::open(config)?),
                Command::Sync if config.git.is_some() => Some(OpenSite::open(config)?),
                Command::Sync => None,
                Command::Import { dry_run: true, .. } => None,
                Command::Export(_) if content_folder(config).is_some() => None,
                _ => return Err(Failure::NoDataFolder(config.data.clone())),
            };
            let site = match &open {
                Some(open) => Arc::clone(&open.site),
                None => Arc::new(new_site_in_memory().map_err(AppError::from)?),
            };
            let is_of_all = matches!(command, Command::Export(_) | Command::Build(_));
            if let Some(content) = content_folder(config).filter(|_| is_of_all) {
                read_content(&site, content, &config.content_files)?;
            }
            let content = match command {
                Command::Status => check::report(config, &site)?,
                _ => ContentReport::default(),
            };
            let source = match (command, &config.git) {
                (Command::Sync, Some(options)) => Some(repository::open(&site, options, config)?),
                _ => None,
            };
            let subject = Subject {
                site,
                pulls: source.as_ref().map(|source| Arc::clone(source.pulls())),
                content: Arc::new(ArcSwap::from_pointee(content)),
                addresses: app::address_sources(config).map_err(AppError::from)?,
                data: config.data.clone(),
                content_folder: config.content_folder(),
                path_prefix: config.path_prefix.clone(),
                image_memory_bytes: config.image_memory_bytes,
            };
            control::execute(&subject, command, progress)
        }
    };
    match reply {
        Reply::Failed(why) => Err(Failure::Command(why)),
        reply => Ok(reply),
    }
}

/// What is counted, which comes in the plural, as it is said of `count` of them.
fn counted(kind: &str, count: usize) -> String {
    let (noun, rest) = kind.split_at(kind.find(' ').unwrap_or(kind.len()));
    match (count, noun.strip_suffix('s')) {
        (1, Some(one)) => format!("{one}{rest}"),
        _ => kind.to_owned(),
    }
}

/// A number of bytes, in words.
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / f64::from(1 << 20))
}

/// The content folder, if it is there.
fn content_folder(config: &Config) -> Option<&Path> {
    config.content.as_deref().filter(|content| content.is_dir())
}

/// Makes a site that nobody serves agree with its content folder, as serving it would.
fn read_content(
    site: &Arc<Site>,
    content: &Path,
    content_files: &ContentFiles,
) -> Result<(), AppError> {
    let reconciler = Reconciler::new(Arc::clone(site), content.to_owned())?;
    let mut reconciler = reconciler.with_content_files(content_files.clone());
    let problems = reconciler.run(None, &check::ProgressBar::new(true))?;
    for problem in problems.iter().filter(|problem| problem.is_error()) {
        eprintln!("{problem}\n");
    }
    Ok(())
}

/// What a site would be that does not exist.
fn new_site_in_memory() -> Result<Site, Error> {
    Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock))
}
