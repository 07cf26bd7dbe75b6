//! Code injection: HTML that authors add to pages.

use super::page::{Page, text};
use crate::{
    front_end::{PageState, helper_row::takes},
    templates::{Call, HelperResult, Value},
};

/// Returns the code of the site, the post and the tag in `property`, which is `codeinjection_head` or `codeinjection_foot`.
pub(super) fn injected(page: &Page, property: &str) -> impl Iterator<Item = String> {
    let own = |name: &str| text(&page.root.get(name).get(property));
    [page.url_setting(property), own("post"), own("tag")]
        .into_iter()
        .flatten()
}

/// `{{ghost_foot}}`: the injected code for the foot of the page.
pub(super) fn ghost_foot(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 0)?;
    let page = Page {
        state: call.state(),
        root: call.root(),
    };
    let code: Vec<String> = injected(&page, "codeinjection_foot").collect();
    Ok(Value::html(code.join(" ").trim()))
}
