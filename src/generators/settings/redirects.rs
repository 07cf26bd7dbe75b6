//! Redirects that the settings of a project list: a former URL, and the path at which the generator publishes the document.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::generators::{link_path, settings::scripts};

/// Maximum number of redirects. Further ones are ignored.
const REDIRECTS_MAX: usize = 5_000;

/// The redirects of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redirects {
    /// Former paths, by their target in the form of [`comparable`].
    by_target: BTreeMap<String, Vec<String>>,
    count: usize,
}

impl Redirects {
    /// Adds the redirect of `from` to `to`, which may be relative to `from`. Patterns and redirects to other sites are
    /// ignored.
    pub fn add(&mut self, from: &str, to: &str) {
        let is_pattern = from.contains(['*', '[', ':', '{']) || to.contains(['*', '[', '{']);
        let is_path = !from.trim_matches('/').is_empty() && !from.contains(['?', '#']);
        let Some((target, _)) = link_path::path_of(to) else {
            return;
        };
        if is_pattern || !is_path || self.count >= REDIRECTS_MAX {
            return;
        }
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        // `join` drops the leading slash, so the folder must be empty for absolute targets.
        let folder = if target.starts_with('/') { "" } else { folder };
        if let Some(target) = link_path::join(folder, target) {
            self.count += 1;
            let former = format!("/{}", from.trim_start_matches('/'));
            let known = self.by_target.entry(comparable(&target)).or_default();
            known.push(former);
        }
    }

    /// Adds the redirects in a script's setting with the literal value `value`: an object of paths, or a list of objects
    /// with the keys `from` and `to`. A value of `from` may be a list.
    pub(crate) fn add_script(&mut self, value: &str) {
        match scripts::literal(value) {
            Some(Json::Object(entries)) => {
                for (from, to) in &entries {
                    let to = to.get("destination").unwrap_or(to);
                    self.add(from, to.as_str().unwrap_or_default());
                }
            }
            Some(Json::Array(entries)) => {
                for entry in &entries {
                    let to = entry.get("to").and_then(Json::as_str).unwrap_or_default();
                    let from = match entry.get("from") {
                        Some(Json::Array(from)) => from.iter().filter_map(Json::as_str).collect(),
                        Some(Json::String(from)) => vec![from.as_str()],
                        _ => Vec::new(),
                    };
                    for from in from {
                        self.add(from, to);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the former paths of the document that is published at `path`, relative to a site with the base path `base`.
    pub fn to(&self, path: &str, base: &str) -> impl Iterator<Item = &str> {
        let below_base = comparable(&format!("{base}/{path}"));
        let path = comparable(path);
        // Some generators write targets with the base path of the site, others without it.
        let other = (below_base != path).then_some(below_base);
        let targets = [Some(path), other].into_iter().flatten();
        let found = targets.filter_map(|target| self.by_target.get(&target));
        found.flatten().map(String::as_str)
    }
}

/// Returns a path in the form that targets are compared in: without leading and trailing slashes, `index` and `.html`.
fn comparable(path: &str) -> String {
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".html").unwrap_or(path);
    match path.strip_suffix("index") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => {
            folder.trim_matches('/').to_owned()
        }
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_paths_are_found_by_their_target() {
        let mut redirects = Redirects::default();
        redirects.add("/old/rope.html", "../guide/knots.html#bowline");
        redirects.add("/elsewhere", "https://example.org/");
        redirects.add_script("{ '/a': '/guide/knots', '/b/[x]': '/c', \"/d\": { status: 302, destination: '/fog/' } }");
        redirects.add_script("[{ to: '/fog', from: ['/e', '/f'] }, { from: '/g', to: 'fog' }]");
        let to = |path: &str| redirects.to(path, "/docs").collect::<Vec<_>>();
        assert_eq!(to("guide/knots.html"), ["/old/rope.html", "/a"]);
        assert_eq!(to("fog/"), ["/d", "/e", "/f", "/g"]);
        assert_eq!(to("c"), [""; 0]);
    }
}
