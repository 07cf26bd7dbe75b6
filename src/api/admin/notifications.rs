//! Notifications for staff, shown until each user dismisses them (Ghost 6.65, recorded).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{Reply, Request, envelope};
use crate::{
    admin::notifications::{self, NewNotification},
    domain::{OptionalText, notification::Notification},
    error::Result,
};

/// Characters that are percent-encoded in a URL with a notification's name.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// `GET admin/notifications/`: the notifications that the requesting user has not dismissed.
pub fn browse(request: &Request) -> Result<Reply> {
    let found = notifications::of_actor(request.snapshot, request.actor()?)?;
    let views: Vec<Value> = found.iter().map(view).collect();
    Ok(Reply::value(&json!({ "notifications": views })))
}

/// `POST admin/notifications/`: 200 and an empty list for a repeated notification. The response to a
/// new one has a `Location`, although it cannot be read there (Ghost 6.65, observed).
pub fn add(request: &Request) -> Result<Reply> {
    let record = envelope::first_record(request, "notifications")?;
    let text = |name: &str| -> OptionalText {
        let text = record.get(name).and_then(Value::as_str);
        text.filter(|text| !text.is_empty()).map(Into::into)
    };
    let switch = |name: &str| record.get(name).and_then(Value::as_bool);
    let added = notifications::add(
        request.site(),
        NewNotification {
            name: text("id"),
            message: text("message"),
            kind: text("type"),
            custom: switch("custom"),
            top: switch("top"),
            dismissible: switch("dismissible"),
            location: text("location"),
            status: text("status"),
        },
    )?;
    Ok(match added {
        Some(added) => {
            let body = json!({ "notifications": [view(&added)] });
            let name = utf8_percent_encode(&added.name, ESCAPED).to_string();
            Reply::created(body.to_string().into_bytes(), &request.location(&name))
        }
        None => Reply::value(&json!({ "notifications": [] })),
    })
}

/// `DELETE admin/notifications/{name}/`: for the requesting user only.
pub fn dismiss(request: &Request) -> Result<Reply> {
    notifications::dismiss(request.site(), request.actor()?, request.variable())?;
    Ok(Reply::no_content())
}

/// Returns a notification as JSON. Fields that its sender omitted are absent.
fn view(notification: &Notification) -> Value {
    let mut view = json!({
        "dismissible": notification.dismissible,
        "location": notification.location,
        "status": notification.status,
        "id": notification.name,
        "message": notification.message,
    });
    if let Some(kind) = &notification.kind {
        view["type"] = json!(kind);
    }
    for (name, switch) in [("custom", notification.custom), ("top", notification.top)] {
        if let Some(switch) = switch {
            view[name] = json!(switch);
        }
    }
    view
}
