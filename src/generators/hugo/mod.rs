//! Hugo.

mod settings;
