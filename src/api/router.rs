//! Finds the route of a path in a tree of segments; at each segment, a literal takes precedence over
//! a variable.

use http::Method;

use super::routes::route::{Route, VARIABLES_MAX};

/// All routes, by the segments of their paths. Immutable; lookups do not allocate.
pub struct Router(Node);

/// The routes whose paths begin with the same segments.
#[derive(Default)]
struct Node {
    literals: Vec<Literal>,
    variable: Option<Box<Node>>,
    /// The routes whose paths end here, with their positions in the table.
    routes: Vec<(usize, &'static Route)>,
}

/// A literal segment of paths, and the node after it.
struct Literal {
    text: &'static str,
    ignores_case: bool,
    node: Node,
}

/// The route that a path matches.
pub struct RouteMatch<'a> {
    /// The route.
    pub route: &'static Route,
    variables: Variables<'a>,
    /// True if the path lacks its trailing slash.
    pub without_slash: bool,
}

impl<'a> RouteMatch<'a> {
    /// Returns the values of the route's variables, as sent.
    pub fn variables(&self) -> &[&'a str] {
        &self.variables.values[..self.variables.count]
    }
}

/// The values of the variables that were matched so far.
#[derive(Default)]
struct Variables<'a> {
    values: [&'a str; VARIABLES_MAX],
    count: usize,
}

impl Router {
    /// Returns the router of `routes`.
    pub fn new(routes: impl Iterator<Item = &'static Route>) -> Self {
        let mut root = Node::default();
        for (position, route) in routes.enumerate() {
            // Paths of the Admin API are case-insensitive (Ghost 6.65, recorded).
            let ignores_case = route.path.starts_with("admin/");
            let mut node = &mut root;
            for segment in route.path.trim_end_matches('/').split('/') {
                node = node.child(segment, ignores_case);
            }
            node.routes.push((position, route));
        }
        Self(root)
    }

    /// Finds the route for `method` and `path`, which is relative to `/ghost/api/`, with or without a
    /// trailing slash, and case-insensitive below `admin/`. Paths with empty segments match no route.
    pub fn find<'a>(&self, method: &Method, path: &'a str) -> Option<RouteMatch<'a>> {
        let method = if *method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        let (path, without_slash) = match path.strip_suffix('/') {
            Some(path) => (path, false),
            None => (path, true),
        };
        let mut variables = Variables::default();
        let route = self.0.find(method, Some(path), &mut variables)?;
        Some(RouteMatch {
            route,
            variables,
            without_slash,
        })
    }

    /// Returns the methods of the routes at `path` in the order of the table, for `Allow`.
    pub fn methods(&self, path: &str) -> Vec<&'static Method> {
        let mut routes = Vec::new();
        let path = path.strip_suffix('/').unwrap_or(path);
        self.0.collect(Some(path), &mut routes);
        // The tree does not preserve the order of the table.
        routes.sort_unstable_by_key(|(position, _)| *position);
        routes.iter().map(|(_, route)| route.method).collect()
    }
}

impl Node {
    /// Returns the node after `segment` of a route's path, which is created if it does not exist.
    fn child(&mut self, segment: &'static str, ignores_case: bool) -> &mut Self {
        if segment.starts_with('{') {
            return self.variable.get_or_insert_default();
        }
        let existing = self
            .literals
            .iter()
            .position(|literal| literal.text == segment);
        let position = existing.unwrap_or_else(|| {
            self.literals.push(Literal {
                text: segment,
                ignores_case,
                node: Self::default(),
            });
            self.literals.len() - 1
        });
        &mut self.literals[position].node
    }

    /// Returns the node after the literal `segment` of a requested path.
    fn literal(&self, segment: &str) -> Option<&Self> {
        let is_same = |literal: &&Literal| {
            literal.text == segment
                || (literal.ignores_case && literal.text.eq_ignore_ascii_case(segment))
        };
        self.literals
            .iter()
            .find(is_same)
            .map(|literal| &literal.node)
    }

    /// Returns the node after `segment` as the value of a variable.
    fn variable(&self, segment: &str) -> Option<&Self> {
        self.variable.as_deref().filter(|_| !segment.is_empty())
    }

    /// Finds the route for the rest of a path; `path` is `None` at the end of the path. Backtracks to a
    /// variable if no route matches after the literal.
    fn find<'a>(
        &self,
        method: &Method,
        path: Option<&'a str>,
        variables: &mut Variables<'a>,
    ) -> Option<&'static Route> {
        let Some(path) = path else {
            let mut routes = self.routes.iter().map(|(_, route)| *route);
            return routes.find(|route| route.method == method);
        };
        let (segment, rest) = split_segment(path);
        let literal = self.literal(segment);
        if let Some(route) = literal.and_then(|node| node.find(method, rest, variables)) {
            return Some(route);
        }
        let node = self.variable(segment)?;
        // The index is in range: a route with more than `VARIABLES_MAX` variables does not compile.
        variables.values[variables.count] = segment;
        variables.count += 1;
        let route = node.find(method, rest, variables);
        if route.is_none() {
            variables.count -= 1;
        }
        route
    }

    /// Adds the routes for the rest of a path to `routes`, for every method.
    fn collect(&self, path: Option<&str>, routes: &mut Vec<(usize, &'static Route)>) {
        let Some(path) = path else {
            routes.extend(&self.routes);
            return;
        };
        let (segment, rest) = split_segment(path);
        for node in [self.literal(segment), self.variable(segment)]
            .into_iter()
            .flatten()
        {
            node.collect(rest, routes);
        }
    }
}

/// Splits a path into its first segment and the rest; the rest is `None` after the last segment.
fn split_segment(path: &str) -> (&str, Option<&str>) {
    match path.split_once('/') {
        Some((segment, rest)) => (segment, Some(rest)),
        None => (path, None),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::routes, *};

    fn found(path: &str) -> Option<(&'static str, &str, bool)> {
        let router = Router::new(routes::all());
        router.find(&Method::GET, path).map(|found| {
            let variable = found.variables().first().copied().unwrap_or_default();
            (found.route.path, variable, found.without_slash)
        })
    }

    #[test]
    fn literal_takes_precedence_over_variable() {
        assert_eq!(found("content/posts/"), Some(("content/posts/", "", false)));
        assert_eq!(
            found("content/posts/slug/"),
            Some(("content/posts/{id}/", "slug", false))
        );
        assert_eq!(
            found("content/posts/slug/a"),
            Some(("content/posts/slug/{slug}/", "a", true))
        );
    }

    #[test]
    fn literal_without_the_method_gives_way_to_a_variable() {
        let router = Router::new(routes::all());
        let path = |method: &Method, path: &str| router.find(method, path).unwrap().route.path;
        let export = "admin/posts/export/";
        assert_eq!(path(&Method::GET, export), export);
        assert_eq!(path(&Method::HEAD, export), export);
        assert_eq!(path(&Method::DELETE, export), "admin/posts/{id}/");
        assert!(router.find(&Method::POST, export).is_none());
    }

    #[test]
    fn first_literal_takes_precedence_over_a_later_one() {
        assert_eq!(
            found("admin/users/slug/token/"),
            Some(("admin/users/slug/{slug}/", "token", false))
        );
    }

    #[test]
    fn only_paths_of_the_admin_api_ignore_case() {
        assert_eq!(found("ADMIN/Site").unwrap().0, "admin/site/");
        assert!(found("content/Settings/").is_none());
    }

    #[test]
    fn every_route_is_found_by_its_path_with_all_its_variables() {
        let router = Router::new(routes::all());
        for route in routes::all() {
            let found = router.find(route.method, route.path).unwrap();
            assert_eq!(found.route.path, route.path);
            let is_variable = |segment: &&str| segment.starts_with('{');
            let variables: Vec<&str> = route.path.split('/').filter(is_variable).collect();
            assert_eq!(found.variables(), variables);
        }
    }

    #[test]
    fn methods_are_those_of_all_matching_routes_in_the_order_of_the_table() {
        let router = Router::new(routes::all());
        assert_eq!(
            router.methods("admin/posts/bulk"),
            [&Method::GET, &Method::PUT, &Method::DELETE, &Method::PUT]
        );
        assert!(router.methods("admin/nosuch/").is_empty());
    }

    #[test]
    fn extra_and_empty_segments_match_nothing() {
        for path in [
            "content/",
            "content/posts//",
            "content/posts/slug//",
            "content//posts/",
            "content/posts/a/b/",
            "",
        ] {
            assert!(found(path).is_none(), "{path}");
        }
    }
}
