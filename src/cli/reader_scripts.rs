//! `galley admin install --reader-scripts`, and the state of these scripts in `galley admin status`.

use std::io;

use serde_json::{Value, json};

use super::{progress_bar::Bar, terminal::Output};
use crate::{
    cli::{
        command_failure::CommandFailure,
        quantities::{megabytes, numbered},
    },
    npm_packages::PackageSource,
    progress::Progress,
    reader_scripts::{Installation, Manifest, ReaderScripts, packages_with},
};

/// Installs the scripts and shows the progress. `others` replaces the known versions of packages.
pub fn install(
    out: &mut Output,
    scripts: &ReaderScripts,
    others: &[String],
    source: &PackageSource,
    path_prefix: &str,
    is_quiet: bool,
) -> Result<(), CommandFailure> {
    let packages = packages_with(others)?;
    let bar = Bar::new("installing the scripts for readers", !is_quiet);
    let installed = Installation {
        scripts,
        packages: &packages,
        source,
        path_prefix,
        progress: &|step, done, total| bar.show_step(step, done, total),
    }
    .run();
    bar.finish();
    writeln!(out, "Installed {}.", description(scripts, &installed?))?;
    writeln!(out, "Pages of themes load them from the site.")?;
    Ok(())
}

/// Returns the installed scripts as `galley admin status --json` prints them.
pub fn status(scripts: &ReaderScripts) -> Value {
    json!({
        "folder": scripts.folder().display().to_string(),
        "installed": scripts.manifest(),
    })
}

/// Prints the installed scripts.
pub fn print_status(out: &mut Output, scripts: &ReaderScripts) -> io::Result<()> {
    match scripts.manifest() {
        Some(manifest) => writeln!(out, "{}", description(scripts, &manifest)),
        None => writeln!(
            out,
            "Ghost's scripts for readers are not installed: pages of themes load them from Ghost's CDN. \
             `galley admin install --reader-scripts` installs them."
        ),
    }
}

/// Returns the versions of the installed scripts, their folder and their size.
fn description(scripts: &ReaderScripts, manifest: &Manifest) -> String {
    let packages = manifest.packages.iter();
    let versions: Vec<String> = packages
        .map(|package| format!("{} {}", package.short_name(), package.version))
        .collect();
    format!(
        "Ghost's scripts for readers ({}) in {}: {}, {}",
        versions.join(", "),
        scripts.folder().display(),
        numbered(manifest.files, "file"),
        megabytes(manifest.bytes)
    )
}
