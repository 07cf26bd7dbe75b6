//! The list of posts as a file for spreadsheets.

use super::Resource;
use crate::{
    api::{
        admin::{Reply, Request, reply::ReplyBody},
        listing,
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
    let catalog = &request.edition.catalog;
    let query = listing::query_of_file(
        catalog,
        request.now,
        request.parameters,
        &resource.filter_rules(),
    )?;
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
