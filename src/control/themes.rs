//! Commands about themes, for `galley theme`.

use super::{ControlContext, Reply};
use crate::{
    admin::themes::{self, CheckedTheme},
    control::theme_report::{ThemeCommand, ThemeReport},
    domain::actor::Actor,
    error::Result,
    themes::{IncomingTheme, Themes},
};

/// Executes a command about themes.
///
/// # Errors
///
/// The errors of the operation, and if the theme to add cannot be read.
pub(super) fn carry_out(context: &ControlContext, command: &ThemeCommand) -> Result<Reply> {
    let site = &context.site;
    let themes = Themes::of(&context.uploads);
    let actor = Actor::Operator;
    Ok(match command {
        ThemeCommand::Add { path } => {
            let (incoming, name) = IncomingTheme::at(&themes, path)?;
            // Before the theme is added, because its name becomes that of a folder or an object.
            themes::check_name(&name)?;
            let added = themes::add(site, &actor, &themes, &name, &incoming, None)?;
            Reply::Theme(ThemeReport::of(&added))
        }
        ThemeCommand::Activate { name } => {
            let activated = themes::activate(site, &actor, &themes, name)?;
            Reply::Theme(ThemeReport::of(&activated))
        }
        ThemeCommand::List => {
            let active = themes.active(&site.current().catalog.settings);
            let all = themes.all()?.into_iter().map(|theme| {
                let is_active = theme.name == active.name;
                let report = theme.report();
                ThemeReport::of(&CheckedTheme {
                    theme,
                    report,
                    is_active,
                })
            });
            Reply::Themes(all.collect())
        }
        ThemeCommand::Delete { name } => {
            themes::delete(site, &actor, &themes, name)?;
            Reply::ThemeDeleted(name.clone())
        }
    })
}
