//! Who sees a card: some show to members only, some only to others, some only in mails.
//!
//! Who reads is not known when a document is rendered, so what not everybody may see is put between
//! comments; `render::paywall` cuts it out for those who may not.

use std::borrow::Cow;
use std::fmt::Write;

use crate::render::lexical::json::{Members, Value};

use super::{Card, CardFailure, Target};
use crate::render::lexical::properties::{as_text, is_truthy};

/// The members that the word for all of them names.
const ALL_MEMBERS: &str = "status:free,status:-free";

/// To whom a card shows on the web.
struct Audience<'a> {
    /// Those who are not members, if it is true.
    non_members: Cow<'a, Value<'a>>,
    /// The members that it names.
    members: Cow<'a, str>,
}

/// Appends what `render` makes of the card, with comments around it unless everybody may see it.
pub(super) fn push_gated(
    card: Card<'_>,
    html: &mut String,
    render: impl FnOnce(&mut String) -> Result<(), CardFailure>,
) -> Result<(), CardFailure> {
    let visibility = card.properties.get("visibility");
    let audience = match card.target {
        Target::Web => audience(visibility)?,
        Target::Mail => Some(Audience {
            // Who gets a mail is a member; this lets all of them through where nobody is named.
            non_members: Cow::Owned(Value::Bool(mail_members(visibility) == ALL_MEMBERS)),
            members: mail_members(visibility),
        }),
    };
    let Some(audience) = audience else {
        return render(html);
    };
    let names_everybody = *audience.non_members == Value::Bool(true);
    match &*audience.members {
        ALL_MEMBERS if names_everybody => return render(html),
        "" if *audience.non_members == Value::Bool(false) => return Ok(()),
        _ => {}
    }
    let mut content = String::new();
    render(&mut content)?;
    if !content.is_empty() {
        write!(
            html,
            "\n<!--kg-gated-block:begin nonMember:{} memberSegment:\"{}\" -->{content}<!--kg-gated-block:end-->\n",
            as_text(&audience.non_members),
            audience.members,
        )
        .expect("a string takes everything");
    }
    Ok(())
}

/// The audience that `visibility` names; `None` when it names none.
///
/// # Errors
///
/// When it is neither an object nor nothing.
fn audience<'a>(visibility: &'a Value<'a>) -> Result<Option<Audience<'a>>, CardFailure> {
    match visibility {
        Value::Array(_) => Ok(None),
        nothing if !is_truthy(nothing) => Ok(None),
        Value::Object(visibility) => Ok(Some(
            current(visibility).unwrap_or_else(|| former(visibility)),
        )),
        _ => Err(CardFailure("its visibility is no object".to_owned())),
    }
}

/// The members to whom the card shows in mails: all of them when nothing is said.
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
    // As it was written before: in mails or not, and maybe for some alone.
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

/// The audience as it has been written since there are segments on the web.
///
/// Ghost 6.65 does not look at it unless there is one for mails too, and shows the card to everybody; here what says that
/// it is hidden stays hidden.
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

/// The audience as it was written before: on the web a card shows to everybody or to nobody.
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
