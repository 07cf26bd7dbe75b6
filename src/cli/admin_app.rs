//! `galley admin`

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    CommandFailure, CommonArguments, megabytes, numbered, progress_bar::Bar, terminal::Output,
};
use crate::{
    admin_app::{AdminApp, Installation, Manifest, PackageSource, PinnedPackage, Step},
    progress::Progress,
};

/// The arguments of `admin`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley admin install\n  galley admin install --from ghost-6.65.0.tgz\n  galley admin status\n  galley admin remove\n\n\
                  The app is Ghost's own (npm package ghost, MIT licence), and not part of Galley. It is served at /ghost/."
)]
pub struct AdminArguments {
    #[command(subcommand)]
    action: AdminAction,
}

#[derive(Subcommand)]
enum AdminAction {
    /// Install Ghost's admin app, in place of an earlier version
    #[command(
        after_help = "Examples:\n  galley admin install\n  galley admin install --from ghost-6.65.0.tgz\n  galley admin install --from https://mirror.example/ghost-6.65.0.tgz\n\n\
                      Without --from, npm gets the package, from the registry that it is configured for. Its hash is checked. Run\n\
                      it again to continue an interrupted download. A running server serves the app immediately."
    )]
    Install {
        /// The version of Ghost [default: 6.65.0]
        #[arg(long)]
        version: Option<String>,
        /// A downloaded package, or the URL of one
        #[arg(long, value_name = "FILE|URL")]
        from: Option<String>,
        /// The hash of another version, as `npm view ghost@VERSION dist.integrity` prints it
        #[arg(long, value_name = "HASH", requires = "version")]
        integrity: Option<String>,
    },
    /// Show which version is installed, and where
    #[command(after_help = "Examples:\n  galley admin status\n  galley admin status --json")]
    Status {
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Remove the app
    #[command(after_help = "Example:\n  galley admin remove")]
    Remove,
}

/// Runs the subcommand.
pub fn run(
    common: &CommonArguments,
    arguments: &AdminArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let app = AdminApp::at(config.admin_app.clone());
    let mut out = Output::standard();
    match &arguments.action {
        AdminAction::Install {
            version,
            from,
            integrity,
        } => {
            let package = PinnedPackage::of(version.as_deref(), integrity.as_deref())?;
            let source = match from {
                Some(name) => PackageSource::named(name),
                None => PackageSource::Npm,
            };
            let path_prefix = &config.path_prefix;
            let manifest = install(&app, &package, &source, path_prefix, common.quiet)?;
            writeln!(out, "Installed {}.", description(&app, &manifest))?;
            writeln!(out, "It is served at /{path_prefix}/.")?;
            print_missing(&mut out, &manifest)?;
        }
        AdminAction::Status { json: true } => {
            let folder = app.folder().display().to_string();
            let status = json!({ "folder": folder, "installed": app.manifest() });
            out.json_line(&status)?;
        }
        AdminAction::Status { json: false } => match app.manifest() {
            Some(manifest) => {
                writeln!(out, "{}", description(&app, &manifest))?;
                print_missing(&mut out, &manifest)?;
            }
            None => writeln!(out, "Not installed. `galley admin install` installs it.")?,
        },
        AdminAction::Remove => {
            let folder: PathBuf = app.folder().to_owned();
            if app.remove()? {
                writeln!(out, "Removed {}.", folder.display())?;
            } else {
                writeln!(out, "Not installed.")?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Installs the app, and shows the progress of it.
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
        progress: &|step, done, total| match step {
            // The download is half of the bar.
            Step::Download => bar.advance(done, total * 2),
            Step::Unpack => bar.advance(total + done, total * 2),
        },
    }
    .run();
    bar.finish();
    Ok(installed?)
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
fn print_missing(out: &mut Output, manifest: &Manifest) -> std::io::Result<()> {
    for missing in &manifest.missing {
        writeln!(out, "Incomplete: {missing}")?;
    }
    Ok(())
}
