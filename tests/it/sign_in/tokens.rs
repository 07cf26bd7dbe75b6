//! Tests of single-use tokens, and of staff API keys.

use galley::{
    admin::staff_tokens,
    domain::actor::{Actor, SignInMethod},
    error::Kind,
    id::Id,
    store::Table,
};
use galley_tests::sign_in::{SignInSite, at};

#[test]
fn token_id_is_single_use_and_dropped_after_expiry() {
    let site = SignInSite::new(false);
    let key = Id::derive("key", "a");
    let used = |name: &str, second: i64| {
        staff_tokens::use_once(&site.site, key, name, at(second)).unwrap()
    };
    assert!(used("a", 300) && !used("a", 300) && !used("a", 400));
    assert!(staff_tokens::use_once(&site.site, Id::derive("key", "b"), "a", at(300)).unwrap());

    for number in 0..200 {
        site.clock.set(at(number * 10));
        assert!(used(&format!("token {number}"), number * 10 + 300));
    }
    let mut stored = 0;
    site.snapshot()
        .visit(Table::UsedTokens, |_, _: jiff::Timestamp| {
            stored += 1;
            Ok(())
        })
        .unwrap();
    assert!(
        stored < 60,
        "{stored} token ids are stored, 30 of them valid"
    );
}

#[test]
fn key_is_readable_only_by_its_owner_and_a_new_secret_replaces_the_old() {
    let site = SignInSite::new(false);
    let owner = site.owner().id;
    let actor = |id| Actor::User {
        id,
        role: galley::domain::role::Role::Owner,
        method: SignInMethod::Session,
    };
    let first = staff_tokens::read(&site.site, &actor(owner), owner).unwrap();
    let again = staff_tokens::read(&site.site, &actor(owner), owner).unwrap();
    assert_eq!(first, again);
    let second = staff_tokens::refresh(&site.site, &actor(owner), owner).unwrap();
    assert_eq!(first.key.id, second.key.id);
    assert_ne!(first.key.secret, second.key.secret);
    assert!(site.snapshot().catalog.key_use(&first.key.secret).is_none());
    for other in [
        actor(Id::derive("user", "eve")),
        Actor::Integration {
            id: owner,
            scope: Default::default(),
        },
        Actor::Operator,
    ] {
        let refused = staff_tokens::read(&site.site, &other, owner).unwrap_err();
        assert_eq!(refused.kind(), Kind::NoPermission);
    }
}
