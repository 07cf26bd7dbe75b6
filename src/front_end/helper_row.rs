//! A row of the table of helpers.

use crate::{
    front_end::state::PageState,
    templates::{Call, Helper, RenderError},
};

/// The form in which a helper may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As a value: `{{name}}` and `(name)`. If called as a block, only the value is used.
    Inline,
    /// With a block: `{{#name}}…{{/name}}`. The helper decides what happens without one.
    Block,
}

/// A helper: its name, the form of its calls, and its function.
#[derive(Clone, Copy)]
pub struct HelperRow {
    /// The name in templates.
    pub name: &'static str,
    /// The form in which it may be called.
    pub form: Form,
    /// The function.
    pub run: Helper<PageState>,
}

impl HelperRow {
    /// Returns a helper for values.
    pub const fn inline(name: &'static str, run: Helper<PageState>) -> Self {
        Self {
            name,
            form: Form::Inline,
            run,
        }
    }

    /// Returns a helper for blocks.
    pub const fn block(name: &'static str, run: Helper<PageState>) -> Self {
        Self {
            name,
            form: Form::Block,
            run,
        }
    }
}

/// Fails if a call has more than `count` positional arguments. Most helpers of Ghost ignore additional arguments; those that call
/// this function fail (6.65, recorded).
pub fn takes(call: &Call<PageState>, count: usize) -> Result<(), RenderError> {
    if call.arguments().len() <= count {
        return Ok(());
    }
    let name = call.name();
    Err(call.error(format!("{{{{{name}}}}} takes {count} positional arguments")))
}
