//! Uploading, activating and deleting themes.

use serde_json::{Value, json};

use crate::{
    domain::{
        action::ActionEvent,
        actor::Actor,
        record::Subject,
        theme::{ChosenValues, CustomSetting, image_widths},
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{Site, Transaction},
    store::Table,
    themes::{IncomingTheme, Report, Theme, Themes, is_reserved},
};

/// Maximum number of themes of a site.
const THEMES_MAX: usize = 100;

/// A theme with its report.
#[derive(Debug)]
pub struct CheckedTheme {
    /// The theme.
    pub theme: Theme,
    /// The findings for its tools and its author.
    pub report: Report,
    /// True if it is active.
    pub is_active: bool,
}

/// Rejects a reserved name. Callers check the name before they unpack an upload.
///
/// # Errors
///
/// `Validation` for the names of built-in themes.
pub fn check_name(name: &str) -> Result<()> {
    if is_reserved(name) {
        Err(Error::new(
            Kind::Validation,
            format!("The theme \"{name}\" is built in and cannot be replaced."),
        )
        .help("Give the file another name."))
    } else {
        Ok(())
    }
}

/// Installs an uploaded theme. A theme of the same name is replaced, and remains active if it was
/// active. A theme without stored settings gets those of the theme `settings_from`, if it is named.
///
/// # Errors
///
/// `Validation` if the theme breaks a mandatory rule, with its report; if its name is the name of a
/// built-in theme; if there is no theme `settings_from`; or if there are already 100 themes.
pub fn add(
    site: &Site,
    actor: &Actor,
    themes: &Themes,
    name: &str,
    incoming: &IncomingTheme,
    settings_from: Option<&str>,
) -> Result<CheckedTheme> {
    check_name(name)?;
    let coming = incoming.theme(name);
    // All files of the theme are read here, outside the transaction, which blocks other changes.
    let report = good(&coming)?;
    let widths = image_widths(&coming.package().unwrap_or_default());
    let mut replaced = None;
    site.write_once(|transaction| {
        let event = match themes.find(name) {
            Some(_) => ActionEvent::Edited,
            None if themes.all()?.len() < THEMES_MAX => ActionEvent::Added,
            None => {
                return Err(Error::new(
                    Kind::Validation,
                    format!("A site has at most {THEMES_MAX} themes."),
                )
                .help("Delete a theme that is not in use."));
            }
        };
        record(transaction, actor, event, name)?;
        if let Some(source) = settings_from {
            copy_settings(transaction, themes, source, name)?;
        }
        if themes.active(&transaction.catalog().settings).name == name {
            check_settings(&coming)?;
            transaction.set_image_widths(&widths)?;
            transaction.announce_site();
            show_all_settings(transaction, name)?;
        }
        // The last step: if the commit fails, dropping `replaced` restores the previous files.
        replaced = Some(incoming.install(name)?);
        Ok(())
    })?;
    // The commit has succeeded, so the previous files are not needed any more.
    if let Some(replaced) = replaced {
        replaced.keep();
    }
    let theme = themes.find(name).ok_or_else(|| not_found(name))?;
    let is_active = themes.active(&site.current().catalog.settings).name == name;
    Ok(CheckedTheme {
        theme,
        report,
        is_active,
    })
}

/// Copies the stored settings of the theme `source` to the theme `name`, unless it has some.
///
/// # Errors
///
/// `Validation` if there is no theme `source`.
fn copy_settings(
    transaction: &mut Transaction,
    themes: &Themes,
    source: &str,
    name: &str,
) -> Result<()> {
    if themes.find(source).is_none() {
        let message = format!("There is no theme \"{source}\" to copy settings from.");
        return Err(Error::new(Kind::Validation, message));
    }
    let table = Table::ThemeSettings;
    let own: Option<ChosenValues> = transaction.read(table, name.as_bytes())?;
    let copied: Option<ChosenValues> = transaction.read(table, source.as_bytes())?;
    match copied {
        Some(copied) if own.is_none() => transaction.put(table, name.as_bytes(), &copied),
        _ => Ok(()),
    }
}

/// Activates a theme.
///
/// # Errors
///
/// `Validation` if no theme has this name, or the theme breaks a mandatory rule.
pub fn activate(site: &Site, actor: &Actor, themes: &Themes, name: &str) -> Result<CheckedTheme> {
    site.write(|transaction| {
        let theme = themes.find(name).ok_or_else(|| {
            Error::new(
                Kind::Validation,
                format!("Theme \"{name}\" not found, so it cannot be activated."),
            )
        })?;
        let report = good(&theme)?;
        check_settings(&theme)?;
        // Announced even if the theme is already active (Ghost 6.65, recorded).
        transaction.announce_site_in_any_case();
        show_all_settings(transaction, name)?;
        if themes.active(&transaction.catalog().settings).name != name {
            let chosen = [("active_theme".to_owned(), json!(name))];
            transaction.edit_settings(chosen.into())?;
            let package = theme.package().unwrap_or_default();
            transaction.set_image_widths(&image_widths(&package))?;
            record(transaction, actor, ActionEvent::Edited, name)?;
        }
        Ok(CheckedTheme {
            theme,
            report,
            is_active: true,
        })
    })
}

/// Checks the settings of a theme that is to be activated.
///
/// # Errors
///
/// `Validation` if one cannot be stored.
fn check_settings(theme: &Theme) -> Result<()> {
    let unusable = CustomSetting::first_unusable(&theme.package().unwrap_or_default());
    match unusable {
        None => Ok(()),
        Some(key) => Err(Error::new(
            Kind::Validation,
            format!(
                "The theme \"{}\" cannot be activated: the setting \"{key}\" in its package has no name or no known type.",
                theme.name
            ),
        )
        .help("The types in \"config.custom\" of package.json are select, boolean, color, image and text.")),
    }
}

/// Makes all settings of a theme visible to its templates again, until one of them is edited.
fn show_all_settings(transaction: &mut Transaction, name: &str) -> Result<()> {
    let table = Table::ThemeSettings;
    let stored: Option<ChosenValues> = transaction.read(table, name.as_bytes())?;
    match stored.filter(|chosen| chosen.is_edited) {
        Some(chosen) => {
            let chosen = ChosenValues {
                is_edited: false,
                ..chosen
            };
            transaction.put(table, name.as_bytes(), &chosen)
        }
        None => Ok(()),
    }
}

/// Deletes a theme. The values of its settings remain stored, in case it is uploaded again.
///
/// # Errors
///
/// `NotFound` if no theme has this name; `Validation` for the active theme and for built-in themes.
pub fn delete(site: &Site, actor: &Actor, themes: &Themes, name: &str) -> Result<()> {
    let refuse = |why: &str| {
        let message = format!("The theme \"{name}\" cannot be deleted: {why}.");
        Err(Error::new(Kind::Validation, message))
    };
    if is_reserved(name) {
        return refuse("it is built in");
    }
    let mut removed = None;
    site.write_once(|transaction| {
        if themes.find(name).is_none() {
            return Err(not_found(name));
        }
        if themes.active(&transaction.catalog().settings).name == name {
            return refuse("it is the active one");
        }
        record(transaction, actor, ActionEvent::Deleted, name)?;
        transaction.announce_site();
        // The last step, as in `add`: if the commit fails, dropping `removed` restores the files.
        removed = Some(themes.remove(name)?);
        Ok(())
    })?;
    if let Some(removed) = removed {
        removed.keep();
    }
    Ok(())
}

fn not_found(name: &str) -> Error {
    Error::not_found(format!("Theme \"{name}\""))
}

fn record(
    transaction: &mut Transaction,
    actor: &Actor,
    event: ActionEvent,
    name: &str,
) -> Result<()> {
    let subject = Subject {
        id: Id::derive("theme", name),
        resource_type: "theme",
        name: Some(name),
        kind: None,
    };
    transaction.record_action(actor, event, subject)
}

/// Returns the report of a theme if it breaks no mandatory rule.
fn good(theme: &Theme) -> Result<Report> {
    let report = theme.report();
    if !report.is_fatal() {
        return Ok(report);
    }
    let package = theme.package().unwrap_or_default();
    let details = json!({
        "checkedVersion": "6.x",
        "name": package.get("name").unwrap_or(&Value::Null),
        "version": package.get("version").unwrap_or(&Value::Null),
        "errors": report.errors,
        "warnings": report.warnings,
    });
    let fatal = report.errors.iter().filter(|finding| finding.fatal);
    let mut faults = String::new();
    for failure in fatal
        .flat_map(|finding| &finding.failures)
        .take(REPORTED_FAULTS_MAX)
    {
        let message = failure.message.as_deref().unwrap_or("It is missing.");
        faults.push_str(&format!("{}: {message} ", failure.file));
    }
    Err(Error::new(
        Kind::Validation,
        format!("The theme \"{}\" cannot be used.", theme.name),
    )
    .named("ThemeValidationError")
    .context(faults.trim_end())
    .details(details))
}

/// Maximum number of faults listed in the error message of a theme.
const REPORTED_FAULTS_MAX: usize = 5;
