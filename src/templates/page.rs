//! The rendering of a page: the state shared by all its tags, including the use of its limits.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    fmt::{self, Write as _},
    rc::Rc,
    sync::Arc,
    time::Instant,
};

use super::{
    error::RenderError,
    limits::Limits,
    set::Templates,
    value::{Object, PlainObject, Value},
};

/// Maximum number of objects whose properties helpers may set.
const CHANGED_MAX: usize = 10_000;

/// Maximum number of properties with an object as their value that helpers may set. Such objects may form a chain, and chains are
/// dropped recursively.
const OBJECTS_MAX: usize = 500;

/// The number of steps between two checks of the time. A check takes about as long as a step that writes text.
const STEPS_PER_CHECK: usize = 16;

/// The rendering of a page.
pub struct Page<'p> {
    /// The templates.
    pub templates: &'p Templates,
    /// The content stored by `{{#contentFor}}`, by name.
    pub blocks: RefCell<HashMap<Arc<str>, Vec<StoredBlock>>>,
    /// The nesting depth of late helpers at the current tag.
    late: Cell<usize>,
    /// The context of helpers whose context is null: an empty object (Handlebars 4.7).
    pub empty_context: Value,
    limits: &'p Limits,
    steps: Cell<usize>,
    depth: Cell<usize>,
    written_bytes: Cell<usize>,
    value_bytes: Cell<usize>,
    started: Instant,
    /// The properties that helpers have set, by the address of their object.
    changed: RefCell<HashMap<usize, Changed>>,
    has_changed: Cell<bool>,
    objects_set: Cell<usize>,
}

/// The content stored by a `{{#contentFor}}`.
pub struct StoredBlock {
    /// The content.
    pub html: String,
    /// Whether the content was stored in a late helper.
    pub is_late: bool,
}

/// The properties that helpers have set in an object.
struct Changed {
    /// The object, which this reference keeps alive so that its address stays valid.
    _object: Rc<dyn Object>,
    properties: PlainObject,
}

impl<'p> Page<'p> {
    /// Returns a page before anything is rendered.
    pub fn new(templates: &'p Templates, limits: &'p Limits) -> Self {
        Self {
            templates,
            blocks: RefCell::default(),
            late: Cell::new(0),
            empty_context: PlainObject::new().into(),
            limits,
            steps: Cell::new(0),
            depth: Cell::new(0),
            written_bytes: Cell::new(0),
            value_bytes: Cell::new(0),
            started: Instant::now(),
            changed: RefCell::default(),
            has_changed: Cell::new(false),
            objects_set: Cell::new(0),
        }
    }

    /// Counts a step.
    ///
    /// # Errors
    ///
    /// If the limit of steps, of time or of output is exceeded.
    pub fn step(&self) -> Result<(), RenderError> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps > self.limits.steps {
            return Err(RenderError::limit("the page takes too many steps"));
        }
        if steps.is_multiple_of(STEPS_PER_CHECK) && self.started.elapsed() > self.limits.time {
            let seconds = self.limits.time.as_secs_f64();
            let reason = format!("the page takes longer than {seconds} s");
            return Err(RenderError::limit(reason));
        }
        self.check_output()
    }

    /// Fails if the limit of output is exceeded.
    pub fn check_output(&self) -> Result<(), RenderError> {
        if self.written_bytes.get() > self.limits.output_bytes {
            return Err(RenderError::limit("the page is too large"));
        }
        Ok(())
    }

    /// Counts the bytes of values that a helper allocates.
    ///
    /// # Errors
    ///
    /// If the limit of value bytes is exceeded.
    pub fn count_value(&self, bytes: usize) -> Result<(), RenderError> {
        let made = self.value_bytes.get().saturating_add(bytes);
        self.value_bytes.set(made);
        if made > self.limits.value_bytes {
            let reason = "the values of helpers on the page are too large";
            return Err(RenderError::limit(reason));
        }
        Ok(())
    }

    /// Fails if the limit of depth is exceeded.
    pub fn check_depth(&self, depth: usize) -> Result<(), RenderError> {
        if depth > self.limits.depth {
            let reason = "layouts, partials, blocks and parentheses are nested too deeply";
            return Err(RenderError::limit(reason));
        }
        Ok(())
    }

    /// Runs `render` one nesting level deeper.
    pub fn nested<T>(
        &self,
        render: impl FnOnce() -> Result<T, RenderError>,
    ) -> Result<T, RenderError> {
        let depth = self.depth.get();
        self.check_depth(depth + 1)?;
        self.depth.set(depth + 1);
        let result = render();
        self.depth.set(depth);
        result
    }

    /// Runs `render` as part of a late helper.
    pub fn rendered_late<T>(&self, render: impl FnOnce() -> T) -> T {
        self.late.set(self.late.get() + 1);
        let result = render();
        self.late.set(self.late.get() - 1);
        result
    }

    /// Returns whether the current tag is inside a late helper.
    pub fn is_late(&self) -> bool {
        self.late.get() > 0
    }

    /// Writes HTML. Beyond the limit, nothing is written, and the next step fails.
    pub fn write(&self, out: &mut String, html: &str) {
        let written = self.written_bytes.get().saturating_add(html.len());
        self.written_bytes.set(written);
        if written <= self.limits.output_bytes {
            out.push_str(html);
        }
    }

    /// Writes a string, escaping the characters with a meaning in HTML.
    pub fn write_escaped(&self, out: &mut String, text: &str) {
        let mut start = 0;
        for (index, byte) in text.bytes().enumerate() {
            if let Some(entity) = entity(byte) {
                self.write(out, &text[start..index]);
                self.write(out, entity);
                start = index + 1;
            }
        }
        self.write(out, &text[start..]);
    }

    /// Writes a value.
    pub fn write_value(&self, out: &mut String, value: &Value, is_escaped: bool) {
        match value {
            Value::Undefined | Value::Null => {}
            Value::Text(text) if is_escaped => self.write_escaped(out, text),
            Value::Text(text) | Value::Html(text) => self.write(out, text),
            other => {
                let mut output = Output {
                    page: self,
                    out,
                    is_escaped,
                };
                // Formatting fails if the output exceeds the limit, which the next step reports.
                let _ = write!(output, "{other}");
            }
        }
    }

    /// Returns a property of a value, including those that helpers have set.
    pub fn property(&self, of: &Value, name: &str) -> Value {
        if self.has_changed.get()
            && let Value::Object(object) = of
            && let Some(changed) = self.changed.borrow().get(&address(object))
            && let Some(value) = changed.properties.get(name)
        {
            return value;
        }
        of.get(name)
    }

    /// Returns the names of the properties of an object, including those that helpers have set.
    pub fn names(&self, object: &Rc<dyn Object>) -> Vec<Arc<str>> {
        let mut names = object.names();
        if self.has_changed.get()
            && let Some(changed) = self.changed.borrow().get(&address(object))
        {
            for name in changed.properties.names() {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Sets a property of an object; other values are ignored.
    pub fn set_property(&self, of: &Value, name: &str, value: Value) {
        let Value::Object(object) = of else { return };
        if matches!(value, Value::Object(_)) {
            if self.objects_set.get() == OBJECTS_MAX {
                return;
            }
            self.objects_set.set(self.objects_set.get() + 1);
        }
        let mut changed = self.changed.borrow_mut();
        let address = address(object);
        if changed.len() == CHANGED_MAX && !changed.contains_key(&address) {
            return;
        }
        let entry = changed.entry(address).or_insert_with(|| Changed {
            _object: Rc::clone(object),
            properties: PlainObject::new(),
        });
        entry.properties.set(name, value);
        self.has_changed.set(true);
    }

    /// Returns a copy of a value with additional properties.
    pub fn with_properties(&self, base: &Value, hash: Vec<(Arc<str>, Value)>) -> Value {
        let mut own = PlainObject::new();
        if self.has_changed.get()
            && let Value::Object(object) = base
            && let Some(changed) = self.changed.borrow().get(&address(object))
        {
            // The copy is a new object with another address, so what helpers have set must be
            // copied, too.
            own = changed.properties.clone();
        }
        // Handlebars 4.7 has the properties in this order.
        for (name, value) in hash.into_iter().rev() {
            own.set(&name, value);
        }
        Value::object(Extended {
            base: base.clone(),
            own,
        })
    }
}

/// An object that extends another value with additional or replacing properties.
pub struct Extended {
    /// The value that is extended.
    pub base: Value,
    /// The additional or replacing properties.
    pub own: PlainObject,
}

impl Object for Extended {
    fn get(&self, name: &str) -> Option<Value> {
        self.own.get(name).or_else(|| match &self.base {
            Value::Object(object) => object.get(name),
            // A copy of a list or a string is an object with its items only.
            Value::List(_) | Value::Text(_) if name == "length" => None,
            other => Some(other.get(name)),
        })
    }

    fn names(&self) -> Vec<Arc<str>> {
        let mut names = match &self.base {
            Value::Object(object) => object.names(),
            Value::List(items) => (0..items.len())
                .map(|index| index.to_string().into())
                .collect(),
            _ => Vec::new(),
        };
        let known: HashSet<Arc<str>> = names.iter().cloned().collect();
        let own = self.own.names().into_iter();
        names.extend(own.filter(|name| !known.contains(name)));
        names
    }

    fn has(&self, name: &str) -> bool {
        let is_of_base = || match &self.base {
            Value::Object(object) => object.has(name),
            Value::List(_) => name != "length" && !matches!(self.base.get(name), Value::Undefined),
            _ => false,
        };
        self.own.has(name) || is_of_base()
    }
}

/// Writes a formatted value to the output of the page.
struct Output<'o, 'p> {
    page: &'o Page<'p>,
    out: &'o mut String,
    is_escaped: bool,
}

impl fmt::Write for Output<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.is_escaped {
            self.page.write_escaped(self.out, text);
        } else {
            self.page.write(self.out, text);
        }
        self.page.check_output().map_err(|_| fmt::Error)
    }
}

fn address(object: &Rc<dyn Object>) -> usize {
    Rc::as_ptr(object).cast::<()>().addr()
}

/// Escapes text for HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut start = 0;
    for (index, byte) in text.bytes().enumerate() {
        if let Some(entity) = entity(byte) {
            escaped.push_str(&text[start..index]);
            escaped.push_str(entity);
            start = index + 1;
        }
    }
    escaped.push_str(&text[start..]);
    escaped
}

/// Returns the entity for a character with a meaning in HTML.
fn entity(byte: u8) -> Option<&'static str> {
    Some(match byte {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'"' => "&quot;",
        b'\'' => "&#x27;",
        b'`' => "&#x60;",
        b'=' => "&#x3D;",
        _ => return None,
    })
}

/// Returns whether two contexts are the same: one object, or values that are equal by JavaScript's `==`.
pub fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Undefined | Value::Null, Value::Undefined | Value::Null) => true,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Text(one), Value::Text(other)) => one == other,
        // HTML, lists and objects are objects in JavaScript: they are equal only if they are one.
        (Value::Html(one), Value::Html(other)) => Arc::ptr_eq(one, other),
        (Value::Time(one), Value::Time(other)) => one == other,
        (Value::List(one), Value::List(other)) => Rc::ptr_eq(one, other),
        (Value::Object(one), Value::Object(other)) => address(one) == address(other),
        (
            Value::Number(_) | Value::Bool(_) | Value::Text(_),
            Value::Number(_) | Value::Bool(_) | Value::Text(_),
        ) => number_of(one) == number_of(other),
        _ => false,
    }
}

fn number_of(value: &Value) -> f64 {
    match value {
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::Number(number) => *number,
        // As `Number` converts a blank string in JavaScript.
        Value::Text(text) if text.trim().is_empty() => 0.0,
        Value::Text(text) => text.trim().parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}
