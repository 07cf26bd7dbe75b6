//! Lists of what Ghost's clients ask for and this site has none of: comments, links that are counted, mails that were sent.

use serde_json::{Value, json};

use super::{Reply, Request};
use crate::{
    api::{
        listing::{self, Lookup, lookup_by_id, not_found},
        params::Paging,
    },
    error::Result,
};

/// `GET admin/comments/`: readers do not comment here.
pub fn comments(request: &Request) -> Result<Reply> {
    none(request, "comments")
}

/// `GET admin/links/`: links in mails are not counted, so they lead where they say.
pub fn links(request: &Request) -> Result<Reply> {
    none(request, "links")
}

/// `GET admin/emails/`: posts that were sent by mail.
pub fn emails(request: &Request) -> Result<Reply> {
    none(request, "emails")
}

/// `GET admin/emails/{id}/`
pub fn email(request: &Request) -> Result<Reply> {
    match lookup_by_id(request.variable())? {
        Lookup::Id(_) | Lookup::Slug(_) => Err(not_found("email")),
    }
}

/// `GET admin/emails/{id}/batches/`: empty also of a mail that there is not (Ghost 6.65, observed).
pub fn batches(request: &Request) -> Result<Reply> {
    request.id(0)?;
    none(request, "batches")
}

/// `GET admin/emails/{id}/recipient-failures/`, likewise.
pub fn recipient_failures(request: &Request) -> Result<Reply> {
    request.id(0)?;
    none(request, "failures")
}

/// The empty list under this name. The page and the filter must make sense all the same.
fn none(request: &Request, name: &str) -> Result<Reply> {
    let paging = Paging::parse(request.parameters)?;
    if let Some(filter) = &paging.filter {
        listing::parse_filter(filter)?;
    }
    let page = listing::page(Vec::<std::sync::Arc<Value>>::new(), &paging);
    let mut body = json!({ "meta": listing::pagination(&page, &paging) });
    body[name] = json!([]);
    Ok(Reply::value(&body))
}
