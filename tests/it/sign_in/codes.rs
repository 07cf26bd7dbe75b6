//! Tests of sign-in codes.

use std::collections::BTreeMap;

use galley::{
    admin::{
        codes, sessions,
        sign_in::{CodeReason, SignInOutcome},
    },
    domain::{password::Password, role::Role, secret::Secret},
    error::Kind,
};
use serde_json::json;

use super::world::{From, OWNER, PASSWORD, World, address, at, mail_site};

/// A world with an author who has been here before.
fn world() -> World {
    let world = World::new(true);
    let hash = Password::new(PASSWORD).hash().unwrap();
    world.add_user("ben", Role::Author, &hash);
    world
}

/// Gives address and password, for which a code must be due.
fn ask(world: &World, from: From) -> Secret {
    match world
        .sign_in(&from.unknown_browser(), &address("ben"), PASSWORD)
        .unwrap()
    {
        SignInOutcome::NeedsCode(cookie, CodeReason::NewDevice) => cookie.secret,
        other => panic!("{other:?}"),
    }
}

fn verify(world: &World, from: From, secret: &Secret, code: &str) -> bool {
    codes::verify(world.authentication(), &from.with(secret), None, code)
        .unwrap()
        .is_some()
}

#[test]
fn new_browser_signs_in_with_a_code_and_is_trusted_afterwards() {
    let world = world();
    let secret = ask(&world, From(1));
    assert!(!world.is_in(&secret));
    assert!(verify(&world, From(1), &secret, &world.newest_mail()));
    assert!(world.is_in(&secret));

    let again = world.let_in(&From(1).with(&secret), &address("ben"), PASSWORD);
    assert!(
        !world.is_in(&secret),
        "the cookie from before is worth nothing"
    );
    let out = sessions::sign_out(world.authentication(), &From(1).with(&again.secret));
    let known = out.unwrap().expect("the browser stays known");
    assert!(!world.is_in(&known.secret));
    world.let_in(&From(1).with(&known.secret), &address("ben"), PASSWORD);
    assert_eq!(world.auth_mails(), 1);
}

#[test]
fn code_is_bound_to_the_requesting_browser() {
    let world = world();
    let mine = ask(&world, From(1));
    let code = world.newest_mail();
    world.clock.set(at(1));
    let yours = ask(&world, From(2));
    assert!(!verify(&world, From(2), &yours, &code));
    assert!(verify(&world, From(1), &mine, &code));
}

#[test]
fn reissued_code_invalidates_the_previous_one() {
    let world = world();
    let secret = ask(&world, From(1));
    let first = world.newest_mail();
    world.clock.set(at(1));
    codes::send_again(world.authentication(), &From(1).with(&secret), &mail_site()).unwrap();
    let second = world.newest_mail();
    if first != second {
        assert!(!verify(&world, From(1), &secret, &first));
    }
    assert!(verify(&world, From(1), &secret, &second));
}

#[test]
fn code_attempts_per_address_are_limited_to_five_an_hour() {
    let world = world();
    let secret = ask(&world, From(1));
    for _ in 0..5 {
        assert!(!verify(&world, From(1), &secret, "not a code"));
    }
    let refused = codes::verify(
        world.authentication(),
        &From(1).with(&secret),
        None,
        "not a code",
    );
    assert_eq!(refused.unwrap_err().kind(), Kind::TooManyRequests);
    let right = world.newest_mail();
    assert!(
        !verify(&world, From(2), &secret, &right),
        "five wrong ones void the code wherever they came from"
    );
}

#[test]
fn first_sign_in_needs_no_code() {
    let world = world();
    world.let_in(&From(1).unknown_browser(), OWNER.0, OWNER.1);
    assert_eq!(world.auth_mails(), 0);
    let second = world.sign_in(&From(1).unknown_browser(), OWNER.0, OWNER.1);
    assert!(matches!(second, Ok(SignInOutcome::NeedsCode(..))));
}

#[test]
fn required_two_factor_needs_a_code_at_each_sign_in() {
    let world = World::new(false);
    let wanted = BTreeMap::from([("require_email_mfa".to_owned(), json!(true))]);
    world
        .site
        .write_once(|change| change.edit_settings(wanted))
        .unwrap();
    for _ in 0..2 {
        let admission = world
            .sign_in(&From(1).unknown_browser(), OWNER.0, OWNER.1)
            .unwrap();
        let SignInOutcome::NeedsCode(cookie, CodeReason::TwoFactors) = admission else {
            panic!("{admission:?}");
        };
        let code = world.newest_mail();
        assert!(verify(&world, From(1), &cookie.secret, &code));
    }
}
