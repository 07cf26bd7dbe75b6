//! The CSV export of posts.

use super::PostResource;
use crate::{
    api::{
        admin::{Reply, Request, reply::ReplyBody},
        listing,
        params::Paging,
    },
    catalog::browse::staff,
    domain::post::PostKind,
    error::{Error, Result},
    export,
};

/// The default filter (Ghost 6.65, recorded).
const DEFAULT_FILTER: &str = "status:published,status:sent";

/// The default limit (Ghost 6.65, recorded).
const DEFAULT_LIMIT: usize = 15;

/// `GET admin/posts/export/`: the first `limit` posts that match the filter, in the order of lists.
/// Proxies must not transform the file (Ghost 6.65, recorded).
pub fn posts(request: &Request) -> Result<Reply> {
    spreadsheet(request, limit(request))
}

/// Returns the file without a limit: by default all published and sent posts.
pub fn all_posts(request: &Request) -> Result<Reply> {
    spreadsheet(request, usize::MAX)
}

fn spreadsheet(request: &Request, limit: usize) -> Result<Reply> {
    let resource = PostResource::of(PostKind::Post);
    let catalog = &request.snapshot.catalog;
    let given = Paging::parse(request.parameters)?;
    let paging = Paging {
        filter: Some(given.filter.unwrap_or_else(|| DEFAULT_FILTER.to_owned())),
        // A file has no pages.
        page: 1,
        limit,
        ..given
    };
    let query = listing::query(catalog, request.now, &paging, &resource.filter_rules())?;
    let query = resource.with_bodies(request, query)?;
    let page = staff::posts(catalog, resource.kind, &query);
    let mut file = Vec::new();
    export::posts::write(
        catalog,
        page.records.iter().map(AsRef::as_ref),
        |post| request.site_urls.post_or_preview_url(post),
        &mut file,
    )
    .map_err(Error::internal)?;
    Ok(Reply::spreadsheet("posts", request.now, |kind| {
        ReplyBody::Other(kind, file)
    }))
}

/// Returns the limit: `all` or a number. It has no upper bound, because the file is written one post
/// at a time.
fn limit(request: &Request) -> usize {
    match request.parameters.joined("limit").as_deref() {
        Some("all") => usize::MAX,
        Some(limit) => limit
            .parse()
            .map_or(DEFAULT_LIMIT, |limit: usize| limit.max(1)),
        None => DEFAULT_LIMIT,
    }
}
