//! Themes: who may bring one in, choose it, take it away, and what a theme must keep to.

use serde_json::{Value, json};

use crate::{
    domain::{
        action::{ActionEvent, Subject},
        actor::Actor,
        theme::image_widths,
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{Site, Transaction},
    themes::{Incoming, Report, Theme, Themes, is_reserved},
};

/// Most themes of a site.
const THEMES_MAX: usize = 100;

/// A theme, and what is to be said about it.
#[derive(Debug)]
pub struct Examined {
    /// The theme.
    pub theme: Theme,
    /// What its tools and its author are to know.
    pub report: Report,
    /// Whether the site goes by it.
    pub is_active: bool,
}

/// Refuses a name that a theme cannot come in under, before anything is unpacked.
///
/// # Errors
///
/// `Validation` for the names of those that every site has.
pub fn check_name(name: &str) -> Result<()> {
    if is_reserved(name) {
        Err(Error::new(
            Kind::Validation,
            format!("The theme \"{name}\" comes along and cannot be replaced."),
        )
        .help("Give the file another name."))
    } else {
        Ok(())
    }
}

/// Puts a theme that has come in into its place; one of the same name is replaced, and stays active if it was.
///
/// # Errors
///
/// `Validation` when it breaks a rule that no theme may break, with all that is to be said about it; when its name is one of
/// those that every site has, or there are 100 themes.
pub fn add(
    site: &Site,
    actor: &Actor,
    themes: &Themes,
    name: &str,
    incoming: &Incoming,
) -> Result<Examined> {
    check_name(name)?;
    let coming = incoming.theme(name);
    let report = good(&coming)?;
    let widths = image_widths(&coming.package().unwrap_or_default());
    let mut replaced = None;
    site.write(|transaction| {
        let event = match themes.find(name) {
            Some(_) => ActionEvent::Edited,
            None if themes.all()?.len() < THEMES_MAX => ActionEvent::Added,
            None => {
                return Err(Error::new(
                    Kind::Validation,
                    format!("A site has at most {THEMES_MAX} themes."),
                )
                .help("Delete one that is not used."));
            }
        };
        record(transaction, actor, event, name)?;
        if themes.active(&transaction.catalog().settings).name == name {
            transaction.set_image_widths(&widths)?;
            transaction.announce_site();
        }
        replaced = Some(incoming.put_in_place(name)?);
        Ok(())
    })?;
    if let Some(replaced) = replaced {
        replaced.keep();
    }
    let theme = themes.find(name).ok_or_else(|| not_found(name))?;
    let is_active = themes.active(&site.current().catalog.settings).name == name;
    Ok(Examined {
        theme,
        report,
        is_active,
    })
}

/// Makes a theme the one that the site goes by.
///
/// # Errors
///
/// `Validation` when there is none of this name, or it breaks a rule that no theme may break.
pub fn activate(site: &Site, actor: &Actor, themes: &Themes, name: &str) -> Result<Examined> {
    site.write(|transaction| {
        let theme = themes.find(name).ok_or_else(|| {
            Error::new(
                Kind::Validation,
                format!("Theme \"{name}\" not found, so it cannot be activated."),
            )
        })?;
        let report = good(&theme)?;
        // Also when it is the active one (Ghost 6.65, recorded).
        transaction.announce_site_in_any_case();
        if themes.active(&transaction.catalog().settings).name != name {
            let chosen = [("active_theme".to_owned(), json!(name))];
            transaction.edit_settings(chosen.into())?;
            let package = theme.package().unwrap_or_default();
            transaction.set_image_widths(&image_widths(&package))?;
            record(transaction, actor, ActionEvent::Edited, name)?;
        }
        Ok(Examined {
            theme,
            report,
            is_active: true,
        })
    })
}

/// Takes a theme away. What was chosen for its settings is kept, should it come again.
///
/// # Errors
///
/// `NotFound` when there is none of this name; `Validation` for the active one and for those that every site has.
pub fn delete(site: &Site, actor: &Actor, themes: &Themes, name: &str) -> Result<()> {
    let refuse = |why: &str| {
        let message = format!("The theme \"{name}\" cannot be deleted: {why}.");
        Err(Error::new(Kind::Validation, message))
    };
    if is_reserved(name) {
        return refuse("it comes along");
    }
    let mut taken = None;
    site.write(|transaction| {
        if themes.find(name).is_none() {
            return Err(not_found(name));
        }
        if themes.active(&transaction.catalog().settings).name == name {
            return refuse("it is the active one");
        }
        record(transaction, actor, ActionEvent::Deleted, name)?;
        transaction.announce_site();
        taken = Some(themes.take_away(name)?);
        Ok(())
    })?;
    if let Some(taken) = taken {
        taken.keep();
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

/// What is to be said about a theme that can be used.
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
    let mut told = String::new();
    for failure in fatal.flat_map(|finding| &finding.failures).take(TOLD_MAX) {
        let message = failure.message.as_deref().unwrap_or("It is missing.");
        told.push_str(&format!("{}: {message} ", failure.file));
    }
    Err(Error::new(
        Kind::Validation,
        format!("The theme \"{}\" cannot be used.", theme.name),
    )
    .named("ThemeValidationError")
    .context(told.trim_end())
    .details(details))
}

/// Most faults of a theme that its message names.
const TOLD_MAX: usize = 5;
