//! The command line: one file for each subcommand, and the code that they share.

mod admin_app;
mod backup;
mod browser;
mod build;
mod check;
mod check_backups;
mod check_location;
mod command_failure;
mod common_arguments;
mod compact;
mod completions;
mod content_folder;
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
mod quantities;
mod reader_scripts;
mod reload;
mod repository;
mod restore;
mod secret_input;
mod serve;
mod service;
mod site_commands;
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

use std::process::ExitCode;

pub use exec::variables;

use clap::{CommandFactory, Parser, Subcommand, error::ErrorKind};

use self::command_failure::CommandFailure;
use self::common_arguments::CommonArguments;
use crate::store::redb;

/// A publishing service that speaks the Ghost 6 API, with its own front end or yours: one program, one data file.
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

/// Runs the program with the arguments of the process.
pub fn run() -> ExitCode {
    terminal::escape_panics();
    // The last hook wraps the others, so this one can hide caught panics from them.
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
        Some(Subcommands::Completions(completions)) => {
            completions::print(completions, Arguments::command())
        }
        Some(Subcommands::Copy(copy)) => copy::run(common, copy),
        Some(Subcommands::Doctor(doctor)) => doctor::run(common, doctor),
        Some(Subcommands::Exec(exec)) => exec::run(common, exec),
        Some(Subcommands::Export(export)) => export::run(common, export),
        Some(Subcommands::Import(import)) => import::run(common, import),
        Some(Subcommands::Init(init)) => init::run(common, init),
        Some(Subcommands::Key(key)) => key::run(common, key),
        Some(Subcommands::Man(man)) => completions::manual(man, Arguments::command()),
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
        // The reader closed the pipe, as `head` does.
        Err(CommandFailure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            failure.print();
            ExitCode::FAILURE
        }
    }
}

/// Ends the program if flags of `serve` precede another subcommand, since it would ignore them.
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
