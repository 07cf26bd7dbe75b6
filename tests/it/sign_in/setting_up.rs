//! Tests of site setup: the owner, and records that are named after the site.

use galley::{
    admin::{
        set_up::{self, SetUp},
        users::UserChanges,
    },
    domain::{
        actor::{Actor, SignInMethod},
        post::{PostKind, Status},
        role::Role,
        user::User,
    },
    error::Kind,
    id::Id,
    site::Site,
    store::memory::MemoryStore,
};
use galley_tests::sign_in::{OWNER, SignInSite, Visitor, at, owner};

#[test]
fn default_tier_and_newsletter_get_the_site_title() {
    let site = SignInSite::new(false);
    let catalog = &site.snapshot().catalog;
    assert_eq!(catalog.settings.text("title").as_deref(), Some("Reference"));
    let names: Vec<&str> = catalog.tiers.iter().map(|tier| &*tier.name).collect();
    assert!(
        names.contains(&"Reference") && names.contains(&"Free"),
        "{names:?}"
    );
    assert!(
        catalog
            .newsletters
            .iter()
            .all(|newsletter| &*newsletter.name == "Reference")
    );
    let owner = site.owner();
    assert_eq!((&*owner.slug, owner.role), ("ada", Role::Owner));
    let page = catalog.posts.iter().next().unwrap();
    let what = (page.kind, page.status, &*page.slug);
    assert_eq!(
        what,
        (PostKind::Page, Status::Published, "about"),
        "the navigation links to the default page"
    );
    assert_eq!(*page.authors, [owner.id]);
    site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
}

#[test]
fn site_setup_is_atomic_and_runs_once() {
    let site = SignInSite::new(false);
    let again = set_up::set_up(&site.site, &owner()).unwrap_err();
    assert_eq!(again.kind(), Kind::NoPermission);

    let clock = std::sync::Arc::new(galley::clock::ManualClock::new(at(0)));
    let site = Site::open(Box::new(MemoryStore::new()), clock).unwrap();
    let before = site.current().catalog.revision;
    for wanted in [
        SetUp {
            name: " ",
            ..owner()
        },
        SetUp {
            email: "not an address",
            ..owner()
        },
        SetUp {
            email: "",
            ..owner()
        },
        SetUp {
            site_title: Some(&"a".repeat(151)),
            ..owner()
        },
        SetUp {
            password: &galley::domain::password::Password::new("short"),
            ..owner()
        },
    ] {
        let refused = set_up::set_up(&site, &wanted).unwrap_err();
        assert_eq!(refused.kind(), Kind::Validation, "{wanted:?}");
    }
    assert_eq!(site.current().catalog.revision, before);
}

#[test]
fn author_with_the_owners_address_becomes_the_owner() {
    let clock = std::sync::Arc::new(galley::clock::ManualClock::new(at(0)));
    let site = Site::open(Box::new(MemoryStore::new()), clock).unwrap();
    let author = User {
        email: Some("Owner@Example.com".into()),
        origin: "authors/grace.toml".into(),
        ..User::new(Id::derive("user", "grace"), "grace", "Grace", at(0))
    };
    site.write(|transaction| transaction.save(author.clone()))
        .unwrap();
    let owner = set_up::set_up(&site, &owner()).unwrap();
    assert_eq!((owner.id, owner.role), (author.id, Role::Owner));
    assert_eq!(&*owner.name, "Grace", "what the file says stays");
    assert_eq!(site.current().catalog.users.len(), 1);
}

#[test]
fn edit_of_the_set_up_saves_all_values_or_none() {
    let site = SignInSite::new(false);
    let actor = Actor::User {
        id: site.owner().id,
        role: Role::Owner,
        method: SignInMethod::Session,
    };
    let edit = |name: &str, title: &str| {
        let changes = UserChanges {
            name: Some(name.into()),
            ..UserChanges::default()
        };
        set_up::edit(
            &site.site,
            &actor,
            &changes,
            Some(title),
            None,
            owner().site,
        )
    };
    let values = || {
        let title = site.snapshot().catalog.settings.text("title").unwrap();
        (site.owner().name.to_string(), title)
    };
    let both = |name: &str, title: &str| (name.to_owned(), title.to_owned());
    edit("Grace", "First").unwrap();
    assert_eq!(values(), both("Grace", "First"));

    let title_of_file = [("title".to_owned(), "Of the file".into())];
    site.site
        .write(|transaction| transaction.replace_file_settings(title_of_file.clone().into()))
        .unwrap();

    let refused = edit("Mary", "Second").unwrap_err();
    assert_eq!(refused.kind(), Kind::Validation);
    assert_eq!(values(), both("Grace", "Of the file"));
    edit("Mary", "Of the file").unwrap();
    assert_eq!(values(), both("Mary", "Of the file"));
}
