//! `galley admin`

use std::{collections::BTreeMap, io, process::ExitCode};

use clap::{Args, Subcommand};
use serde_json::json;

use super::{progress_bar::Bar, reader_scripts, terminal::Output};
use crate::{
    admin_app::{AdminApp, Installation, Manifest, package_of},
    cli::{
        command_failure::CommandFailure,
        common_arguments::CommonArguments,
        quantities::{megabytes, numbered},
    },
    npm_packages::{PackageSource, PinnedPackage},
    progress::Progress,
    reader_scripts::ReaderScripts,
};

/// The arguments of `admin`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley admin install\n  galley admin install --from ghost-6.65.0.tgz\n  galley admin install --reader-scripts\n  galley admin status\n  galley admin remove\n\n\
                  The app is Ghost's own (npm package ghost, MIT licence), and not part of Galley. It is served at /ghost/. So are the\n\
                  scripts for readers, which pages of themes otherwise load from Ghost's CDN."
)]
pub struct AdminArguments {
    #[command(subcommand)]
    action: AdminAction,
}

#[derive(Subcommand)]
enum AdminAction {
    /// Install Ghost's admin app, or its scripts for readers, in place of an earlier version
    #[command(
        after_help = "Examples:\n  galley admin install\n  galley admin install --from ghost-6.65.0.tgz\n  galley admin install --from https://mirror.example/ghost-6.65.0.tgz\n  galley admin install --reader-scripts\n  galley admin install --reader-scripts --from packages/\n\n\
                      Without --from, npm gets the packages, from the registry that it is configured for. Their hashes are checked. Run\n\
                      it again to continue an interrupted download. A running server serves the app immediately, and pages that name\n\
                      the installed scripts within a second."
    )]
    Install {
        /// The version of Ghost [default: 6.65.0]
        #[arg(long)]
        version: Option<String>,
        /// A downloaded package, or the URL of one; with --reader-scripts, the folder of the packages, or its URL
        #[arg(long, value_name = "FILE|URL")]
        from: Option<String>,
        /// The hash of another version, as `npm view ghost@VERSION dist.integrity` prints it
        #[arg(long, value_name = "HASH", requires = "version")]
        integrity: Option<String>,
        /// Install the scripts for readers instead: Portal, search, the announcement bar and comments
        #[arg(long, conflicts_with = "version")]
        reader_scripts: bool,
        /// Another version of one of the scripts' packages, with its hash, such as portal@2.71.228=sha512-…
        #[arg(
            long = "package",
            value_name = "NAME@VERSION=HASH",
            requires = "reader_scripts"
        )]
        packages: Vec<String>,
    },
    /// Show which versions are installed, and where
    #[command(after_help = "Examples:\n  galley admin status\n  galley admin status --json")]
    Status {
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Remove the app, or the scripts for readers
    #[command(
        after_help = "Examples:\n  galley admin remove\n  galley admin remove --reader-scripts"
    )]
    Remove {
        /// Remove the scripts for readers instead of the app
        #[arg(long)]
        reader_scripts: bool,
    },
}

/// Runs the subcommand.
pub fn run(
    common: &CommonArguments,
    arguments: &AdminArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let app = AdminApp::at(config.admin_app.clone());
    let scripts = ReaderScripts::at(config.reader_scripts());
    let mut out = Output::standard();
    match &arguments.action {
        AdminAction::Install {
            version,
            from,
            integrity,
            reader_scripts,
            packages,
        } => {
            let source = match from {
                Some(name) => PackageSource::named(name),
                None => PackageSource::Npm,
            };
            let path_prefix = &config.path_prefix;
            if *reader_scripts {
                reader_scripts::install(
                    &mut out,
                    &scripts,
                    packages,
                    &source,
                    path_prefix,
                    common.quiet,
                )?;
            } else {
                let package = package_of(version.as_deref(), integrity.as_deref())?;
                let manifest = install(&app, &package, &source, path_prefix, common.quiet)?;
                writeln!(out, "Installed {}.", description(&app, &manifest))?;
                writeln!(out, "It is served at /{path_prefix}/.")?;
                print_missing(&mut out, &manifest)?;
            }
        }
        AdminAction::Status { json: true } => {
            let folder = app.folder().display().to_string();
            let status = json!({
                "folder": folder,
                "installed": app.manifest(),
                "reader_scripts": reader_scripts::status(&scripts),
            });
            out.json_line(&status)?;
        }
        AdminAction::Status { json: false } => {
            print_status(&mut out, &app)?;
            reader_scripts::print_status(&mut out, &scripts)?;
        }
        AdminAction::Remove { reader_scripts } => {
            let (folder, is_removed) = if *reader_scripts {
                (scripts.folder(), scripts.remove()?)
            } else {
                (app.folder(), app.remove()?)
            };
            if is_removed {
                writeln!(out, "Removed {}.", folder.display())?;
            } else {
                writeln!(out, "Not installed.")?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Installs the app, and shows its progress.
fn install(
    app: &AdminApp,
    package: &PinnedPackage,
    source: &PackageSource,
    path_prefix: &str,
    is_quiet: bool,
) -> Result<Manifest, CommandFailure> {
    let bar = Bar::new("installing the admin app", !is_quiet);
    let installed = Installation {
        app,
        package,
        source,
        path_prefix,
        progress: &|step, done, total| bar.show_step(step, done, total),
    }
    .run();
    bar.finish();
    Ok(installed?)
}

/// Prints the installed version of the app and its folder.
fn print_status(out: &mut Output, app: &AdminApp) -> io::Result<()> {
    let Some(manifest) = app.manifest() else {
        return writeln!(
            out,
            "Ghost's admin app is not installed. `galley admin install` installs it."
        );
    };
    writeln!(out, "{}", description(app, &manifest))?;
    print_missing(out, &manifest)
}

/// Returns the version of an installed app, its folder and its size.
fn description(app: &AdminApp, manifest: &Manifest) -> String {
    format!(
        "Ghost's admin app {} in {}: {}, {}",
        manifest.version,
        app.folder().display(),
        numbered(manifest.files, "file"),
        megabytes(manifest.bytes)
    )
}

/// Lists the parts of the app that do not work because a package could not be obtained.
fn print_missing(out: &mut Output, manifest: &Manifest) -> io::Result<()> {
    for missing in &manifest.missing {
        writeln!(out, "Incomplete: {missing}")?;
    }
    Ok(())
}
