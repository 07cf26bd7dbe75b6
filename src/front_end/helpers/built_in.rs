//! Partials that a theme may bring, and the texts in place of those that it does not.

use crate::{
    front_end::PageState,
    templates::{Call, Object, Record, RenderError, Value},
};

/// A partial with its built-in text.
pub struct BuiltIn {
    name: &'static str,
    text: &'static str,
}

/// The box in place of what a reader may not see.
pub const CALL_TO_ACTION: BuiltIn = BuiltIn {
    name: "content-cta",
    text: include_str!("built_in/content-cta.hbs"),
};

/// The link that cancels a subscription or resumes it.
pub const CANCEL_LINK: BuiltIn = BuiltIn {
    name: "cancel_link",
    text: include_str!("built_in/cancel_link.hbs"),
};

/// The links of the site's navigation.
pub const NAVIGATION: BuiltIn = BuiltIn {
    name: "navigation",
    text: include_str!("built_in/navigation.hbs"),
};

/// The links to the pages before and after the one that is shown.
pub const PAGINATION: BuiltIn = BuiltIn {
    name: "pagination",
    text: include_str!("built_in/pagination.hbs"),
};

/// The recommended sites.
pub const RECOMMENDATIONS: BuiltIn = BuiltIn {
    name: "recommendations",
    text: include_str!("built_in/recommendations.hbs"),
};

impl BuiltIn {
    /// Returns the partial, rendered in a context of its own.
    pub fn render_in(
        &self,
        call: &mut Call<PageState>,
        context: &Value,
    ) -> Result<Value, RenderError> {
        let html = call.capture(|call| call.render_partial(self.name, self.text, context, &[]))?;
        Ok(Value::html(html))
    }

    /// Returns the partial, rendered in the context of the call with further properties. They stay in that context (Ghost 6.65,
    /// recorded).
    pub fn render_with(
        &self,
        call: &mut Call<PageState>,
        properties: Record,
        data: &[(&'static str, Value)],
    ) -> Result<Value, RenderError> {
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
