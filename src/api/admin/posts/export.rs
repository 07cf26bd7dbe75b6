//! The list of posts as a file for spreadsheets.

use http::{HeaderValue, StatusCode, header};

use super::Resource;
use crate::{
    api::{
        admin::{Reply, Request, reply::ReplyBody},
        headers::{CacheControl, VARY_WITHOUT_BODY},
        listing,
        params::Paging,
    },
    catalog::browse::staff,
    domain::post::PostKind,
    error::{Error, Result},
    export,
};

/// `GET admin/posts/export/`: the posts that the filter finds, all of them when no other `limit` is given, in the order of
/// lists. The file passes proxies as it is (Ghost 6.65, recorded).
pub fn posts(request: &Request) -> Result<Reply> {
    let resource = Resource::of(PostKind::Post);
    let paging = Paging::parse(request.parameters)?;
    let catalog = &request.edition.catalog;
    let mut query = listing::query(catalog, request.now, &paging, &resource.filter_rules())?;
    let is_limited = request
        .parameters
        .joined("limit")
        .is_some_and(|limit| limit.parse::<usize>().is_ok());
    if !is_limited {
        query.limit = usize::MAX;
    }
    let page = staff::posts(catalog, resource.kind, &query);
    let mut file = Vec::new();
    export::posts::write(
        catalog,
        page.records.iter().map(AsRef::as_ref),
        |post| request.addresses.post_or_preview(post),
        &mut file,
    )
    .map_err(Error::internal)?;
    let kind = HeaderValue::from_static("text/csv; charset=utf-8");
    let name = request.now.strftime("posts.%Y-%m-%d.csv");
    let private = CacheControl::Private.value();
    let cache_control = format!("{}, no-transform", private.to_str().unwrap_or_default());
    let reply = Reply::new(StatusCode::OK, ReplyBody::Other(kind, file))
        .with_text(header::CACHE_CONTROL, &cache_control)
        .with_text(header::VARY, VARY_WITHOUT_BODY.to_str().unwrap_or_default());
    Ok(reply.with_text(
        header::CONTENT_DISPOSITION,
        &format!("attachment; filename=\"{name}\""),
    ))
}
