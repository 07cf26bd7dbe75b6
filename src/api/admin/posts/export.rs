//! The list of posts as a file for spreadsheets.

use super::Resource;
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

/// Which posts are written when no filter is given (Ghost 6.65, recorded).
const USUAL_FILTER: &str = "status:published,status:sent";

/// How many posts are written when no `limit` is given (Ghost 6.65, recorded).
const USUAL_LIMIT: usize = 15;

/// `GET admin/posts/export/`: the posts that the filter finds, as many as `limit` says, from the first on, in the order of
/// lists. The file passes proxies as it is (Ghost 6.65, recorded).
pub fn posts(request: &Request) -> Result<Reply> {
    let resource = Resource::of(PostKind::Post);
    let catalog = &request.edition.catalog;
    let given = Paging::parse(request.parameters)?;
    let paging = Paging {
        filter: Some(given.filter.unwrap_or_else(|| USUAL_FILTER.to_owned())),
        page: 1,
        limit: limit(request),
        ..given
    };
    let query = listing::query(catalog, request.now, &paging, &resource.filter_rules())?;
    let query = resource.with_bodies(request, query)?;
    let page = staff::posts(catalog, resource.kind, &query);
    let mut file = Vec::new();
    export::posts::write(
        catalog,
        page.records.iter().map(AsRef::as_ref),
        |post| request.addresses.post_or_preview(post),
        &mut file,
    )
    .map_err(Error::internal)?;
    Ok(Reply::spreadsheet("posts", request.now, |kind| {
        ReplyBody::Other(kind, file)
    }))
}

/// `all`, or a number, of which nothing is too large: the file is written post by post.
fn limit(request: &Request) -> usize {
    match request.parameters.joined("limit").as_deref() {
        Some("all") => usize::MAX,
        Some(limit) => limit
            .parse()
            .map_or(USUAL_LIMIT, |limit: usize| limit.max(1)),
        None => USUAL_LIMIT,
    }
}
