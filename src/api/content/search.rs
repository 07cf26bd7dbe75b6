//! Full-text search over posts and pages.

use std::sync::Arc;

use super::{EndpointBody, Request, bodies::RenderedFormat, served_body::TextBody};
use crate::{
    api::{
        json::{self, Object},
        listing::pagination,
    },
    catalog::browse::{Query, found_posts},
    clock::local_time,
    domain::post::Post,
    error::{Error, Kind},
};

/// `GET search/`: the posts and pages that match `q`, best matches first, with highlighted parts of their texts.
pub fn browse(request: &Request) -> EndpointBody {
    let Some(text) = request.parameters.single("q", Kind::BadRequest)? else {
        return Err(Error::new(Kind::BadRequest, "The parameter \"q\" is required.").into());
    };
    let paging = request.paging()?;
    let results = request.search(text, None)?;
    // The results are already selected and ranked, so this query only selects the page.
    let window = Query {
        filter: None,
        order: None,
        listed_relations: Vec::new(),
        page: paging.page,
        limit: paging.limit,
    };
    let page = found_posts(&results.posts, &window);
    let posts: Vec<&Arc<Post>> = page.records.iter().collect();
    // Only the texts that this reader may read, so the highlights show nothing else.
    let texts = request.bodies::<TextBody>(&posts, RenderedFormat::SearchText)?;
    let time_zone = request.catalog.settings.time_zone();

    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    json::list(
        object.name("search"),
        posts.iter().zip(&texts),
        |bytes, (post, text)| {
            let mut object = Object::begin(bytes);
            object.field("id", post.id);
            object.field("type", post.kind.name());
            object.field("slug", &post.slug);
            object.field("title", &post.title);
            object.field("url", request.site_urls.post(post));
            let excerpt = post
                .shown_excerpt()
                .map(|text| request.site_urls.absolute(text));
            object.field("excerpt", &excerpt);
            let image = post.feature_image.as_deref();
            object.field(
                "feature_image",
                image.map(|url| request.site_urls.absolute(url)),
            );
            let published_at = post.published_at;
            object.field(
                "published_at",
                published_at.map(|time| local_time(time, &time_zone)),
            );
            object.field("visibility", post.visibility.name());
            let highlighter = results.highlighter(request.catalog, post);
            let mut marks = Object::begin(object.name("highlights"));
            marks.field("title", highlighter.whole(&post.title));
            marks.field("excerpt", excerpt.and_then(|text| highlighter.part(&text)));
            marks.field(
                "text",
                highlighter.part(text.text().map_or("", AsRef::as_ref)),
            );
            marks.end();
            object.end();
        },
    );
    object.field("meta", pagination(&page, &paging));
    object.end();
    Ok(bytes)
}
