//! Properties of files of redirects and routes: a file is stored and downloaded unchanged, or rejected with its line or
//! entry while the previous file stays; a redirect leaves the site only if its target names another site, and never
//! runs code.

use std::path::Path;

use galley::{
    admin::{
        redirects::{self, RedirectFormat},
        routes_file,
    },
    domain::{actor::Actor, redirect::Redirects},
    error::{Error, Kind},
};
use url::Url;

use super::small_site::{NO_DATA, SmallSite, URL};

/// The kinds of files. The first byte of an input chooses one.
const KINDS: [SiteFile; 3] = [SiteFile::Yaml, SiteFile::Json, SiteFile::Routes];

#[derive(Clone, Copy, PartialEq)]
enum SiteFile {
    Yaml,
    Json,
    Routes,
}

/// The requested paths, and their queries.
const REQUESTED: [(&str, Option<&str>); 7] = [
    ("/", None),
    ("/a", None),
    ("/a/", Some("b=c")),
    ("/old/2024/post/", None),
    ("//evil.example/a", None),
    ("/a/%0d%0aset-cookie:x/javascript:alert(1)", Some("x=%0a")),
    ("/%c3%a9/\\evil.example", None),
];

/// Panics unless these properties hold for a file.
pub fn check(input: &[u8]) {
    let Some((kind, content)) = input.split_first() else {
        return;
    };
    let kind = KINDS[usize::from(*kind) % KINDS.len()];
    let site = SmallSite::new(Path::new(NO_DATA));
    let before = site.everything();
    match upload(&site, kind, content) {
        Ok(()) => {
            check_download(&site, kind, content);
            if kind != SiteFile::Routes {
                check_targets(&site);
            }
        }
        Err(error) => {
            let kinds = [Kind::BadRequest, Kind::Validation, Kind::IncorrectUsage];
            assert!(kinds.contains(&error.kind()), "{error}");
            site.everything().assert_same_as(&before);
        }
    }
}

fn upload(site: &SmallSite, kind: SiteFile, content: &[u8]) -> Result<(), Error> {
    let (site, actor) = (&site.site, &Actor::Operator);
    match kind {
        SiteFile::Yaml => redirects::upload(site, actor, RedirectFormat::Yaml, content),
        SiteFile::Json => redirects::upload(site, actor, RedirectFormat::Json, content),
        SiteFile::Routes => routes_file::upload(site, actor, content).map(drop),
    }
}

/// Checks that a downloaded YAML file is unchanged, and that a downloaded JSON file has the same redirects.
fn check_download(site: &SmallSite, kind: SiteFile, content: &[u8]) {
    let snapshot = site.site.current();
    let text = match kind {
        SiteFile::Routes => routes_file::download(&snapshot).unwrap(),
        _ => redirects::download(&snapshot).unwrap(),
    };
    if kind != SiteFile::Json {
        let sent = str::from_utf8(content).unwrap();
        assert_eq!(text, sent.trim_start_matches('\u{feff}'));
        return;
    }
    let other = SmallSite::new(Path::new(NO_DATA));
    upload(&other, SiteFile::Yaml, text.as_bytes())
        .unwrap_or_else(|error| panic!("{error} {text:?}"));
    let redirects_of = |site: &SmallSite| {
        let file = site.site.current().redirects_file().unwrap();
        file.unwrap_or_default().redirects
    };
    assert_eq!(redirects_of(&other), redirects_of(site), "{text:?}");
}

/// Checks that redirects point to pages of the site, unless a target names another site, and never to a URL that runs
/// code.
fn check_targets(site: &SmallSite) {
    let file = site.site.current().redirects_file().unwrap();
    let file = file.unwrap_or_default();
    let redirects = Redirects::compile(&file.redirects).unwrap();
    let stays = |to: &str| {
        let is_path = to.starts_with('/') && !to.starts_with("//") && !to.starts_with("/\\");
        is_path && !to.contains('$')
    };
    let all_stay = file.redirects.iter().all(|redirect| stays(&redirect.to));
    let own = Url::parse(URL).unwrap();
    for (path, query) in REQUESTED {
        let Some(target) = redirects.find(path, query) else {
            continue;
        };
        let location = &target.location;
        assert!(
            http::HeaderValue::from_str(location).is_ok(),
            "{location:?}"
        );
        let requested = own.join("/a/b").unwrap();
        let Ok(reached) = requested.join(location) else {
            continue;
        };
        assert!(
            !matches!(reached.scheme(), "javascript" | "vbscript"),
            "{location:?}"
        );
        let has_own_start = path.starts_with("//") || path.contains('\\');
        if all_stay && !has_own_start {
            assert_eq!(reached.origin(), own.origin(), "{location:?} of {path}");
        }
    }
}
