//! Lists of what Ghost's clients ask for and this site has none of: comments, and links that are counted.

use serde_json::{Value, json};

use super::{Reply, Request};
use crate::{
    api::{listing, params::Paging},
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
