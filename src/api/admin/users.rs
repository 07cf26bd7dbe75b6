//! Staff users (Ghost 6.65, recorded).

use std::cmp::{Ordering, Reverse};

use serde_json::Value;

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType, ListEntry, with_texts, writable},
    records::{self, Resource},
    view::View,
};
use crate::{
    admin::{
        ignored_fields, user_deletion,
        users::{self, Notification, UserChanges},
    },
    api::{
        json::{self, Object},
        params::{Defaults, Rows, Selection},
    },
    catalog::{
        Catalog,
        fields::{Schema, USER_TEXTS, USERS},
        order::POST_COUNT,
    },
    collation,
    domain::{
        OptionalText, email,
        record::Record,
        role::Role,
        user::{User, UserStatus},
    },
    error::{Error, Kind, Result},
    id::Id,
};

/// The writable fields of a user. The operation checks lengths, because its errors name no field.
pub static FIELDS: &[InputField] =
    &with_texts::<User, { OWN.len() + writable(USER_TEXTS) }>(OWN, USER_TEXTS);

const OWN: &[InputField] = &[
    InputField::set("name", InputType::Text(usize::MAX)),
    InputField::set("slug", InputType::Text(usize::MAX)),
    InputField::optional("email", InputType::Text(usize::MAX)),
    InputField::set("status", InputType::Choice(STATUSES)),
    InputField::set("comment_notifications", InputType::Boolean),
    InputField::set("free_member_signup_notification", InputType::Boolean),
    InputField::set("paid_subscription_started_notification", InputType::Boolean),
    InputField::set(
        "paid_subscription_canceled_notification",
        InputType::Boolean,
    ),
    InputField::set("mention_notifications", InputType::Boolean),
    InputField::set("recommendation_notifications", InputType::Boolean),
    InputField::set("milestone_notifications", InputType::Boolean),
    InputField::set("donation_notifications", InputType::Boolean),
    InputField::set("visibility", InputType::Choice(&["public"])),
    InputField::set("roles", InputType::List(ListEntry::RecordOrText)),
];

const STATUSES: &[&str] = &[
    "active", "warn-1", "warn-2", "warn-3", "warn-4", "inactive", "locked",
];

/// The notification switches of a user, by their names on the wire.
static NOTIFICATIONS: &[(&str, Notification)] = &[
    ("comment_notifications", |about| &mut about.comments),
    ("free_member_signup_notification", |about| {
        &mut about.free_signups
    }),
    ("paid_subscription_started_notification", |about| {
        &mut about.paid_starts
    }),
    ("paid_subscription_canceled_notification", |about| {
        &mut about.paid_cancellations
    }),
    ("mention_notifications", |about| &mut about.mentions),
    ("recommendation_notifications", |about| {
        &mut about.recommendations
    }),
    ("milestone_notifications", |about| &mut about.milestones),
    ("donation_notifications", |about| &mut about.donations),
];

impl Resource for User {
    const RECORD: &'static str = "User";
    const SCHEMA: &'static Schema<Self> = &USERS;

    fn count(&self, catalog: &Catalog) -> usize {
        catalog.posts.uses_of_author(self.id)
    }

    /// Orders by the last visit, latest first, then by name (Ghost 6.65, recorded).
    fn own_order(&self, other: &Self) -> Ordering {
        let by_name = collation::compare(&self.name, &other.name);
        let order = |user: &Self| (Reverse(user.created_at), user.id);
        let seen = other.last_seen.cmp(&self.last_seen);
        seen.then(by_name).then(order(self).cmp(&order(other)))
    }

    fn write(&self, view: &View, object: &mut Object, rows: &Rows<Self>) {
        view.user(object, self, rows);
        if view.selection.includes("roles") {
            view.roles(object, self);
        }
        if view.selection.includes("permissions") {
            // The list contains only permissions granted to the user directly, of which Galley has
            // none; all others follow from the role.
            object.field("permissions", serde_json::json!([]));
        }
        if view.selection.includes(POST_COUNT) && !view.selection.is_restricted() {
            let posts = self.count(view.catalog());
            object.field("count", serde_json::json!({ "posts": posts }));
        }
    }
}

/// `GET admin/users/`
pub fn browse(request: &Request) -> Result<Reply> {
    records::browse::<User>(request)
}

/// `GET admin/users/{id}/`; `me` is the requesting user.
pub fn read(request: &Request) -> Result<Reply> {
    // `me` is a well-formed identifier of no record, so it is handled first.
    if request.variable() != "me" {
        return records::read_by_id::<User>(request);
    }
    let own = request.actor()?.user();
    let user = own.and_then(|id| request.snapshot.catalog.users.get(id));
    let user = user.ok_or_else(|| Error::not_found(User::KIND))?;
    Ok(Reply::json(records::single(request, user.as_ref(), "id")))
}

/// `GET admin/users/slug/{slug}/`
pub fn read_by_slug(request: &Request) -> Result<Reply> {
    records::read_by_slug::<User>(request)
}

/// `GET admin/users/email/{email}/`
pub fn read_by_email(request: &Request) -> Result<Reply> {
    if !email::is_address(request.variable()) {
        return Err(Error::new(
            Kind::Validation,
            format!("\"{}\" is not an e-mail address.", request.variable()),
        ));
    }
    let user = request.snapshot.catalog.user_by_email(request.variable());
    let user = user.ok_or_else(|| Error::not_found(User::KIND))?;
    let body = records::single(request, user.as_ref(), "email");
    Ok(Reply::json(body))
}

/// `PUT admin/users/{id}/`; `me` is the requesting user.
pub fn edit(request: &Request) -> Result<Reply> {
    let id = match request.variable() {
        "me" => request.actor()?.user(),
        _ => request.id(0)?,
    };
    let record = envelope::only_record(request, "users")?;
    envelope::check_id(&record, id)?;
    let input = Input::change(record, FIELDS).map_err(without_property)?;
    let changes = changes(&input)?;
    let site_url = request.site_urls.url();
    // The session of this request stays signed in if the change ends the sessions of the user.
    let (actor, session) = (request.actor()?, request.session());
    let edited = users::edit(request.site(), actor, id, &changes, session, site_url)?;
    let snapshot = request.site().current();
    let body = records::changed(request, &snapshot, edited.user.as_ref());
    let reply = Reply::json(body);
    Ok(if edited.changes_site {
        reply.invalidating("/*")
    } else {
        reply
    })
}

/// `DELETE admin/users/{id}/`
pub fn delete(request: &Request) -> Result<Reply> {
    user_deletion::delete(request.site(), request.actor()?, request.id(0)?)?;
    Ok(Reply::no_content().invalidating("/*"))
}

/// `PUT admin/users/owner/`
pub fn transfer_ownership(request: &Request) -> Result<Reply> {
    let record = envelope::record(request, "owner")?;
    let to = record.get("id").and_then(Value::as_str);
    let to = to.and_then(|id| id.parse().ok());
    // As in `edit`, the session of this request stays signed in.
    let (actor, session) = (request.actor()?, request.session());
    let both = users::transfer_ownership(request.site(), actor, to, session)?;

    let snapshot = request.site().current();
    let selection = Selection::of_defaults(&Defaults::NONE);
    let view = View {
        snapshot: &**snapshot,
        site_urls: request.site_urls,
        selection: &selection,
    };
    let rows = selection.rows(&USERS, &[]);
    let mut bytes = Vec::new();
    let mut envelope = Object::begin(&mut bytes);
    json::list(envelope.name("users"), both.iter(), |bytes, user| {
        let mut object = Object::begin(bytes);
        view.user(&mut object, user, &rows);
        // Ghost omits these two fields in lists of users, but not here (6.65, recorded in admin-users).
        object.field("locale", user.locale.as_deref());
        object.field("visibility", "public");
        view.roles(&mut object, user);
        object.end();
    });
    envelope.end();
    Ok(Reply::json(bytes))
}

fn changes(input: &Input) -> Result<UserChanges> {
    let text = |name| input.value(name).and_then(Value::as_str);
    let switches = NOTIFICATIONS
        .iter()
        .filter_map(|(name, notification)| Some((*notification, input.boolean(name)?)));
    Ok(UserChanges {
        name: text("name").map(Into::into),
        slug: text("slug").filter(|slug| !slug.is_empty()).map(Into::into),
        email: input
            .text("email")
            .map(|email| -> OptionalText { email.map(Into::into) }),
        texts: input.texts(USER_TEXTS),
        notifications: switches.collect(),
        status: text("status").and_then(UserStatus::from_name),
        role: match input.list("roles") {
            Some(list) => role(list)?,
            None => None,
        },
    })
}

/// Removes the name of the field from an error: errors about users name none (Ghost 6.65, observed).
fn without_property(error: Error) -> Error {
    let plain = Error::new(error.kind(), error.message());
    match error.context_text() {
        Some(context) => plain.context(context),
        None => plain,
    }
}

/// Reads the only role in a list: an identifier or a name, alone or in an object. Returns `None` for an
/// empty list or an unknown identifier, which change nothing (Ghost 6.65, observed).
fn role(list: &[Value]) -> Result<Option<Role>> {
    let invalid = |message: String| Err(Error::new(Kind::Validation, message));
    let named = match list {
        [] => return Ok(None),
        [named] => named,
        _ => {
            return invalid(format!(
                "\"roles\" must contain exactly one role, not {}.",
                list.len()
            ));
        }
    };
    let words = [
        named.as_str(),
        named.get("id").and_then(Value::as_str),
        named.get("name").and_then(Value::as_str),
    ];
    let word = words.into_iter().flatten().next().unwrap_or_default();
    match role_named(word) {
        Some(role) => Ok(Some(role)),
        None if word.parse::<Id>().is_ok() => {
            ignored_fields::report("roles");
            Ok(None)
        }
        None => invalid(format!("The role {named} in \"roles\" does not exist.")),
    }
}

/// Returns the role with this identifier or name.
pub fn role_named(word: &str) -> Option<Role> {
    let id: Option<Id> = word.parse().ok();
    Role::from_name(word).or_else(|| Role::ALL.into_iter().find(|role| Some(role.id()) == id))
}
