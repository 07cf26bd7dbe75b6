//! A row of the table of helpers.

use crate::{
    front_end::state::PageState,
    templates::{Call, Helper, RenderError},
};

/// The forms in which a helper may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As a value: `{{name}}` and `(name)`. Of a block, only the value is used.
    Inline,
    /// With a block: `{{#name}}…{{/name}}`. Without one, it decides by itself.
    Block,
}

/// One helper: its name, where it may be called, and its function.
#[derive(Clone, Copy)]
pub struct HelperRow {
    /// The name that templates call it by.
    pub name: &'static str,
    /// The forms in which it may be called.
    pub form: Form,
    /// The function.
    pub run: Helper<PageState>,
}

impl HelperRow {
    /// Returns a helper that is a value.
    pub const fn inline(name: &'static str, run: Helper<PageState>) -> Self {
        Self {
            name,
            form: Form::Inline,
            run,
        }
    }

    /// Returns a helper with a block.
    pub const fn block(name: &'static str, run: Helper<PageState>) -> Self {
        Self {
            name,
            form: Form::Block,
            run,
        }
    }
}

/// Fails if a call has more arguments without names than its helper takes. Most helpers of Ghost ignore further ones, and those
/// that call this fail (6.65, recorded).
pub fn takes(call: &Call<PageState>, count: usize) -> Result<(), RenderError> {
    if call.arguments().len() <= count {
        return Ok(());
    }
    let name = call.name();
    Err(call.error(format!(
        "{{{{{name}}}}} takes {count} arguments without a name"
    )))
}
