//! `@custom`: the settings of the theme.

use serde_json::Value as Json;

use super::context::ModelContext;
use crate::{
    catalog::{comparison::Test, fields::FieldType, value},
    domain::theme::{ChosenValues, CustomKind, CustomSetting},
    error::Result,
    front_end::{staff_view::TriedValues, state::PageState},
    nql::{self, Expression},
    store::Table,
    templates::{Record, Value},
};

/// Returns `@custom`: the values of all settings of the theme; null for those that are hidden because of others. Values that staff
/// try are as they were sent, so that what hides them is up to the sender (Ghost 6.65).
pub(super) fn custom(state: &PageState) -> Result<Value> {
    let mut record = saved(state)?;
    match state.staff.tried.as_ref().map(|tried| &tried.custom) {
        None | Some(TriedValues::Saved) => {}
        Some(TriedValues::Absent) => return Ok(Value::Null),
        Some(TriedValues::Chosen(values)) => {
            for setting in CustomSetting::all(&state.theme.package) {
                if let Some(value) = values.get(&setting.key) {
                    record.set(&setting.key, Value::from(value));
                }
            }
        }
    }
    Ok(record.into())
}

fn saved(state: &PageState) -> Result<Record> {
    let theme = &state.theme;
    let key = theme.name.as_bytes();
    let chosen: Option<ChosenValues> = state.snapshot.read(Table::ThemeSettings, key)?;
    let chosen = chosen.unwrap_or_default();
    let settings = CustomSetting::all(&theme.package).into_iter();
    let values: Vec<(CustomSetting, Json)> = settings
        .map(|setting| {
            let value = setting.value(&chosen);
            (setting, value)
        })
        .collect();
    let mut record = Record::new();
    for (setting, value) in &values {
        let shown = if is_hidden(setting, &values, &state.model) {
            Value::Null
        } else {
            shown(setting, value, &state.model)
        };
        record.set(&setting.key, shown);
    }
    Ok(record)
}

fn shown(setting: &CustomSetting, value: &Json, context: &ModelContext) -> Value {
    match value {
        // An empty value counts as missing (Ghost 6.65, recorded).
        Json::String(text) if text.is_empty() => Value::Null,
        Json::String(url) if setting.kind == CustomKind::Image => {
            context.site_urls.absolute(url).into()
        }
        other => Value::from(other),
    }
}

/// Returns whether the filter `visibility` of a setting fails for the values of the theme's settings.
fn is_hidden(
    setting: &CustomSetting,
    values: &[(CustomSetting, Json)],
    context: &ModelContext,
) -> bool {
    let filter = setting.description.get("visibility").and_then(Json::as_str);
    let filter = filter.and_then(|filter| nql::parse(filter).ok());
    filter.is_some_and(|filter| !holds(&filter, values, context))
}

/// Recursion is bounded: the parser limits the depth of an expression.
fn holds(
    expression: &Expression,
    values: &[(CustomSetting, Json)],
    context: &ModelContext,
) -> bool {
    let member = |member: &Expression| holds(member, values, context);
    match expression {
        Expression::And(members) => members.iter().all(member),
        Expression::Or(members) => members.iter().any(member),
        Expression::Condition(condition) => {
            let name = &condition.node.field.node;
            let value = values.iter().find(|(setting, _)| setting.key == *name);
            let (value, kind) = match value.map(|(_, value)| value) {
                Some(Json::Bool(is_on)) => (value::Value::Boolean(*is_on), FieldType::Boolean),
                Some(Json::String(text)) => ((&**text).into(), FieldType::Text),
                _ => (value::Value::Null, FieldType::Text),
            };
            let test = Test::new(&condition.node.predicate, kind, context.now_for(None));
            test.is_ok_and(|test| test.holds(&value))
        }
    }
}
