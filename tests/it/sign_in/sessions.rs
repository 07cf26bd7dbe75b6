//! Tests of the lifetime of sessions.

use galley::{
    admin::{authentication::AuthContext, sessions},
    domain::session::SESSIONS_OF_USER_MAX,
    error::Kind,
    store::redb::RedbStore,
};
use galley_tests::sign_in::{OWNER, SignInSite, Visitor, at};

const DAY: i64 = 86_400;

#[test]
fn sign_out_ends_only_one_session() {
    let site = SignInSite::new(false);
    let here = site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    let there = site.signed_in_cookie(&Visitor(2).unknown_browser(), OWNER.0, OWNER.1);
    let authentication: AuthContext = site.authentication();
    sessions::sign_out(authentication, &Visitor(1).with(&here.secret)).unwrap();
    assert!(!site.is_signed_in(&here.secret) && site.is_signed_in(&there.secret));
    let twice = sessions::sign_out(authentication, &Visitor(1).with(&here.secret));
    assert_eq!(twice.err().unwrap().kind(), Kind::NoPermission);
}

#[test]
fn session_survives_a_restart_and_its_stored_hash_grants_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    let open = || Box::new(RedbStore::open(&path, 1 << 20).unwrap());
    let site = SignInSite::on(open(), false);
    let cookie = site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    drop(site);

    let stored = std::fs::read(&path).unwrap();
    let secret = cookie.secret.text().as_bytes();
    assert!(!stored.windows(secret.len()).any(|window| window == secret));
    assert!(SignInSite::on(open(), false).is_signed_in(&cookie.secret));
}

#[test]
fn sessions_are_listed_by_last_use_and_ended_together() {
    let site = SignInSite::new(false);
    let first = site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    site.clock.set(at(10));
    let second = site.signed_in_cookie(&Visitor(2).unknown_browser(), OWNER.0, OWNER.1);
    site.clock.set(at(DAY));
    let owner = site.owner().id;
    let listed = |site: &SignInSite| -> Vec<_> {
        let sessions = sessions::browse(&site.site, owner);
        sessions.iter().map(|session| session.digest).collect()
    };
    assert_eq!(
        listed(&site),
        [second.secret.digest(), first.secret.digest()]
    );

    let session = site
        .snapshot()
        .catalog
        .sessions
        .get(&first.secret.digest())
        .unwrap()
        .clone();
    sessions::record_use(&site.site, &session).unwrap();
    assert_eq!(
        listed(&site),
        [first.secret.digest(), second.secret.digest()]
    );
    assert_eq!(
        &*sessions::browse(&site.site, owner)[0]
            .user_agent
            .clone()
            .unwrap(),
        "Lynx"
    );
}

#[test]
fn repeated_use_of_a_session_writes_nothing() {
    let site = SignInSite::new(false);
    let cookie = site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    let session = site
        .snapshot()
        .catalog
        .sessions
        .get(&cookie.secret.digest())
        .unwrap()
        .clone();
    let before = site.snapshot().catalog.revision;
    site.clock.set(at(DAY - 1));
    sessions::record_use(&site.site, &session).unwrap();
    assert_eq!(site.snapshot().catalog.revision, before);
}

#[test]
fn sessions_expire_after_half_a_year_and_are_limited_per_user() {
    let site = SignInSite::new(false);
    let first = site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    for second in 1..=SESSIONS_OF_USER_MAX as i64 {
        site.clock.set(at(second));
        site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    }
    assert!(!site.is_signed_in(&first.secret));
    let owner = site.owner().id;
    assert_eq!(
        sessions::browse(&site.site, owner).len(),
        SESSIONS_OF_USER_MAX
    );

    site.clock.set(at(200 * DAY));
    assert!(sessions::browse(&site.site, owner).is_empty());
    site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    assert_eq!(site.snapshot().catalog.sessions.of(owner).count(), 1);
}
