//! Checks the templates of a theme against each other.

use std::{collections::HashSet, rc::Rc};

use super::{
    built_in,
    error::{BrokenRule, SyntaxError},
    names::{NameUse, Names},
    scope::PARTIAL_BLOCK,
    set::{PARTIALS, Templates},
    template::Template,
};

impl Templates {
    /// Returns the errors that depend on several templates, in order: missing partials and helpers, computed partials without a
    /// block, and conditions without exactly one argument. Covers the templates, the partials that they use, and those of the
    /// syntax errors `broken` whose templates are used. `is_helper` returns whether a helper exists besides the built-in ones.
    pub fn check(
        &self,
        broken: &[SyntaxError],
        is_helper: impl Fn(&str) -> bool,
    ) -> Vec<SyntaxError> {
        check(self, broken, &is_helper)
    }

    /// Returns the cycles of layouts: the paths from a template to itself through its layouts.
    pub fn layout_cycles(&self) -> Vec<Vec<String>> {
        let mut cycles: Vec<Vec<String>> = Vec::new();
        for template in self.all() {
            // The paths also end the loop if the template leads into a cycle that it is not part
            // of.
            let mut paths = vec![template.path()];
            let layout = |template: &Template| template.layout().and_then(|path| self.get(path));
            let mut next = layout(template);
            while let Some(found) = next.filter(|found| !paths.contains(&found.path())) {
                paths.push(found.path());
                next = layout(found);
            }
            let is_cycle = next.is_some_and(|found| found.path() == template.path());
            // Report each cycle once, starting with its first path in alphabetical order.
            if is_cycle && paths.iter().all(|path| *path >= template.path()) {
                paths.push(template.path());
                cycles.push(paths.into_iter().map(str::to_owned).collect());
            }
        }
        cycles
    }
}

/// Returns the errors of the templates and of the partials that they use, in order. As in Ghost, unused partials may have errors.
fn check(
    templates: &Templates,
    broken: &[SyntaxError],
    is_helper: &dyn Fn(&str) -> bool,
) -> Vec<SyntaxError> {
    let mut check = Check {
        templates,
        broken,
        is_helper,
        used: HashSet::new(),
        errors: Vec::new(),
    };
    let is_page = |error: &&SyntaxError| !error.position.template.starts_with(PARTIALS);
    check.errors.extend(broken.iter().filter(is_page).cloned());
    for template in templates.all() {
        // Check the partials of a template depth-first.
        // A stack instead of recursion: the nesting of partials is not limited here.
        let mut next = check.template(template, &Rc::default());
        while let Some((name, given)) = next.pop() {
            if let Some(partial) = check.first_use(name) {
                next.extend(check.template(partial, &given));
            }
        }
    }
    check.errors.sort_by(|one, other| {
        let key = |error: &SyntaxError| (error.position.line, error.position.column);
        let path = |error: &SyntaxError| error.position.template.clone();
        path(one).cmp(&path(other)).then(key(one).cmp(&key(other)))
    });
    check.errors
}

/// The names of the inline partials that the block of a partial tag defines for that partial.
type Given = Rc<HashSet<String>>;

struct Check<'t> {
    templates: &'t Templates,
    broken: &'t [SyntaxError],
    is_helper: &'t dyn Fn(&str) -> bool,
    /// The names of the used partials.
    used: HashSet<&'t str>,
    errors: Vec<SyntaxError>,
}

impl<'t> Check<'t> {
    /// Checks a template for which the partials `given` are defined. Returns the names of the partials that it uses, with the
    /// partials defined for them. As in Ghost, a partial is checked once, with the definitions at its first use.
    fn template(&mut self, template: &'t Template, given: &Given) -> Vec<(&'t str, Given)> {
        let names = Names::of(template.program());
        let mut next = Vec::new();
        for (start, name) in &names.used {
            let (rule, reason, help) = match name {
                NameUse::Partial {
                    name,
                    is_own,
                    given: more,
                } => {
                    // Building the set of definitions is only worth it for the first use.
                    if !self.used.contains(name) {
                        next.push((*name, joined(given, &names.defined[more.clone()])));
                    }
                    if *is_own || given.contains(*name) || self.partial_exists(name) {
                        continue;
                    }
                    let help = format!("Add {PARTIALS}{name}.hbs.");
                    let reason = format!("the partial \"{name}\" does not exist");
                    (BrokenRule::Language, reason, help)
                }
                NameUse::Helper(name) => {
                    if built_in::is_helper(name) || (self.is_helper)(name) {
                        continue;
                    }
                    let help = "Check the spelling. Only helpers take arguments.".to_owned();
                    let reason = format!("the helper \"{name}\" does not exist");
                    (BrokenRule::Language, reason, help)
                }
                NameUse::ComputedPartial => {
                    let reason = "a partial with a computed name must have a block".to_owned();
                    let help = "Write {{#> (lookup . \"name\")}}…{{/undefined}}.".to_owned();
                    (BrokenRule::ComputedPartial, reason, help)
                }
                NameUse::Condition(name) => {
                    let help = format!("Write {{{{#{name} value}}}}…{{{{/{name}}}}}.");
                    let reason = format!("\"{name}\" needs exactly one argument");
                    (BrokenRule::Condition, reason, help)
                }
            };
            self.errors.push(SyntaxError {
                position: template.position(*start),
                rule,
                reason,
                help: Some(help),
            });
        }
        // The caller takes from the end, and the first partial is to be checked first.
        next.reverse();
        next
    }

    /// Records the use of a partial. Returns its template on the first use, and adds its syntax error if it has one.
    fn first_use(&mut self, name: &'t str) -> Option<&'t Template> {
        if !self.used.insert(name) {
            return None;
        }
        self.errors.extend(self.broken_partial(name).cloned());
        self.templates.partial(name)
    }

    /// Returns whether a partial exists. Partials used with a block must exist too (Ghost 6.65).
    fn partial_exists(&self, name: &str) -> bool {
        name == PARTIAL_BLOCK
            || self.templates.partial(name).is_some()
            // A partial with a syntax error exists: only the error itself is reported.
            || self.broken_partial(name).is_some()
    }

    fn broken_partial(&self, name: &str) -> Option<&'t SyntaxError> {
        self.broken.iter().find(|error| {
            let path = error.position.template.strip_prefix(PARTIALS);
            path.and_then(|path| path.strip_suffix(".hbs")) == Some(name)
        })
    }
}

/// Returns the given partials and additional ones.
fn joined(given: &Given, more: &[String]) -> Given {
    if more.is_empty() {
        return Rc::clone(given);
    }
    Rc::new(given.iter().chain(more).cloned().collect())
}
