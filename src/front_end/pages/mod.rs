//! Finds the page of a path, the data for its template, and the template (Ghost 6.65, recorded).

mod contexts;
mod lists;
mod page_response;
mod records;
mod rendering;
mod static_routes;
mod template_names;

use self::rendering::PageFailure;
pub use self::{
    page_response::{PageResponse, RenderedPage, ThemeProblem},
    records::{mailed, preview},
    rendering::{error, private},
    template_names::TEMPLATE_FIELD,
};
use super::state::PageState;
use crate::{domain::routes::Routes, routing::Resolution};

/// Returns the response to a request for a page. The contexts of `state` are set here.
pub fn respond(state: PageState, routes: &Routes, resolution: &Resolution) -> PageResponse {
    let response = match resolution {
        Resolution::Collection { index, page, slug } => {
            routes.collections.get(*index).map(|collection| {
                lists::collection(&state, (*index, collection), *page, slug.as_deref())
            })
        }
        Resolution::Channel { index, page, slug } => routes
            .routes
            .get(*index)
            .map(|route| lists::channel(&state, route, *page, slug.as_deref())),
        Resolution::StaticRoute { index, slug } => routes
            .routes
            .get(*index)
            .map(|route| static_routes::page(&state, route, slug.as_deref())),
        Resolution::Tag { tag, page } => Some(lists::tag(&state, *tag, *page)),
        Resolution::Author { author, page } => Some(lists::author(&state, *author, *page)),
        Resolution::Entry(id) => Some(records::published(&state, *id)),
        Resolution::Rss(feed) => Some(Ok(PageResponse::Feed(feed.clone()))),
        Resolution::Redirect {
            location,
            permanent,
        } => Some(Ok(PageResponse::Redirect {
            location: format!("{}{location}", state.site_urls.subdirectory()),
            is_permanent: *permanent,
            adds_slash: location.split('?').next() == Some(&format!("{}/", state.path)),
        })),
        Resolution::Editor(fragment) => Some(Ok(PageResponse::Redirect {
            location: format!("{}#{fragment}", state.staff_url),
            is_permanent: false,
            adds_slash: false,
        })),
        Resolution::NoSuchPage => Some(Err(PageFailure::NoSuchPage)),
        Resolution::NotFound => None,
    };
    match response {
        Some(Ok(response)) => response,
        Some(Err(failure)) => PageResponse::Page(rendering::failed(&state, &failure)),
        None => PageResponse::Page(rendering::not_found(&state)),
    }
}
