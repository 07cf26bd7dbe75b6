//! Docusaurus.

mod settings;
