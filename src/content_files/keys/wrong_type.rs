//! Reports values of a wrong type. Separate from `reader`, on which the types of keys depend.

use crate::{
    content_files::keys::{FieldType, reader::Reader},
    content_text::document::Value,
};

impl<'file> Reader<'file> {
    /// Reports that `value` is not of the type `T`.
    pub fn wrong_type<T: FieldType + ?Sized>(&mut self, value: &Value, name: &str) {
        let message = format!("`{name}` must be {}, not {}", T::WANTED, value.value.name());
        let key = name.rsplit('.').next().unwrap_or(name);
        let advice = format!(
            "write, for example, `{}`",
            self.language.assignment(key, T::EXAMPLE)
        );
        self.error(value.span, message, advice);
    }
}
