//! The redirects of a built site: those of its owner, aliases of posts, and the fixed redirects of every site.

use std::collections::HashSet;

use super::{
    BuildError,
    redirect_rules::{PathSet, RedirectRule},
    site_assets::ICONS,
    site_pages::PageRedirect,
};
use crate::{
    api::{
        static_pages::{SiteIcon, StaticPages},
        static_renderer::StaticRenderer,
    },
    site_urls::SiteUrls,
};

/// The redirects of a site.
pub struct SiteRedirects {
    /// The rules, in order of precedence.
    pub rules: Vec<RedirectRule>,
    /// The sources of the owner's redirects that static hosts cannot express.
    pub left_out: Vec<String>,
    /// The regular expressions of the rules so far.
    known: HashSet<String>,
}

impl SiteRedirects {
    /// Collects the redirects of a site. `of_pages` are the redirects in place of pages.
    ///
    /// # Errors
    ///
    /// If the site cannot be read.
    pub fn of(
        site: &StaticRenderer<'_>,
        pages: &StaticPages<'_>,
        of_pages: &[PageRedirect],
    ) -> Result<Self, BuildError> {
        let top = site.site_urls().subdirectory();
        let mut redirects = Self {
            rules: Vec::new(),
            left_out: Vec::new(),
            known: HashSet::new(),
        };
        // First, because the first rule for a path wins: the redirects of the owner take
        // precedence, as on the server.
        redirects.add_owner_redirects(site, top)?;
        for page in of_pages {
            let rule = RedirectRule::of_path(&page.from, &page.to, page.is_permanent, top);
            redirects.add(rule);
        }
        let posts = &site.snapshot().catalog.posts;
        for post in posts.iter().filter(|post| post.is_listed()) {
            let to = site.site_urls().post_path(post);
            // As on the server: a page at the path of the alias is not hidden.
            let old = post.aliases.iter().filter(|alias| {
                let target = posts.by_alias(alias);
                target.is_some_and(|target| target.id == post.id)
            });
            redirects.add(old.filter_map(|alias| RedirectRule::of_path(alias, &to, true, top)));
        }
        if let SiteIcon::At(url) = pages.icon() {
            let base = site.site_urls().base();
            let to = url.strip_prefix(base).unwrap_or(&url);
            let rule = |icon: &&str| RedirectRule::of_path(icon, to, false, top);
            redirects.add(ICONS.iter().filter_map(rule));
        }
        redirects.add(fixed(site.site_urls()));
        Ok(redirects)
    }

    fn add_owner_redirects(
        &mut self,
        site: &StaticRenderer<'_>,
        top: &str,
    ) -> Result<(), BuildError> {
        let file = site.snapshot().redirects_file()?;
        for redirect in file.into_iter().flat_map(|file| file.redirects) {
            match RedirectRule::of_owner(&redirect, top) {
                Some(rule) => self.add(rule.with_single_slashes()),
                None => self.left_out.push(redirect.from),
            }
        }
        Ok(())
    }

    /// Returns whether a rule applies to a decoded path, which includes the subdirectory of the site. Regular expressions are not
    /// evaluated.
    pub fn has(&self, path: &str) -> bool {
        self.rules.iter().any(|rule| rule.from.has(path))
    }

    /// Adds rules, except those for the same paths as an earlier rule.
    fn add(&mut self, rules: impl IntoIterator<Item = RedirectRule>) {
        for rule in rules {
            // Compared as expressions, since rules of different forms may be for the same paths.
            if self.known.insert(rule.from.expression()) {
                self.rules.push(rule);
            }
        }
    }
}

/// Returns the redirects of every site: from alternative paths of feeds, from the numbered first page of a list, and from former
/// AMP pages.
fn fixed(site_urls: &SiteUrls) -> Vec<RedirectRule> {
    let routes = site_urls.routes();
    let top = site_urls.subdirectory();
    let mut lists: Vec<String> = routes.list_paths();
    let taxonomies = [
        routes.tag_path_of_slug(VARIABLE),
        routes.author_path_of_slug(VARIABLE),
    ];
    lists.extend(taxonomies.into_iter().flatten());
    let feeds = lists.iter().filter(|path| has_feed(path, site_urls));
    let feeds = feeds.map(|path| (format!("{path}feed/"), format!("{path}rss/")));
    let numbers = lists
        .iter()
        .map(|path| (format!("{path}page/1/"), path.clone()));
    let amp = [(format!("/{VARIABLE}/amp/"), format!("/{VARIABLE}/"))];
    let all = feeds.chain(numbers).chain(amp);
    let all = all.map(|(from, to)| RedirectRule {
        from: PathSet::with_variable(&from, VARIABLE).below(top),
        to: format!("{top}{}", to.replace(VARIABLE, "$1")),
        is_permanent: true,
    });
    let deeper = (2..=routes.record_segments_max()).map(|count| of_amp(count, top));
    all.chain(deeper).collect()
}

/// Returns the redirect from the former AMP pages of records whose paths have `count` segments, at least two.
fn of_amp(count: usize, top: &str) -> RedirectRule {
    let from = PathSet::Segments {
        before: "/".to_owned(),
        count,
        after: "/amp/".to_owned(),
    };
    let to: String = (1..=count).map(|number| format!("/${number}")).collect();
    RedirectRule {
        from: from.below(top),
        to: format!("{top}{to}/"),
        is_permanent: true,
    }
}

/// The placeholder for the variable part of a path, which is not a valid slug.
const VARIABLE: &str = "{slug}";

/// Returns whether the list at a path has a feed.
fn has_feed(path: &str, site_urls: &SiteUrls) -> bool {
    let routes = site_urls.routes();
    path.contains(VARIABLE)
        || routes.list_with_feed_at(path).is_some()
        || path == "/" && routes.has_feed_of_site()
}
