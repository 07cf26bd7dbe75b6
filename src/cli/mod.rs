//! The command line: one file for each subcommand, and the code that they share.

mod admin_app;
mod backup;
mod browser;
mod build;
mod check;
mod check_backups;
mod check_location;
mod compact;
mod completions;
mod copy;
mod doctor;
mod exec;
mod export;
mod import;
mod init;
mod key;
mod log;
mod members;
mod progress_bar;
mod reader_scripts;
mod reload;
mod repository;
mod restore;
mod serve;
mod service;
mod status;
mod sync;
mod temporary_site;
mod terminal;
mod theme;
mod theme_check;
mod upgrade;
mod user;
mod version;
mod webhook;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

pub use exec::variables;

use arc_swap::ArcSwap;
use clap::{Args, CommandFactory, Parser, Subcommand, error::ErrorKind};
use tracing::Level;
use tracing_subscriber::filter::LevelFilter;

use self::log::{Log, LogLevels};

use crate::{
    app,
    app::{AppError, OpenSite},
    backup::BackupError,
    bucket::BucketError,
    clock::SystemClock,
    config,
    config::{Config, ConfigError},
    content_files::{ContentFiles, ContentReport, Reconciler},
    control,
    control::{
        AccountCommand, ClientError, Command, CommandProgress, ControlContext, ImportRequest,
        Reply, Secret, ThemeCommand,
    },
    data_folder::{DataFolder, DataFolderError, Owner, STORE, UnfinishedWork},
    error::Error,
    npm_packages::InstallError,
    progress::Progress,
    releases::ReleaseError,
    server::OpenFilesError,
    site::Site,
    store::{memory::MemoryStore, redb},
};

/// Longest wait for a process that has the data folder and accepts no commands yet: a starting
/// server, or another command that will soon be done.
const UNREADY_MAX: Duration = Duration::from_secs(10);

/// Pause between two checks.
const UNREADY_PAUSE: Duration = Duration::from_millis(20);

/// A publishing service that speaks the Ghost 6 API, with or without a front end of its own: one program, one data file.
#[derive(Parser)]
#[command(
    name = "galley",
    version,
    after_help = "Examples:\n  galley init my-site                    create a site in a folder\n  \
                  galley                                 serve the folder content/ at http://127.0.0.1:2368\n  \
                  galley serve ~/site                    serve another folder\n  \
                  galley check                           report problems of the content files\n  \
                  galley key create --name \"My site\"     create keys for a client\n  \
                  galley user create --name Ada --email ada@example.com --role owner\n  \
                  galley import my-site.json             import a site from Ghost\n  \
                  galley export my-site --markdown       export the site as a folder of Markdown\n  \
                  galley exec -- npx @11ty/eleventy      build a site from the content files\n  \
                  galley sync                            pull from the repository now\n  \
                  galley backup my-site.zip              back up the site into one file\n  \
                  galley status                          show the status of the site, running or not"
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Subcommands>,
    #[command(flatten)]
    serve: serve::ServeArguments,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Serve the site. `galley` alone does the same.
    Serve(serve::ServeCommand),
    /// Install Ghost's admin app, an editor in the browser; show or remove it.
    Admin(admin_app::AdminArguments),
    /// Back up the site into one file, while it is served or not.
    Backup(backup::BackupArguments),
    /// Write the pages of the site, or the Content API, as static files for any static host.
    Build(build::BuildArguments),
    /// Report every problem of the content files, or of a backup; fails if there is an error.
    Check(check::CheckArguments),
    /// Shrink the store by the space of deleted records; the site must not be served meanwhile.
    Compact(compact::CompactArguments),
    /// Copy the records of a site from a data folder to a database, or back.
    Copy(copy::CopyArguments),
    /// Try what goes wrong in operation, and say what to do: disk, DNS, certificates, mail, backups and more.
    Doctor(doctor::DoctorArguments),
    /// Run a command, such as a static site generator, together with a server that lives as long as the
    /// command.
    Exec(exec::ExecArguments),
    /// Export the site: in Ghost's format, as a folder of Markdown, or its members as CSV.
    Export(export::ExportArguments),
    /// Import a site from Ghost or a folder of another generator.
    Import(import::ImportArguments),
    /// Create a site in a folder: its options, its first content and its owner.
    Init(init::InitArguments),
    /// Create, list and revoke API keys.
    Key(key::KeyArguments),
    /// Merge members with one e-mail address.
    Members(members::MembersArguments),
    /// Apply the changed configuration of a running server, as far as that is possible while it serves.
    Reload(reload::ReloadArguments),
    /// Restore a backup into a new data folder.
    Restore(restore::RestoreArguments),
    /// Serve the site as a service of systemd, which starts with the machine.
    Service(service::ServiceArguments),
    /// Create and list staff accounts, and set their passwords.
    User(user::UserArguments),
    /// Add, activate, list and delete themes.
    Theme(theme::ThemeArguments),
    /// Show whether there is a newer release; installs nothing.
    Upgrade(upgrade::UpgradeArguments),
    /// Show the version of the program, and of the formats that it writes.
    Version(version::VersionArguments),
    /// Add, list and remove webhooks, and show their deliveries.
    Webhook(webhook::WebhookArguments),
    /// Show the status of the site: counts, content files with their problems, store.
    Status(status::StatusArguments),
    /// Pull the site's repository now, and serve the new commit.
    Sync(sync::SyncArguments),
    /// Print the completion script of a shell.
    Completions(completions::CompletionsArguments),
    /// Print the manual page, or write one for each command.
    Man(completions::ManArguments),
}

/// The options of every subcommand.
#[derive(Args, Clone, Default)]
struct CommonArguments {
    /// The data folder, with the store and uploads [default: galley-data]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    /// A database of PostgreSQL that has the site, instead of a file in the data folder. A URL with
    /// a password is better given by GALLEY_STORE_URL: other users see the flags of a process
    #[arg(long = "store", global = true, value_name = "URL")]
    store_url: Option<String>,
    /// The configuration file [default: galley.toml, if there is one]
    #[arg(long, global = true, value_name = "FILE", env = "GALLEY_CONFIG")]
    config: Option<PathBuf>,
    /// The format of the log [default: text]
    #[arg(long, global = true, value_name = "FORMAT", value_parser = ["text", "json"])]
    log_format: Option<String>,
    /// Increase verbosity (`-vv` for trace)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Print only errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
}

/// A command failed; the message is for the user.
#[derive(Debug, thiserror::Error)]
enum CommandFailure {
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
    Bucket(#[from] BucketError),
    #[error(transparent)]
    Packages(#[from] InstallError),
    #[error(transparent)]
    Release(#[from] ReleaseError),
    #[error(transparent)]
    OpenFiles(#[from] OpenFilesError),
    #[error("there is no data folder {}. `galley serve` creates one; choose another with --data", .0.display())]
    NoDataFolder(PathBuf),
    #[error("{0}")]
    Command(String),
    #[error("cannot write to standard output: {0}")]
    Output(#[from] std::io::Error),
}

impl CommandFailure {
    /// Prints the message.
    fn print(&self) {
        match self {
            // They show a line of the configuration file, or several errors.
            failure @ (Self::Config(ConfigError::Malformed { .. } | ConfigError::Several(_))
            | Self::Backup(BackupError::Damaged(_))) => {
                terminal::complain_in_lines(Level::ERROR, format_args!("galley: {failure}"));
            }
            failure => terminal::complain(Level::ERROR, format_args!("galley: {failure}")),
        }
    }
}

/// Runs the program with the arguments of the process.
pub fn run() -> ExitCode {
    terminal::escape_panics();
    redb::silence_caught_panics();
    let arguments: Arguments = terminal::arguments();
    refuse_misplaced_flags(&arguments);
    let common = &arguments.common;
    let result = match &arguments.command {
        None => serve::run(common, &arguments.serve),
        Some(Subcommands::Serve(serve)) => serve
            .arguments()
            .and_then(|arguments| serve::run(common, &arguments)),
        Some(Subcommands::Admin(admin)) => admin_app::run(common, admin),
        Some(Subcommands::Backup(backup)) => backup::run(common, backup),
        Some(Subcommands::Build(build)) => build::run(common, build),
        Some(Subcommands::Check(check)) => check::run(common, check),
        Some(Subcommands::Compact(compact)) => compact::run(common, compact),
        Some(Subcommands::Completions(completions)) => completions::print(completions),
        Some(Subcommands::Copy(copy)) => copy::run(common, copy),
        Some(Subcommands::Doctor(doctor)) => doctor::run(common, doctor),
        Some(Subcommands::Exec(exec)) => exec::run(common, exec),
        Some(Subcommands::Export(export)) => export::run(common, export),
        Some(Subcommands::Import(import)) => import::run(common, import),
        Some(Subcommands::Init(init)) => init::run(common, init),
        Some(Subcommands::Key(key)) => key::run(common, key),
        Some(Subcommands::Man(man)) => completions::manual(man),
        Some(Subcommands::Members(members)) => members::run(common, members),
        Some(Subcommands::Reload(reload)) => reload::run(common, reload),
        Some(Subcommands::Restore(restore)) => restore::run(common, restore),
        Some(Subcommands::Service(service)) => service::run(common, service),
        Some(Subcommands::Status(status)) => status::run(common, status),
        Some(Subcommands::Sync(sync)) => sync::run(common, sync),
        Some(Subcommands::Theme(theme)) => theme::run(common, theme),
        Some(Subcommands::Upgrade(upgrade)) => upgrade::run(common, upgrade),
        Some(Subcommands::Version(version)) => version::run(version),
        Some(Subcommands::User(user)) => user::run(common, user),
        Some(Subcommands::Webhook(webhook)) => webhook::run(common, webhook),
    };
    match result {
        Ok(code) => code,
        // The reader of the output closed it, as `head` does.
        Err(CommandFailure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            failure.print();
            ExitCode::FAILURE
        }
    }
}

/// Ends the program if flags of `serve` precede another subcommand, which would ignore them.
fn refuse_misplaced_flags(arguments: &Arguments) {
    if arguments.command.is_some() && arguments.serve.is_given() {
        Arguments::command()
            .error(
                ErrorKind::ArgumentConflict,
                "--content, --no-content, --git, --listen and --url are options of `serve` only, and follow it",
            )
            .exit();
    }
}

impl CommonArguments {
    /// Returns the configuration with these flags and those of the subcommand.
    fn configuration(
        &self,
        mut flags: BTreeMap<&'static str, String>,
    ) -> Result<Config, ConfigError> {
        if let Some(data) = &self.data {
            flags.insert("data", data.to_string_lossy().into_owned());
        }
        if let Some(url) = &self.store_url {
            flags.insert("store.url", url.clone());
        }
        if let Some(format) = &self.log_format {
            flags.insert("log_format", format.clone());
        }
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        for warning in config::unknown_variables(names) {
            terminal::complain(Level::WARN, format_args!("warning: {warning}"));
        }
        Config::read(&flags, self.config.as_deref())
    }

    /// Returns the same arguments with the name of the configuration file that is read, if there is one: then a later reading
    /// fails if it is missing.
    fn with_its_file(&self) -> Self {
        let default = || {
            Path::new(config::FILE)
                .exists()
                .then(|| PathBuf::from(config::FILE))
        };
        Self {
            config: self.config.clone().or_else(default),
            ..self.clone()
        }
    }

    /// Starts the log, on standard error, at the level `usual` unless a flag sets another.
    fn start_log(&self, config: &Config, usual: LevelFilter) -> Log {
        Log::start(self.log_levels(config, usual), config.log_json)
    }

    /// Returns the events that the log has: by the flags, else from the level `usual`.
    fn log_levels(&self, config: &Config, usual: LevelFilter) -> LogLevels {
        let level = match (self.quiet, self.verbose) {
            (true, _) => LevelFilter::ERROR,
            (_, 0) => usual,
            (_, 1) => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        };
        LogLevels {
            level,
            access: config.log_access,
        }
    }
}

/// Returns the process that has the data folder at `path`, once it accepts commands or after
/// [`UNREADY_MAX`].
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

/// Runs a command, through the running server if one has the data folder, and reports its progress
/// to `progress`.
///
/// Only a new key, a new account, a theme, an import and a repository create a data folder: for
/// other commands, a missing one is a mistake in its name.
fn command(
    config: &Config,
    command: &Command,
    progress: &dyn Progress,
) -> Result<Reply, CommandFailure> {
    command_of(None, config, command, progress)
}

/// Does the same as a part of `work` that makes the site.
fn command_of(
    work: Option<&UnfinishedWork>,
    config: &Config,
    command: &Command,
    progress: &dyn Progress,
) -> Result<Reply, CommandFailure> {
    let reply = match ready_owner(&config.data)? {
        Some(owner) => control::ask(
            &config.data,
            &owner,
            command,
            &mut |work: CommandProgress| {
                progress.advance(work.done, work.total);
            },
        )?,
        None => {
            let first = match work {
                Some(_) => None,
                None => first_work(config, command)?,
            };
            let open = match work.or(first.as_ref()) {
                Some(work) => Some(OpenSite::begin(config, work)?),
                None => open_site(config, command)?,
            };
            let reply = execute_on(open.as_ref(), config, command, progress);
            // Also after a failure: only a process that was killed leaves something unfinished.
            if let (Some(_), Some(open)) = (first, &open) {
                open.folder.finish()?;
            }
            reply?
        }
    };
    match reply {
        Reply::Failed(why) => Err(CommandFailure::Command(why)),
        reply => Ok(reply),
    }
}

/// Executes a command on a site that this process has opened, or on an empty one in memory.
fn execute_on(
    open: Option<&OpenSite>,
    config: &Config,
    command: &Command,
    progress: &dyn Progress,
) -> Result<Reply, CommandFailure> {
    let site = match open {
        Some(open) => Arc::clone(&open.site),
        None => Arc::new(new_site_in_memory(config).map_err(AppError::from)?),
    };
    let needs_whole_site = matches!(command, Command::Export(_) | Command::Build(_));
    if let Some(content) = content_folder(config).filter(|_| needs_whole_site) {
        read_content(&site, content, &config.content_files)?;
    }
    let content = match command {
        Command::Status => check::report(config, &site)?,
        Command::Sync => ContentReport {
            write_back: config.write_back,
            ..ContentReport::default()
        },
        _ => ContentReport::default(),
    };
    let source = match (command, &config.git) {
        (Command::Sync, Some(options)) => Some(repository::open(&site, options, config)?),
        _ => None,
    };
    let subject = ControlContext {
        pulls: source.as_ref().map(|(_, pulls)| Arc::clone(pulls)),
        content: Arc::new(ArcSwap::from_pointee(content)),
        ..app::offline_context(config, site)?
    };
    Ok(control::execute(&subject, command, progress))
}

/// Opens the site for a command that no server runs; `None` if the command needs none.
fn open_site(config: &Config, command: &Command) -> Result<Option<OpenSite>, CommandFailure> {
    match command {
        _ if command.only_reads() && DataFolder::is_on_read_only_disk(&config.data) => {
            Ok(Some(OpenSite::open_read_only(config)?))
        }
        // A database has the site, so the folder is a cache, which is made.
        _ if config.data.is_dir()
            || config.store_url.is_some()
            || creator(config, command).is_some() =>
        {
            Ok(Some(OpenSite::open(config)?))
        }
        Command::Sync | Command::Import(ImportRequest { dry_run: true, .. }) => Ok(None),
        Command::Export(_) if content_folder(config).is_some() => Ok(None),
        _ => Err(CommandFailure::NoDataFolder(config.data.clone())),
    }
}

/// Returns the work of a command that makes a new site, or did when it was killed. The site must not
/// be served before the command has done its part.
fn first_work(
    config: &Config,
    command: &Command,
) -> Result<Option<UnfinishedWork>, CommandFailure> {
    let Some(name) = creator(config, command).filter(|_| config.store_url.is_none()) else {
        return Ok(None);
    };
    let work = UnfinishedWork::of(name, None);
    let begun = DataFolder::unfinished(&config.data)?;
    let is_first = match begun {
        Some(begun) => begun.is_like(&work),
        None => !config.data.join(STORE).exists(),
    };
    Ok(is_first.then_some(work))
}

/// Returns the name of a command that creates a missing data folder.
fn creator(config: &Config, command: &Command) -> Option<&'static str> {
    match command {
        Command::AddKey { .. } => Some("galley key create"),
        Command::Account(AccountCommand::Add { .. }) => Some("galley user create"),
        Command::Theme(ThemeCommand::Add { .. }) => Some("galley theme add"),
        Command::Import(ImportRequest { dry_run: false, .. }) => Some("galley import"),
        Command::Sync if config.git.is_some() => Some("galley sync"),
        _ => None,
    }
}

/// Reads a secret from the first line of standard input; `None` if it is empty.
fn read_secret() -> io::Result<Option<Secret>> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    let text = line.trim_end_matches(['\r', '\n']);
    Ok((!text.is_empty()).then(|| Secret(text.to_owned())))
}

/// Returns a number with its noun, in the plural if necessary.
fn numbered(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Returns a plural noun, in the singular if `count` is 1.
fn counted(kind: &str, count: usize) -> String {
    let (noun, rest) = kind.split_at(kind.find(' ').unwrap_or(kind.len()));
    match (count, noun.strip_suffix('s')) {
        (1, Some(singular)) => format!("{singular}{rest}"),
        _ => kind.to_owned(),
    }
}

/// Returns a number of bytes as text.
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / f64::from(1 << 20))
}

/// Returns the content folder, if it exists.
fn content_folder(config: &Config) -> Option<&Path> {
    config.content.as_deref().filter(|content| content.is_dir())
}

/// Updates a site that is not being served from its content folder, as serving it would.
fn read_content(
    site: &Arc<Site>,
    content: &Path,
    content_files: &ContentFiles,
) -> Result<(), AppError> {
    let reconciler = Reconciler::new(Arc::clone(site), content.to_owned())?;
    let mut reconciler = reconciler.with_content_files(content_files.clone());
    let problems = reconciler.run(None, &progress_bar::Bar::of_files(true))?;
    for problem in problems.iter().filter(|problem| problem.is_error()) {
        terminal::complain_in_lines(Level::ERROR, format_args!("{problem}\n"));
    }
    Ok(())
}

/// Creates a new site in memory.
fn new_site_in_memory(config: &Config) -> Result<Site, Error> {
    let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock))?;
    site.check_settings_with(Arc::new(config.themes()));
    Ok(site)
}
