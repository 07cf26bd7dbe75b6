//! Reading the files that changed, the site's own file first: the time zone that it names decides what dates mean.

use std::collections::BTreeSet;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{Conditions, Reconciler, Seen, look::Look};
use crate::{
    domain::setting::Settings,
    sources::{
        ContentFile, Context, Diagnostic, Source,
        identity::identity,
        parse,
        state::{Fingerprint, Made},
        tree,
    },
};

/// The paths of the site's own file, by which the others are read.
pub const SITE_FILES: &[&str] = &["site.toml", "site.yaml", "site.yml"];

/// A file that was read in this run.
pub struct Reading {
    /// Its path.
    pub path: String,
    /// The facts about it.
    pub seen: Option<Seen>,
    /// What was read.
    pub fingerprint: Fingerprint,
    /// Its text; `None` when it could not be read.
    pub source: Option<Source>,
    /// What it says, and what that will make; `None` when it cannot be used.
    pub content: Option<(ContentFile, Made)>,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// What came of reading all that may have changed.
#[derive(Default)]
pub struct Readings {
    /// Files that are not as they were.
    pub changed: Vec<Reading>,
    /// Files that are as they were, with the facts that will tell so next time.
    pub same: Vec<(String, Option<Seen>)>,
}

enum Outcome {
    Changed(Reading),
    Same(String, Option<Seen>),
    /// Deleted since it was listed; the next look will tell.
    Gone,
}

impl Reconciler {
    /// Reads what `look` showed; all files when the site's own file changes how they are read.
    pub(super) fn read(&self, look: &mut Look) -> (Conditions, Readings) {
        let current = self.conditions();
        let mut readings = Readings::default();
        for site_file in SITE_FILES {
            if let Some((path, seen)) = look.changed.remove_entry(*site_file) {
                readings.add(self.read_file(path, seen, &current));
            }
        }
        let conditions = self.conditions_after(&readings.changed, &look.removed);
        if !conditions.read_alike(&current) {
            *look = self.look_anew();
            look.changed
                .retain(|path, _| !SITE_FILES.contains(&path.as_str()));
        }
        let files: Vec<(String, Option<Seen>)> =
            std::mem::take(&mut look.changed).into_iter().collect();
        let outcomes: Vec<Outcome> = files
            .into_par_iter()
            .map(|(path, seen)| self.read_file(path, seen, &conditions))
            .collect();
        outcomes
            .into_iter()
            .for_each(|outcome| readings.add(outcome));
        (conditions, readings)
    }

    fn read_file(&self, path: String, seen: Option<Seen>, conditions: &Conditions) -> Outcome {
        let bytes = match tree::read(&self.root, &path) {
            Ok(bytes) => bytes,
            Err(_) if !self.root.join(&path).exists() => return Outcome::Gone,
            Err(diagnostic) => return Outcome::Changed(Reading::failed(path, diagnostic)),
        };
        let fingerprint = fingerprint(&bytes, conditions);
        let is_same = self
            .settled(&path)
            .is_some_and(|known| known.fingerprint == fingerprint);
        match is_same {
            true => Outcome::Same(path, seen),
            false => Outcome::Changed(Reading::parse(path, seen, fingerprint, &bytes, conditions)),
        }
    }

    /// Reads a file that did not change, to convert it anew. `None` when it did change, which the next look will tell.
    pub(super) fn read_again(&self, path: &str, conditions: &Conditions) -> Option<Reading> {
        let known = self.states.get(path)?;
        let bytes = tree::read(&self.root, path).ok()?;
        let fingerprint = fingerprint(&bytes, conditions);
        (fingerprint == known.fingerprint)
            .then(|| Reading::parse(path.to_owned(), known.seen, fingerprint, &bytes, conditions))
    }

    /// How files are read as the site is.
    fn conditions(&self) -> Conditions {
        Conditions::of(&self.site.current().catalog.settings, self.site.now())
    }

    /// How files are read once the site's own file, if it is among those read, holds.
    fn conditions_after(&self, readings: &[Reading], removed: &BTreeSet<String>) -> Conditions {
        let in_force = |path: &str| {
            self.states
                .get(path)
                .is_some_and(|state| state.made.is_some())
        };
        let is_free = |path: &str| {
            let mut others = SITE_FILES.iter().filter(|other| **other != path);
            !others.any(|other| in_force(other) && !removed.contains(*other))
        };
        let new = readings.iter().find_map(|reading| match &reading.content {
            Some((ContentFile::Site(file), _)) if is_free(&reading.path) => Some(file),
            _ => None,
        });
        let values = match new {
            Some(file) => file.settings.clone().into_iter().collect(),
            None if removed
                .iter()
                .any(|path| SITE_FILES.contains(&path.as_str()) && in_force(path)) =>
            {
                Default::default()
            }
            None => return self.conditions(),
        };
        Conditions::of(&Settings::new(values), self.site.now())
    }
}

impl Readings {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Changed(reading) => self.changed.push(reading),
            Outcome::Same(path, seen) => self.same.push((path, seen)),
            Outcome::Gone => {}
        }
    }
}

impl Reading {
    fn parse(
        path: String,
        seen: Option<Seen>,
        fingerprint: Fingerprint,
        bytes: &[u8],
        conditions: &Conditions,
    ) -> Self {
        let context = Context {
            time_zone: conditions.time_zone.clone(),
        };
        let parsed = parse(&path, bytes, &context);
        let content = parsed.value.map(|file| {
            let made = identity(&file);
            (file, made)
        });
        Self {
            path,
            seen,
            fingerprint,
            source: parsed.source,
            content,
            diagnostics: parsed.diagnostics,
        }
    }

    /// A file that cannot be read. No facts are kept, so that it is tried again at every look.
    fn failed(path: String, diagnostic: Diagnostic) -> Self {
        Self {
            path,
            seen: None,
            fingerprint: Fingerprint::default(),
            source: None,
            content: None,
            diagnostics: vec![diagnostic],
        }
    }

    /// Makes the file one that cannot be used.
    pub fn fail(&mut self, problems: impl IntoIterator<Item = Diagnostic>) {
        self.content = None;
        self.diagnostics.extend(problems);
    }
}

fn fingerprint(bytes: &[u8], conditions: &Conditions) -> Fingerprint {
    let zone = conditions.zone_name();
    let visibility = conditions.default_visibility.name();
    Fingerprint::of(bytes, &format!("{zone}\n{visibility}"))
}
