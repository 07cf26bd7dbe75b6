//! Checks the templates of a theme against each other.

use std::collections::HashSet;

use super::{
    built_in,
    error::{BrokenRule, SyntaxError},
    names::{NameUse, Names},
    scope::PARTIAL_BLOCK,
    set::{PARTIALS, Templates},
    template::Template,
};

impl Templates {
    /// Returns the errors of the templates against each other, in order: missing partials and helpers, computed partials, and
    /// conditions without exactly one argument, in the templates and the partials that they use; and those of `broken`, the texts
    /// that are not templates, which are used. `is_helper` knows the helpers beside those of the language.
    pub fn check(
        &self,
        broken: &[SyntaxError],
        is_helper: impl Fn(&str) -> bool,
    ) -> Vec<SyntaxError> {
        check(self, broken, &is_helper)
    }

    /// Returns the circles of layouts: the paths from a template to itself, by its layouts.
    pub fn layout_circles(&self) -> Vec<Vec<String>> {
        let mut circles: Vec<Vec<String>> = Vec::new();
        for template in self.all() {
            let mut paths = vec![template.path()];
            let layout = |template: &Template| template.layout().and_then(|path| self.get(path));
            let mut next = layout(template);
            while let Some(found) = next.filter(|found| !paths.contains(&found.path())) {
                paths.push(found.path());
                next = layout(found);
            }
            let is_circle = next.is_some_and(|found| found.path() == template.path());
            // Each circle once: from the first of its templates.
            if is_circle && paths.iter().all(|path| *path >= template.path()) {
                paths.push(template.path());
                circles.push(paths.into_iter().map(str::to_owned).collect());
            }
        }
        circles
    }
}

/// Returns the errors of the templates and of the partials that they use, in order. Partials that are not used may have errors, as in
/// Ghost.
fn check(
    templates: &Templates,
    broken: &[SyntaxError],
    is_helper: &dyn Fn(&str) -> bool,
) -> Vec<SyntaxError> {
    let all = || templates.all().chain(templates.all_partials());
    let defined = all().flat_map(|template| Names::of(template.program()).defined);
    let mut check = Check {
        templates,
        broken,
        is_helper,
        defined: defined.collect(),
        used: HashSet::new(),
        next: templates.all().collect(),
        errors: Vec::new(),
    };
    let is_page = |error: &&SyntaxError| !error.position.template.starts_with(PARTIALS);
    check.errors.extend(broken.iter().filter(is_page).cloned());
    while let Some(template) = check.next.pop() {
        check.template(template);
    }
    check.errors.sort_by(|one, other| {
        let key = |error: &SyntaxError| (error.position.line, error.position.column);
        let path = |error: &SyntaxError| error.position.template.clone();
        path(one).cmp(&path(other)).then(key(one).cmp(&key(other)))
    });
    check.errors
}

struct Check<'t> {
    templates: &'t Templates,
    broken: &'t [SyntaxError],
    is_helper: &'t dyn Fn(&str) -> bool,
    /// The partials that templates define themselves.
    defined: HashSet<&'t str>,
    /// The partials that are used.
    used: HashSet<&'t str>,
    /// The templates to check.
    next: Vec<&'t Template>,
    errors: Vec<SyntaxError>,
}

impl<'t> Check<'t> {
    fn template(&mut self, template: &'t Template) {
        for (start, name) in Names::of(template.program()).used {
            let (rule, reason, help) = match name {
                NameUse::Partial { name, is_needed } => {
                    if self.partial(name) || !is_needed {
                        continue;
                    }
                    let help = format!("Add {PARTIALS}{name}.hbs.");
                    let reason = format!("there is no partial \"{name}\"");
                    (BrokenRule::Language, reason, help)
                }
                NameUse::Helper(name) => {
                    if built_in::is_helper(&name) || (self.is_helper)(&name) {
                        continue;
                    }
                    let help = "Check the spelling. A value takes no arguments.".to_owned();
                    let reason = format!("there is no helper \"{name}\"");
                    (BrokenRule::Language, reason, help)
                }
                NameUse::ComputedPartial => {
                    let reason = "a partial whose name is computed must have a block".to_owned();
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
                position: template.position(start),
                rule,
                reason,
                help: Some(help),
            });
        }
    }

    /// Notes the use of a partial; returns whether there is one of this name.
    fn partial(&mut self, name: &'t str) -> bool {
        if name == PARTIAL_BLOCK || self.defined.contains(name) {
            return true;
        }
        let partial = self.templates.partial(name);
        let is_broken = |error: &&SyntaxError| {
            let path = error.position.template.strip_prefix(PARTIALS);
            path.and_then(|path| path.strip_suffix(".hbs")) == Some(name)
        };
        let broken = self.broken.iter().find(is_broken);
        if self.used.insert(name) {
            self.next.extend(partial);
            self.errors.extend(broken.cloned());
        }
        partial.is_some() || broken.is_some()
    }
}
