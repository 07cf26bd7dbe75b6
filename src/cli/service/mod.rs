//! `galley service`: the site as a service of systemd.

mod systemd;
mod unit;

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Write},
    os::unix::fs::MetadataExt,
    path::{self, Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use serde_json::json;

use self::{
    systemd::{properties, run as run_program, systemctl},
    unit::{MARK, ServiceUnit, ServiceUser},
};
use super::terminal::{self, Output};
use crate::{
    atomic_file,
    cli::{command_failure::CommandFailure, common_arguments::CommonArguments},
    config::FILE,
};

/// The arguments of `service`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  sudo galley service install --user ada\n  galley service status\n  sudo galley service remove"
)]
pub struct ServiceArguments {
    #[command(subcommand)]
    action: ServiceAction,
}

#[derive(Subcommand)]
enum ServiceAction {
    /// Write, enable and start a unit of systemd, which serves the site from now on
    #[command(
        after_help = "Examples:\n  sudo galley service install --user ada\n  sudo galley service install --config /etc/galley/galley.toml\n  galley service install --dry-run\n\n\
                      The service reads galley.toml of this folder, or --config, and runs in the folder of that file. Without --user it\n\
                      runs as the owner of the data folder; or, if the data folder is below /var/lib, as a user that systemd makes for\n\
                      it. Run it again after a change of folders, ports or the program's path."
    )]
    Install {
        #[command(flatten)]
        location: UnitLocation,
        /// The user that the service runs as
        #[arg(long, value_name = "NAME")]
        user: Option<String>,
        /// Print the unit, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Show whether the service runs, and whether it starts with the machine
    #[command(
        after_help = "Examples:\n  galley service status\n  galley service status --json\n\nThe exit code is 0 if the service runs, and 1 otherwise."
    )]
    Status {
        #[command(flatten)]
        name: ServiceName,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Stop the service and remove its unit; the site's folders stay
    #[command(after_help = "Example:\n  sudo galley service remove")]
    Remove {
        #[command(flatten)]
        location: UnitLocation,
    },
}

/// The name of a unit.
#[derive(Args)]
struct ServiceName {
    /// The name of the service, for several sites on a machine
    #[arg(long, default_value = "galley", value_parser = unit_name)]
    name: String,
}

impl ServiceName {
    fn unit(&self) -> String {
        format!("{}.service", self.name)
    }
}

/// The location of a unit.
#[derive(Args)]
struct UnitLocation {
    #[command(flatten)]
    service: ServiceName,
    /// The folder of units
    #[arg(long, value_name = "DIR", default_value = "/etc/systemd/system")]
    unit_folder: PathBuf,
}

impl UnitLocation {
    fn path(&self) -> io::Result<PathBuf> {
        path::absolute(self.unit_folder.join(self.service.unit()))
    }
}

fn unit_name(text: &str) -> Result<String, String> {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if text.bytes().all(is_valid) && text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        Ok(text.to_owned())
    } else {
        Err("expected letters, digits, - and _".to_owned())
    }
}

/// Runs the subcommand.
pub fn run(
    common: &CommonArguments,
    arguments: &ServiceArguments,
) -> Result<ExitCode, CommandFailure> {
    match &arguments.action {
        ServiceAction::Install {
            location,
            user,
            dry_run,
        } => {
            let unit = unit(common, &location.service.name, user.as_deref())?;
            if *dry_run {
                terminal::data().write_all(unit.text().as_bytes())?;
                return Ok(ExitCode::SUCCESS);
            }
            install(location, &unit)
        }
        ServiceAction::Status { name, json } => status(name, *json),
        ServiceAction::Remove { location } => remove(location),
    }
}

/// Builds the unit of the site that is configured here.
fn unit(
    common: &CommonArguments,
    name: &str,
    user: Option<&str>,
) -> Result<ServiceUnit, CommandFailure> {
    let file = common.config.as_deref().unwrap_or(Path::new(FILE));
    let file = path::absolute(file)?;
    let data = common.data.as_deref().map(path::absolute).transpose()?;
    let folder = match file.parent() {
        Some(folder) if file.is_file() => folder.to_owned(),
        _ => env::current_dir()?,
    };
    // Relative paths and default folders are resolved as the service resolves them.
    env::set_current_dir(&folder)?;
    let config = CommonArguments {
        config: common.config.as_ref().map(|_| file.clone()),
        data: data.clone(),
        ..CommonArguments::default()
    };
    let config = config.configuration(BTreeMap::new())?;

    let mut command = vec![unit::program()?, unit::SERVE.to_owned()];
    if file.is_file() {
        command.extend(["--config".to_owned(), file.to_string_lossy().into_owned()]);
    }
    if let Some(data) = &data {
        command.extend(["--data".to_owned(), data.to_string_lossy().into_owned()]);
    }
    let data = folder.join(&config.data);
    let unit = ServiceUnit {
        name: name.to_owned(),
        user: service_user(user, &data)?,
        command,
        writes: ServiceUnit::folders_written(&config, &folder),
        has_low_port: ServiceUnit::needs_low_port(&config, |socket| {
            systemd::is_enabled(&format!("{name}-{socket}.socket"))
        }),
        folder,
        data,
    };
    if unit.has_control_characters() {
        return Err(CommandFailure::Command(
            "a path has a control character, which units of systemd cannot express".to_owned(),
        ));
    }
    Ok(unit)
}

/// Returns the user that the service runs as: `given`, the owner of the data folder, or a user that systemd
/// creates.
fn service_user(given: Option<&str>, data: &Path) -> Result<ServiceUser, CommandFailure> {
    if let Some(name) = given {
        return Ok(ServiceUser::Named(name.to_owned()));
    }
    // For a user that it creates, systemd leaves a symbolic link at this path.
    let known = fs::symlink_metadata(data).ok();
    match known.filter(fs::Metadata::is_dir).map(|known| known.uid()) {
        Some(owner) if owner != 0 => {
            let owner = owner.to_string();
            let name = run_program("id", &["-nu", &owner]);
            Ok(ServiceUser::Named(name.unwrap_or(owner)))
        }
        _ if ServiceUnit::state_folder(data).is_some() => Ok(ServiceUser::Dynamic),
        owner => Err(CommandFailure::Command(format!(
            "name the user that the service runs as with --user NAME: {} {}",
            data.display(),
            match owner {
                Some(_) => "belongs to root. `chown -R NAME` gives it to that user",
                None => "does not exist yet, and is not below /var/lib",
            }
        ))),
    }
}

/// Writes the unit, and starts it.
fn install(location: &UnitLocation, unit: &ServiceUnit) -> Result<ExitCode, CommandFailure> {
    let path = location.path()?;
    let name = location.service.unit();
    // First, because this fails without systemd, and nothing has been changed yet.
    let loaded = properties(&name)?;
    let loaded = loaded.get("FragmentPath").map_or("", String::as_str);
    // Also the unit that systemd has loaded by this name, such as that of the Debian package, which
    // the new one would hide.
    for other in [path.as_path(), Path::new(loaded)] {
        refuse_other_unit(other)?;
    }
    if let ServiceUser::Named(user) = &unit.user {
        give_data_folder(user, &unit.data)?;
    }
    atomic_file::replace_content(&path, unit.text().as_bytes()).map_err(|error| {
        CommandFailure::Command(format!(
            "cannot write {}: {error}. Run it as root, with sudo",
            path.display()
        ))
    })?;
    systemctl(&["daemon-reload"])?;
    systemctl(&["enable", &name])?;
    // `start` would leave a running service unchanged.
    systemctl(&["restart", &name])?;
    let mut out = Output::standard();
    writeln!(out, "{name} runs, and starts with the machine.")?;
    writeln!(out, "Its unit is {}.", path.display())?;
    writeln!(out)?;
    writeln!(out, "Next:")?;
    writeln!(out, "  galley service status")?;
    writeln!(out, "  journalctl -u {}", location.service.name)?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses to overwrite a unit that `galley service install` did not write.
fn refuse_other_unit(path: &Path) -> Result<(), CommandFailure> {
    match fs::read(path) {
        Ok(text) if !text.starts_with(MARK.as_bytes()) => Err(CommandFailure::Command(format!(
            "{} was not written by `galley service install`, and is left unchanged. Choose another name with --name",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Creates the data folder for a user, or verifies that the user owns an existing one.
fn give_data_folder(user: &str, data: &Path) -> Result<(), CommandFailure> {
    let failed = |error: io::Error| CommandFailure::Command(error.to_string());
    let id = run_program("id", &["-u", user]).map_err(failed)?;
    match fs::metadata(data) {
        Ok(known) if known.uid().to_string() == id => Ok(()),
        Ok(_) => Err(CommandFailure::Command(format!(
            "{0} does not belong to {user}. `chown -R {user} {0}` gives it to that user",
            data.display()
        ))),
        // systemd creates it.
        Err(_) if ServiceUnit::state_folder(data).is_some() => Ok(()),
        Err(_) => {
            let data = data.to_string_lossy();
            run_program("install", &["-d", "-m", "700", "-o", user, &data]).map_err(failed)?;
            Ok(())
        }
    }
}

/// Prints whether the service runs.
fn status(name: &ServiceName, is_json: bool) -> Result<ExitCode, CommandFailure> {
    let properties = properties(&name.unit())?;
    let of = |key: &str| properties.get(key).map_or("", String::as_str);
    let mut out = Output::standard();
    let is_installed = !of("FragmentPath").is_empty();
    if is_json {
        let status = json!({
            "unit": is_installed.then(|| of("FragmentPath")),
            "active": of("ActiveState"),
            "state": of("SubState"),
            "enabled": of("UnitFileState") == "enabled",
        });
        out.json_line(&status)?;
    } else if is_installed {
        let (active, state) = (of("ActiveState"), of("SubState"));
        writeln!(
            out,
            "{}: {active} ({state}), {}",
            name.unit(),
            of("UnitFileState")
        )?;
        writeln!(out, "Its unit is {}.", of("FragmentPath"))?;
    } else {
        writeln!(
            out,
            "{} is not installed. `galley service install` installs it.",
            name.unit()
        )?;
    }
    Ok(match of("ActiveState") {
        "active" => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Stops the service and removes its unit.
fn remove(location: &UnitLocation) -> Result<ExitCode, CommandFailure> {
    let path = location.path()?;
    if fs::symlink_metadata(&path).is_err() {
        return Err(CommandFailure::Command(format!(
            "there is no unit {}",
            path.display()
        )));
    }
    refuse_other_unit(&path)?;
    systemctl(&["disable", "--now", &location.service.unit()])?;
    fs::remove_file(&path)?;
    systemctl(&["daemon-reload"])?;
    writeln!(
        Output::standard(),
        "Removed {}. The site's folders stay.",
        path.display()
    )?;
    Ok(ExitCode::SUCCESS)
}
