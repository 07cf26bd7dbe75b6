//! The environment variables of a command that runs with a server, as read by starters and examples for
//! Ghost.

/// The kind of the value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// The server's URL, without a trailing slash.
    Url,
    /// A Content API key.
    ContentKey,
    /// An Admin API key.
    AdminKey,
    /// The version of the API.
    Version,
    /// The site's public URL, without a trailing slash.
    PublicUrl,
}

/// Variables with the same value.
pub struct VariableRow {
    /// The kind of their value.
    pub kind: ValueKind,
    /// Their names.
    pub names: &'static [&'static str],
    /// Their description.
    pub about: &'static str,
}

/// All variables. `GHOST_API_URL` and `GHOST_CONTENT_API_KEY` are read by Ghost's own starters for
/// Eleventy and Gatsby, `GHOST_API_KEY` by the example `cms-ghost` of Next, `CMS_GHOST_…` by
/// `next-cms-ghost`, and `CONTENT_API_…` by the guide of Astro and its themes. `GHOST_URL`,
/// `GHOST_URI`, `GHOST_KEY` and `GHOST_CONTENT_KEY` are read by the recipes for Nuxt, Gridsome and
/// Hugo, and `SITE_URL` and `SITEURL` again by Ghost's starters.
pub const ROWS: &[VariableRow] = &[
    VariableRow {
        kind: ValueKind::Url,
        names: &[
            "GHOST_URL",
            "GHOST_API_URL",
            "GHOST_CONTENT_API_URL",
            "GHOST_ADMIN_API_URL",
            "GHOST_URI",
            "CMS_GHOST_API_URL",
            "CONTENT_API_URL",
        ],
        about: "The server's URL: `http://127.0.0.1:PORT`.",
    },
    VariableRow {
        kind: ValueKind::ContentKey,
        names: &[
            "GHOST_CONTENT_API_KEY",
            "GHOST_API_KEY",
            "GHOST_KEY",
            "GHOST_CONTENT_KEY",
            "CMS_GHOST_API_KEY",
            "CONTENT_API_KEY",
        ],
        about: "A Content API key.",
    },
    VariableRow {
        kind: ValueKind::AdminKey,
        names: &["GHOST_ADMIN_API_KEY"],
        about: "An Admin API key. Changes made with it are discarded when the command ends.",
    },
    VariableRow {
        kind: ValueKind::Version,
        names: &["GHOST_VERSION", "GHOST_API_VERSION"],
        about: "`v6.0`.",
    },
    VariableRow {
        kind: ValueKind::PublicUrl,
        names: &["SITE_URL", "SITEURL"],
        about: "The site's public URL, if it is configured and the variable is not set already.",
    },
];

/// Prefixes with which build tools expose variables to pages. The URLs and Content API keys whose names
/// begin with `GHOST_` are also set with each prefix; both are public.
pub const PREFIXES: &[&str] = &[
    "NEXT_PUBLIC_",
    "NUXT_",
    "NUXT_PUBLIC_",
    "GATSBY_",
    "GRIDSOME_",
    "PUBLIC_",
    "VITE_",
    "VUE_APP_",
];

const VERSION: &str = "v6.0";

/// The values of the variables.
pub struct VariableValues {
    /// The server's URL.
    pub url: String,
    /// A Content API key.
    pub content_key: String,
    /// An Admin API key.
    pub admin_key: String,
    /// The site's public URL, if it is configured.
    pub public_url: Option<String>,
}

impl VariableValues {
    fn of(&self, kind: ValueKind) -> Option<&str> {
        Some(match kind {
            ValueKind::Url => &self.url,
            ValueKind::ContentKey => &self.content_key,
            ValueKind::AdminKey => &self.admin_key,
            ValueKind::Version => VERSION,
            ValueKind::PublicUrl => self.public_url.as_deref()?,
        })
    }
}

/// Returns the variables with their values. `is_set` returns whether a variable is already in the
/// environment.
pub fn of(values: &VariableValues, is_set: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    for row in ROWS {
        let Some(value) = values.of(row.kind) else {
            continue;
        };
        for name in row.names {
            if row.kind == ValueKind::PublicUrl && is_set(name) {
                continue;
            }
            let prefixes = if row.is_for_pages(name) {
                PREFIXES
            } else {
                &[]
            };
            let names = [""].iter().chain(prefixes);
            variables.extend(names.map(|prefix| (format!("{prefix}{name}"), value.to_owned())));
        }
    }
    variables
}

impl VariableRow {
    /// Returns whether a variable is also set with prefixes.
    fn is_for_pages(&self, name: &str) -> bool {
        matches!(self.kind, ValueKind::Url | ValueKind::ContentKey)
            && name.starts_with("GHOST_")
            && !name.contains("ADMIN")
    }
}

/// Returns the variables with which a command bypasses a proxy for requests to the server, since the
/// proxy could not connect to it. Returns none if no proxy is set.
pub fn proxy_exceptions(environment: impl Fn(&str) -> Option<String>) -> Vec<(String, String)> {
    const PROXIES: [&str; 4] = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];
    let is_set = |name: &&str| environment(name).is_some_and(|value| !value.is_empty());
    if !PROXIES.iter().any(is_set) {
        return Vec::new();
    }
    // Some programs read only one of the two names.
    let names = ["no_proxy", "NO_PROXY"];
    let exceptions = names.iter().filter_map(|name| environment(name));
    let exceptions: Vec<String> = exceptions
        .filter(|value| !value.is_empty())
        .chain(["127.0.0.1".to_owned()])
        .collect();
    let value = exceptions.join(",");
    names.map(|name| (name.to_owned(), value.clone())).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(public_url: Option<&str>) -> VariableValues {
        VariableValues {
            url: "http://127.0.0.1:4000".to_owned(),
            content_key: "6f6e".to_owned(),
            admin_key: "1:2".to_owned(),
            public_url: public_url.map(str::to_owned),
        }
    }

    fn value<'a>(variables: &'a [(String, String)], name: &str) -> Option<&'a str> {
        let found = variables.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    #[test]
    fn public_values_are_also_set_with_prefixes() {
        let variables = of(&values(None), |_| false);
        assert_eq!(
            value(&variables, "NEXT_PUBLIC_GHOST_URL"),
            Some("http://127.0.0.1:4000")
        );
        assert_eq!(
            value(&variables, "VITE_GHOST_CONTENT_API_KEY"),
            Some("6f6e")
        );
        assert_eq!(value(&variables, "GHOST_ADMIN_API_KEY"), Some("1:2"));
        let secret = variables.iter().filter(|(_, value)| value == "1:2");
        assert_eq!(secret.count(), 1);
    }

    #[test]
    fn public_url_is_set_if_configured_and_not_already_set() {
        assert_eq!(value(&of(&values(None), |_| false), "SITE_URL"), None);
        let known = values(Some("https://harbour.example"));
        let variables = of(&known, |name| name == "SITEURL");
        assert_eq!(
            value(&variables, "SITE_URL"),
            Some("https://harbour.example")
        );
        assert_eq!(value(&variables, "SITEURL"), None);
    }

    #[test]
    fn server_is_added_to_the_exceptions_of_a_proxy() {
        let without = proxy_exceptions(|_| None);
        assert_eq!(without, []);
        let environment = |name: &str| match name {
            "HTTP_PROXY" => Some("http://proxy.example:3128".to_owned()),
            "NO_PROXY" => Some("intranet.example".to_owned()),
            _ => None,
        };
        let variables = proxy_exceptions(environment);
        let expected = Some("intranet.example,127.0.0.1");
        assert_eq!(value(&variables, "NO_PROXY"), expected);
        assert_eq!(value(&variables, "no_proxy"), expected);
    }
}
