//! Visibility of cards: for members only, for anonymous readers only, or in mails only.
//!
//! The reader is unknown when a document is rendered, so restricted content is enclosed in
//! comments; `render::paywall` removes it for readers without access.

use std::{borrow::Cow, fmt::Write};

use super::{Card, CardFailure, Target};
use crate::render::lexical::{
    json::{Members, Value},
    properties::{as_text, is_truthy},
};

/// The segment that contains all members.
const ALL_MEMBERS: &str = "status:free,status:-free";

/// The audience of a card on the web.
struct Audience<'a> {
    /// The visibility for readers who are not members, as stored.
    non_members: Cow<'a, Value<'a>>,
    /// The segment of members who see the card.
    members: Cow<'a, str>,
}

/// Appends the output of `render`, enclosed in comments unless the card is visible to everyone.
pub(super) fn push_gated(
    card: Card<'_>,
    html: &mut String,
    render: impl FnOnce(&mut String) -> Result<(), CardFailure>,
) -> Result<(), CardFailure> {
    let visibility = card.properties.get("visibility");
    let audience = match card.target {
        Target::Web => audience(visibility)?,
        Target::Mail => Some(Audience {
            // Recipients of mails are members. A card without a segment is shown to all of them.
            non_members: Cow::Owned(Value::Bool(mail_members(visibility) == ALL_MEMBERS)),
            members: mail_members(visibility),
        }),
    };
    let Some(audience) = audience else {
        return render(html);
    };
    // Compared as with `===` in JavaScript: the string "true" is not `true` (recorded:
    // `html/visibility-string-nonmember`).
    let includes_non_members = *audience.non_members == Value::Bool(true);
    match &*audience.members {
        ALL_MEMBERS if includes_non_members => return render(html),
        "" if *audience.non_members == Value::Bool(false) => return Ok(()),
        _ => {}
    }
    // Rendered apart, as a card without output gets no comments.
    let mut content = String::new();
    render(&mut content)?;
    if !content.is_empty() {
        write!(
            html,
            "\n<!--kg-gated-block:begin nonMember:{} memberSegment:\"{}\" -->{content}<!--kg-gated-block:end-->\n",
            as_text(&audience.non_members),
            audience.members,
        )
        .expect("writing to a string cannot fail");
    }
    Ok(())
}

/// Returns the audience that `visibility` specifies; `None` if it specifies none.
///
/// # Errors
///
/// If `visibility` is neither an object nor empty.
fn audience<'a>(visibility: &'a Value<'a>) -> Result<Option<Audience<'a>>, CardFailure> {
    match visibility {
        // In JavaScript, a list is an object that has none of these members.
        Value::Array(_) => Ok(None),
        empty if !is_truthy(empty) => Ok(None),
        Value::Object(visibility) => Ok(Some(
            current(visibility).unwrap_or_else(|| former(visibility)),
        )),
        _ => Err(CardFailure("its visibility is not an object".to_owned())),
    }
}

/// Returns the segment of members who see the card in mails; by default, all members.
fn mail_members<'a>(visibility: &'a Value<'a>) -> Cow<'a, str> {
    let Some(visibility) = visibility.as_object() else {
        return Cow::Borrowed(ALL_MEMBERS);
    };
    let current = visibility.get("email").and_then(Value::as_object);
    if let Some(segment) = current.and_then(|email| email.get("memberSegment"))
        && !segment.is_null()
    {
        return as_text(segment);
    }
    // The former format states whether mails show the card, and optionally a segment.
    let is_shown = visibility
        .get("showOnEmail")
        .is_none_or(|shown| shown.is_null() || is_truthy(shown));
    let segment = visibility.get("segment").and_then(Value::as_str);
    match (is_shown, segment) {
        (false, _) => Cow::Borrowed(""),
        (true, Some(segment)) if !segment.is_empty() => Cow::Borrowed(segment),
        (true, _) => Cow::Borrowed(ALL_MEMBERS),
    }
}

/// Returns the audience in the current format, with a segment for the web.
///
/// Ghost 6.65 ignores this audience if the format has no segment for mails, and shows the card to
/// everyone. Here, a hidden card remains hidden.
fn current<'a>(visibility: &'a Members<'a>) -> Option<Audience<'a>> {
    let web = visibility.get("web")?.as_object()?;
    let members = web
        .get("memberSegment")
        .filter(|segment| !segment.is_null())?;
    Some(Audience {
        non_members: Cow::Borrowed(web.get("nonMember")?),
        members: as_text(members),
    })
}

/// Returns the audience in the former format, in which the web shows a card to all readers or to
/// none.
fn former<'a>(visibility: &'a Members<'a>) -> Audience<'a> {
    let given = |name: &str| visibility.get(name).filter(|value| !value.is_null());
    let on_web = match (given("emailOnly"), given("showOnWeb")) {
        (Some(email_only), _) => Value::Bool(!is_truthy(email_only)),
        (None, Some(on_web)) => on_web.clone(),
        (None, None) => Value::Bool(true),
    };
    Audience {
        members: Cow::Borrowed(if is_truthy(&on_web) { ALL_MEMBERS } else { "" }),
        non_members: Cow::Owned(on_web),
    }
}
