//! The fields of actions (Ghost 6.65, recorded).

use std::borrow::Cow;

use serde_json::{Map, json};

use super::{
    Audience, Field,
    FieldType::{Text, Time},
    Schema, UnknownField,
};
use crate::{
    catalog::value::Value,
    domain::{
        action::{Action, ActionActor},
        setting::{SETTINGS, Setting},
    },
};

/// The fields of actions.
pub static ACTIONS: Schema<Action> = Schema {
    name: "actions",
    audience: Audience::Staff,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const FIELDS: &[Field<Action>] = &[
    Field::required("id", Text, |action| Value::Id(action.id)),
    Field::required("resource_id", Text, |action| Value::Id(action.resource_id)),
    Field::required("resource_type", Text, |action| {
        (&*action.resource_type).into()
    }),
    Field::optional("actor_id", Text, |action| match action.actor {
        ActionActor::User(id) | ActionActor::Integration(id) => Value::Id(id),
        ActionActor::Operator => Value::Null,
    }),
    Field::required("actor_type", Text, |action| {
        match action.actor {
            ActionActor::User(_) => "user",
            ActionActor::Integration(_) => "integration",
            ActionActor::Operator => "operator",
        }
        .into()
    }),
    Field::required("event", Text, |action| action.event.name().into()),
    Field::required("context", Text, |action| {
        Value::Text(Cow::Owned(context(action)))
    }),
    Field::required("created_at", Time, |action| Value::Time(action.created_at)),
];

fn setting(action: &Action) -> Option<&'static Setting> {
    let key = match &*action.resource_type {
        "setting" => action.name.as_deref()?,
        _ => return None,
    };
    SETTINGS.iter().find(|setting| setting.key == key)
}

/// Returns further details as JSON text.
fn context(action: &Action) -> String {
    let mut context = Map::new();
    // A setting is identified by its key and its group (Ghost 6.65, observed).
    if let Some(setting) = setting(action) {
        context.insert("key".to_owned(), json!(setting.key));
        context.insert("group".to_owned(), json!(setting.group()));
        return json!(context).to_string();
    }
    if let Some(kind) = &action.kind {
        context.insert("type".to_owned(), json!(kind));
    }
    if let Some(name) = &action.name {
        context.insert("primary_name".to_owned(), json!(name));
    }
    if let Some(count) = action.count {
        context.insert("count".to_owned(), json!(count));
    }
    json!(context).to_string()
}
