//! Previews of posts as e-mails, and test e-mails (Ghost 6.65, recorded).

use serde_json::{Value, json};

use super::{Reply, Request};
use crate::{
    admin::email_previews::{self, PreviewRequest, PreviewUrls},
    domain::post::Post,
    error::{Error, Kind, Result},
    id::Id,
};

/// `GET admin/email_previews/posts/{id}/`: `memberSegment` and `newsletter` select the audience.
pub fn read(request: &Request) -> Result<Reply> {
    let requested = PreviewRequest {
        post: request.id(0)?,
        newsletter: parameter(request, "newsletter"),
        segment: parameter(request, "memberSegment"),
    };
    let post_url = |post: &Post| request.site_urls.post_or_preview_url(post);
    let preview = email_previews::preview(
        request.site(),
        &requested,
        &PreviewUrls {
            site: request.site_urls.url(),
            post: &post_url,
        },
    )?;
    Ok(Reply::value(&json!({ "email_previews": [{
        "subject": preview.subject,
        "html": preview.html,
        "plaintext": preview.plaintext,
    }] })))
}

/// `POST admin/email_previews/posts/{id}/`: `{emails, subject, memberSegment, newsletter}`, without
/// an envelope.
pub fn send_test(request: &Request) -> Result<Reply> {
    let post: Option<Id> = request.id(0)?;
    // Otherwise the mail would only be written to the log.
    if !request.api.live().has_mail_server {
        return Err(Error::new(
            Kind::Validation,
            "No mail server is configured, so no test e-mail can be sent.",
        )
        .help("Set the option mail.url."));
    }
    let body = match request.json()? {
        Some(Value::Object(body)) => body,
        _ => serde_json::Map::new(),
    };
    let text = |name: &str| {
        let text = body.get(name).and_then(Value::as_str);
        text.filter(|text| !text.is_empty())
    };
    let addresses: Option<Vec<&str>> = match body.get("emails") {
        Some(Value::Array(emails)) => emails.iter().map(Value::as_str).collect(),
        _ => None,
    };
    let addresses = addresses.ok_or_else(|| {
        Error::new(
            Kind::Validation,
            "\"emails\" is required: a list of addresses.",
        )
    })?;
    let requested = PreviewRequest {
        post,
        newsletter: text("newsletter"),
        segment: text("memberSegment"),
    };
    let post_url = |post: &Post| request.site_urls.post_or_preview_url(post);
    email_previews::send_test(
        request.site(),
        &requested,
        &PreviewUrls {
            site: request.site_urls.url(),
            post: &post_url,
        },
        &request.mail_site(),
        &addresses,
        text("subject"),
    )?;
    Ok(Reply::no_content())
}

fn parameter<'r>(request: &'r Request, name: &'r str) -> Option<&'r str> {
    let given = request.parameters.all(name).next();
    given.filter(|value| !value.is_empty())
}
