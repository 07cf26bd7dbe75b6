//! The templates of a theme.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, PoisonError, RwLock},
};

use super::{error::SyntaxError, names::Names, template::Template};

/// The folder of partials.
pub const PARTIALS: &str = "partials/";

/// The templates of a theme, which refer to each other by name.
#[derive(Debug, Default)]
pub struct Templates {
    /// The templates, by path without `.hbs`.
    templates: BTreeMap<Arc<str>, Template>,
    /// The partials, by path below the partials folder, without `.hbs`.
    partials: HashMap<Arc<str>, Template>,
    /// The errors of templates that do not compile, by path without `.hbs`.
    broken: BTreeMap<Arc<str>, SyntaxError>,
    /// Whether a template that is not a partial uses a partial with a fixed name.
    uses_partials: bool,
    /// The built-in partials compiled so far.
    built_in: RwLock<BTreeMap<&'static str, Arc<Template>>>,
}

impl Templates {
    /// Returns an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a template under its path, such as `post.hbs` or `partials/card.hbs`.
    pub fn insert(&mut self, template: Template) {
        let path = template.path();
        let name = path.strip_suffix(".hbs").unwrap_or(path);
        match name.strip_prefix(PARTIALS) {
            Some(name) => self.partials.insert(name.into(), template),
            None => {
                self.uses_partials |= Names::of(template.program()).uses_partials();
                self.templates.insert(name.into(), template)
            }
        };
    }

    /// Returns the template with a name, such as `post` or `members/signup`.
    pub fn get(&self, name: &str) -> Option<&Template> {
        self.templates.get(name)
    }

    /// Adds the error of a template that does not compile. Pages that use the template fail with this error.
    pub fn insert_broken(&mut self, error: SyntaxError) {
        let path = &*error.position.template;
        let name = path.strip_suffix(".hbs").unwrap_or(path);
        self.broken.insert(name.into(), error);
    }

    /// Returns whether there is a template with this name, even if it does not compile.
    pub fn contains(&self, name: &str) -> bool {
        self.templates.contains_key(name) || self.broken.contains_key(name)
    }

    /// Returns whether there are no templates.
    pub fn is_empty(&self) -> bool {
        self.templates.is_empty() && self.broken.is_empty()
    }

    /// Returns the error of a template that does not compile, by its path without `.hbs`.
    pub(super) fn broken(&self, path: &str) -> Option<&SyntaxError> {
        self.broken.get(path)
    }

    /// Returns the error of a partial that does not compile.
    pub(super) fn broken_partial(&self, name: &str) -> Option<&SyntaxError> {
        // Most themes have no such errors, and pages use many partials.
        if self.broken.is_empty() {
            return None;
        }
        self.broken(&format!("{PARTIALS}{name}"))
    }

    /// Returns the names of the templates, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.templates.keys().map(|name| &**name)
    }

    /// Returns the partial with a name, such as `card` or `icons/search`.
    pub fn partial(&self, name: &str) -> Option<&Template> {
        self.partials.get(name)
    }

    /// Returns the partial that overrides a built-in one. `None` if no template uses a partial with a fixed name, because Ghost
    /// then loads no partials (6.65, recorded).
    pub(super) fn overriding(&self, name: &str) -> Option<&Template> {
        self.partial(name).filter(|_| self.uses_partials)
    }

    /// Returns the error of a partial that overrides a built-in one but does not compile.
    pub(super) fn broken_overriding(&self, name: &str) -> Option<&SyntaxError> {
        self.broken_partial(name).filter(|_| self.uses_partials)
    }

    /// Returns the templates that are not partials, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Template> {
        self.templates.values()
    }

    /// Returns the template at a path without `.hbs`, which may be a partial.
    pub(super) fn at_path(&self, path: &str) -> Option<&Template> {
        match path.strip_prefix(PARTIALS) {
            Some(name) => self.partial(name),
            None => self.get(path),
        }
    }

    /// Compiles a built-in partial, once.
    ///
    /// # Errors
    ///
    /// If the text does not compile.
    pub(super) fn built_in(
        &self,
        name: &str,
        text: &'static str,
    ) -> Result<Arc<Template>, SyntaxError> {
        // A panic of another thread leaves the map complete, because an insertion is its only
        // change.
        let known = self.built_in.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(template) = known.get(text) {
            return Ok(Arc::clone(template));
        }
        // Released before compiling, so that pages on other threads do not wait. Two threads may
        // compile the same partial; the copies are equal.
        drop(known);
        let template = Arc::new(Template::parse(name, text)?);
        let mut known = self
            .built_in
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        known.insert(text, Arc::clone(&template));
        Ok(template)
    }
}
