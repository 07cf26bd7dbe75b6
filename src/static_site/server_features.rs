//! The features of pages that need a server. They are reported to the publisher of a static site.

use std::collections::BTreeMap;

/// A feature that needs a server.
struct ServerFeature {
    name: &'static str,
    /// The text that marks the use of the feature in a page.
    mark: &'static str,
}

/// All features. Search does not need a server if its files are written.
const FEATURES: [ServerFeature; 6] = [
    ServerFeature {
        name: "sign-up, sign-in and accounts of members (Portal)",
        mark: "data-ghost=\"",
    },
    ServerFeature {
        name: "forms and buttons for members",
        mark: "data-members-",
    },
    ServerFeature {
        name: "comments",
        mark: "data-ghost-comments=\"",
    },
    COMMENT_COUNTS,
    ServerFeature {
        name: "the announcement bar",
        mark: "data-announcement-bar=\"",
    },
    SEARCH,
];

const COMMENT_COUNTS: ServerFeature = ServerFeature {
    name: "numbers of comments",
    mark: "data-ghost-comment-count=\"",
};

const SEARCH: ServerFeature = ServerFeature {
    name: "search (write its files with --search)",
    mark: "data-sodo-search=\"",
};

/// The features that pages use, each with the first page and the number of pages.
#[derive(Default)]
pub struct UsedFeatures(BTreeMap<&'static str, (String, usize)>);

impl UsedFeatures {
    /// Adds the features of the page at a path.
    pub fn add(&mut self, path: &str, html: &str, has_search: bool) {
        let features = FEATURES
            .iter()
            .filter(|feature| !(has_search && feature.name == SEARCH.name));
        for feature in features.filter(|feature| html.contains(feature.mark)) {
            let used = self.0.entry(feature.name);
            used.or_insert_with(|| (path.to_owned(), 0)).1 += 1;
        }
    }

    /// Returns whether pages request the numbers of comments.
    pub fn has_comment_counts(&self) -> bool {
        self.0.contains_key(COMMENT_COUNTS.name)
    }

    /// Returns a remark for each feature.
    pub fn remarks(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(name, (path, pages))| {
            let on = match pages {
                1 => format!("on {path}"),
                pages => format!("on {pages} pages, such as {path}"),
            };
            format!("{name}: not available without a server, {on}")
        })
    }
}
