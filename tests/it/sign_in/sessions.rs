//! Tests of the lifetime of sessions.

use galley::{
    admin::{authentication::AuthContext, sessions},
    domain::session::SESSIONS_OF_USER_MAX,
    error::Kind,
    store::redb::RedbStore,
};

use super::world::{From, OWNER, World, at};

const DAY: i64 = 86_400;

#[test]
fn sign_out_ends_only_one_session() {
    let world = World::new(false);
    let here = world.let_in(&From(1).unknown_browser(), OWNER.0, OWNER.1);
    let there = world.let_in(&From(2).unknown_browser(), OWNER.0, OWNER.1);
    let authentication: AuthContext = world.authentication();
    sessions::sign_out(authentication, &From(1).with(&here.secret)).unwrap();
    assert!(!world.is_in(&here.secret) && world.is_in(&there.secret));
    let twice = sessions::sign_out(authentication, &From(1).with(&here.secret));
    assert_eq!(twice.err().unwrap().kind(), Kind::NoPermission);
}

#[test]
fn session_survives_a_restart_and_its_stored_hash_grants_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    let open = || Box::new(RedbStore::open(&path, 1 << 20).unwrap());
    let world = World::on(open(), false);
    let cookie = world.let_in(&From(1).unknown_browser(), OWNER.0, OWNER.1);
    drop(world);

    let stored = std::fs::read(&path).unwrap();
    let secret = cookie.secret.text().as_bytes();
    assert!(!stored.windows(secret.len()).any(|window| window == secret));
    assert!(World::on(open(), false).is_in(&cookie.secret));
}

#[test]
fn sessions_are_listed_by_last_use_and_ended_together() {
    let world = World::new(false);
    let first = world.let_in(&From(1).unknown_browser(), OWNER.0, OWNER.1);
    world.clock.set(at(10));
    let second = world.let_in(&From(2).unknown_browser(), OWNER.0, OWNER.1);
    world.clock.set(at(DAY));
    let owner = world.owner().id;
    let listed = |world: &World| -> Vec<_> {
        let sessions = sessions::browse(&world.site, owner);
        sessions.iter().map(|session| session.digest).collect()
    };
    assert_eq!(
        listed(&world),
        [second.secret.digest(), first.secret.digest()]
    );

    let session = world
        .snapshot()
        .catalog
        .sessions
        .get(&first.secret.digest())
        .unwrap()
        .clone();
    sessions::record_use(&world.site, &session).unwrap();
    assert_eq!(
        listed(&world),
        [first.secret.digest(), second.secret.digest()]
    );
    assert_eq!(
        &*sessions::browse(&world.site, owner)[0]
            .user_agent
            .clone()
            .unwrap(),
        "Lynx"
    );
}

#[test]
fn repeated_use_of_a_session_writes_nothing() {
    let world = World::new(false);
    let cookie = world.let_in(&From(1).unknown_browser(), OWNER.0, OWNER.1);
    let session = world
        .snapshot()
        .catalog
        .sessions
        .get(&cookie.secret.digest())
        .unwrap()
        .clone();
    let before = world.snapshot().catalog.revision;
    world.clock.set(at(DAY - 1));
    sessions::record_use(&world.site, &session).unwrap();
    assert_eq!(world.snapshot().catalog.revision, before);
}

#[test]
fn sessions_expire_after_half_a_year_and_are_limited_per_user() {
    let world = World::new(false);
    let first = world.let_in(&From(1).unknown_browser(), OWNER.0, OWNER.1);
    for second in 1..=SESSIONS_OF_USER_MAX as i64 {
        world.clock.set(at(second));
        world.let_in(&From(1).unknown_browser(), OWNER.0, OWNER.1);
    }
    assert!(!world.is_in(&first.secret));
    let owner = world.owner().id;
    assert_eq!(
        sessions::browse(&world.site, owner).len(),
        SESSIONS_OF_USER_MAX
    );

    world.clock.set(at(200 * DAY));
    assert!(sessions::browse(&world.site, owner).is_empty());
    world.let_in(&From(1).unknown_browser(), OWNER.0, OWNER.1);
    assert_eq!(world.snapshot().catalog.sessions.of(owner).count(), 1);
}
