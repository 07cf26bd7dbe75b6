//! Partials that a theme may define, and the built-in templates used if it does not.

use crate::{
    front_end::PageState,
    templates::{Call, HelperResult, Object, PlainObject, Value},
};

/// A partial with its built-in template.
pub struct BuiltInPartial {
    name: &'static str,
    text: &'static str,
}

/// The box shown instead of gated content.
pub const CALL_TO_ACTION: BuiltInPartial = BuiltInPartial {
    name: "content-cta",
    text: include_str!("built_in/content-cta.hbs"),
};

/// The link that cancels a subscription or resumes it.
pub const CANCEL_LINK: BuiltInPartial = BuiltInPartial {
    name: "cancel_link",
    text: include_str!("built_in/cancel_link.hbs"),
};

/// The links of the site's navigation.
pub const NAVIGATION: BuiltInPartial = BuiltInPartial {
    name: "navigation",
    text: include_str!("built_in/navigation.hbs"),
};

/// The links to the previous and the next page of the current list.
pub const PAGINATION: BuiltInPartial = BuiltInPartial {
    name: "pagination",
    text: include_str!("built_in/pagination.hbs"),
};

/// The recommended sites.
pub const RECOMMENDATIONS: BuiltInPartial = BuiltInPartial {
    name: "recommendations",
    text: include_str!("built_in/recommendations.hbs"),
};

impl BuiltInPartial {
    /// Renders the partial with `context`.
    pub fn render_in(&self, call: &mut Call<PageState>, context: &Value) -> HelperResult {
        // Captured and returned as a value, so that `{{{navigation}}}`, `{{navigation}}` and
        // `(navigation)` work alike.
        let html = call.capture(|call| call.render_partial(self.name, self.text, context, &[]))?;
        Ok(Value::html(html))
    }

    /// Renders the partial in the context of the call with additional properties. The properties stay in that context (Ghost
    /// 6.65, recorded).
    pub fn render_with(
        &self,
        call: &mut Call<PageState>,
        properties: PlainObject,
        data: &[(&'static str, Value)],
    ) -> HelperResult {
        for name in properties.names() {
            let value = properties.get(&name).unwrap_or_default();
            call.set_in_context(&name, value);
        }
        let context = call.this().clone();
        let html =
            call.capture(|call| call.render_partial(self.name, self.text, &context, data))?;
        Ok(Value::html(html))
    }
}
