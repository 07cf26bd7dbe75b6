//! `@custom`: the settings of the theme.

use serde_json::Value as Json;

use super::context::ModelContext;
use crate::{
    catalog::{comparison::Test, fields::FieldType, value},
    domain::theme::{ChosenValues, CustomKind, CustomSetting},
    error::Result,
    front_end::{staff_view::PreviewValues, state::PageState, theme::ThemeSetting},
    nql::Expression,
    store::Table,
    templates::{PlainObject, Value},
};

/// Returns `@custom`, the values of the theme's settings. Once a setting has been edited, settings that others hide are null.
/// Values that staff preview are used as sent: their sender decides which ones are hidden (Ghost 6.65).
pub(super) fn custom(state: &PageState) -> Result<Value> {
    let mut record = saved(state)?;
    match state.staff.preview.as_ref().map(|preview| &preview.custom) {
        None | Some(PreviewValues::Saved) => {}
        Some(PreviewValues::Absent) => return Ok(Value::Null),
        Some(PreviewValues::Chosen(values)) => {
            for own in &state.theme.custom_settings {
                let key = &own.setting.key;
                if let Some(value) = values.get(key) {
                    record.set(key, Value::from(value));
                }
            }
        }
    }
    Ok(record.into())
}

fn saved(state: &PageState) -> Result<PlainObject> {
    let theme = &state.theme;
    let key = theme.name.as_bytes();
    let chosen: Option<ChosenValues> = state.snapshot.read(Table::ThemeSettings, key)?;
    let settings = &state.snapshot.catalog.settings;
    let chosen = chosen.unwrap_or_default().with_file(settings, &theme.name);
    let hides = chosen.is_edited;
    let value = |own: &ThemeSetting| own.setting.value(&chosen);
    // All values are needed first: the filter of a setting refers to others in any order.
    let values: Vec<Json> = theme.custom_settings.iter().map(value).collect();
    let mut record = PlainObject::new();
    for (own, value) in theme.custom_settings.iter().zip(&values) {
        let is_shown = |filter| holds(filter, &theme.custom_settings, &values, &state.model);
        let shown = if !hides || own.visibility.as_ref().is_none_or(is_shown) {
            shown(&own.setting, value, &state.model)
        } else {
            Value::Null
        };
        record.set(&own.setting.key, shown);
    }
    Ok(record)
}

fn shown(setting: &CustomSetting, value: &Json, context: &ModelContext) -> Value {
    match value {
        // An empty value counts as missing (Ghost 6.65, recorded).
        Json::String(text) if text.is_empty() => Value::Null,
        Json::String(url) if setting.kind == CustomKind::Image => match url.strip_prefix('/') {
            // `//` begins a URL without a scheme.
            Some(path) if !path.starts_with('/') => {
                format!("{}/{path}", context.site_urls.base()).into()
            }
            _ => context.site_urls.absolute(url).into(),
        },
        other => Value::from(other),
    }
}

/// Returns whether the values of the theme's settings satisfy a filter.
///
/// Recursion is bounded: the parser limits the depth of an expression.
fn holds(
    expression: &Expression,
    settings: &[ThemeSetting],
    values: &[Json],
    context: &ModelContext,
) -> bool {
    let member = |member: &Expression| holds(member, settings, values, context);
    match expression {
        Expression::And(members) => members.iter().all(member),
        Expression::Or(members) => members.iter().any(member),
        Expression::Condition(condition) => {
            let name = &condition.node.field.node;
            let index = settings.iter().position(|own| own.setting.key == *name);
            let (value, kind) = match index.map(|index| &values[index]) {
                Some(Json::Bool(is_on)) => (value::Value::Boolean(*is_on), FieldType::Boolean),
                Some(Json::String(text)) => ((&**text).into(), FieldType::Text),
                _ => (value::Value::Null, FieldType::Text),
            };
            let test = Test::new(&condition.node.predicate, kind, context.now_for(None));
            test.is_ok_and(|test| test.holds(&value))
        }
    }
}
