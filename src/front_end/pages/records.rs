//! The pages of posts and pages.

use std::{rc::Rc, sync::Arc};

use super::{
    page_response::{PageResponse, RenderedPage},
    rendering::{self, PageFailure},
    template_names,
};
use crate::{
    domain::post::{Post, PostKind},
    front_end::{PostBodies, model, state::PageState},
    id::Id,
    templates::PlainObject,
};

/// Returns the page of a published post or page.
pub(super) fn published(state: &PageState, id: Id) -> Result<PageResponse, PageFailure> {
    let post = state.catalog().posts.get(id).ok_or(PageFailure::NotFound)?;
    let post = Arc::clone(post);
    render(state, &post, None, model::PostView::Public).map(PageResponse::Page)
}

/// Returns the preview of a draft, with the body for the reader of the preview.
pub fn preview(
    state: PageState,
    post: &Arc<Post>,
    bodies: Rc<dyn PostBodies>,
    has_access: bool,
) -> RenderedPage {
    let view = model::PostView::Preview { bodies, has_access };
    render(&state, post, Some("preview"), view)
        .unwrap_or_else(|failure| rendering::failed(&state, &failure))
}

/// Returns the web page of a post that was sent by mail only.
pub fn mailed(state: PageState, post: &Arc<Post>) -> RenderedPage {
    let view = model::PostView::Mailed;
    render(&state, post, Some("emailPost"), view)
        .unwrap_or_else(|failure| rendering::failed(&state, &failure))
}

fn render(
    state: &PageState,
    post: &Arc<Post>,
    kind: Option<&str>,
    view: model::PostView,
) -> Result<RenderedPage, PageFailure> {
    let mut contexts: Vec<String> = kind.into_iter().map(str::to_owned).collect();
    contexts.push(post.kind.name().to_owned());
    let state = &PageState {
        contexts,
        ..state.clone()
    };
    let value = model::post(state, post, view);
    let mut root = PlainObject::new().with("post", value.clone());
    if post.kind == PostKind::Page {
        root.set("page", value);
    }
    let settings = model::page_settings(post);
    rendering::render(
        state,
        &template_names::of_record(post),
        root,
        Some(settings),
    )
}
