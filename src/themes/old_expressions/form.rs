//! The forms of expressions of earlier versions of Ghost.

/// The form of an expression.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A value, `{{name}}`; `[#]` matches any index.
    Value,
    /// Any property of a value, `{{name.…}}`.
    ValueBelow,
    /// A block, `{{#name}}`.
    Block,
    /// A condition, `{{#if name}}`.
    Condition,
    /// A condition on a value or on anything below it.
    ConditionBelow,
    /// A helper, with or without arguments.
    Helper,
    /// A text that may occur anywhere in a template.
    Text,
}

/// An expression of an earlier version of Ghost.
#[derive(Debug)]
pub struct OldExpression {
    /// The code of the rule, which programs evaluate.
    pub code: &'static str,
    /// The form of the expression.
    pub form: Form,
    /// The name in the expression.
    pub name: &'static str,
    /// The replacement; empty if there is none.
    pub instead: &'static str,
}

const fn of_form(
    form: Form,
    code: &'static str,
    name: &'static str,
    instead: &'static str,
) -> OldExpression {
    OldExpression {
        code,
        form,
        name,
        instead,
    }
}

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident is $form:ident;)*) => {$(
        $(#[$doc])*
        pub const fn $name(
            code: &'static str,
            name: &'static str,
            instead: &'static str,
        ) -> OldExpression {
            of_form(Form::$form, code, name, instead)
        }
    )*};
}

forms! {
    /// Returns a value.
    value is Value;
    /// Returns all properties of a value.
    value_below is ValueBelow;
    /// Returns a block.
    block is Block;
    /// Returns a condition.
    condition is Condition;
    /// Returns a condition on a value or on anything below it.
    condition_below is ConditionBelow;
    /// Returns a helper.
    helper is Helper;
    /// Returns a text.
    text is Text;
}
