//! Guessing passwords: how often, and who is kept from it.

use galley::{
    domain::{password::Password, role::Role},
    error::{Error, Kind},
};

use super::world::{From, OWNER, PASSWORD, World, address, at};

fn guess(world: &World, from: From, email: &str) -> Kind {
    let refused: Error = world
        .sign_in(&from.stranger(), email, "a wrong guess")
        .err()
        .unwrap();
    refused.kind()
}

#[test]
fn after_five_wrong_guesses_an_address_waits_for_ten_minutes() {
    let world = World::new(false);
    for _ in 0..4 {
        assert_eq!(guess(&world, From(1), OWNER.0), Kind::Validation);
    }
    assert_eq!(guess(&world, From(1), "nobody@example.com"), Kind::NotFound);
    let right = world.sign_in(&From(1).stranger(), OWNER.0, OWNER.1);
    assert_eq!(right.err().unwrap().kind(), Kind::TooManyRequests);
    world.let_in(&From(2).stranger(), OWNER.0, OWNER.1);

    world.clock.set(at(600));
    world.let_in(&From(1).stranger(), OWNER.0, OWNER.1);
    assert_eq!(guess(&world, From(1), OWNER.0), Kind::Validation);
}

#[test]
fn an_account_that_many_addresses_guess_at_is_kept_for_those_whom_it_knows() {
    let world = World::new(true);
    // The first sign-in of all: the browser is known from then on.
    let home = world.let_in(&From(1).stranger(), OWNER.0, OWNER.1);
    for stranger in 10..40 {
        assert_eq!(guess(&world, From(stranger), OWNER.0), Kind::Validation);
    }
    assert_eq!(
        guess(&world, From(40), "OWNER@example.com"),
        Kind::TooManyRequests
    );
    world.let_in(&From(1).with(&home.secret), OWNER.0, OWNER.1);
}

#[test]
fn one_who_is_signed_in_goes_on_while_others_wait() {
    let world = World::new(false);
    let cookie = world.let_in(&From(1).stranger(), OWNER.0, OWNER.1);
    for _ in 0..6 {
        guess(&world, From(1), OWNER.0);
    }
    assert!(world.is_in(&cookie.secret));
}

/// Guessing at others, with a good sign-in to one's own account before the count is full.
#[test]
fn good_sign_in_does_not_reset_the_count_of_guesses_at_other_accounts() {
    let world = World::new(false);
    let hash = Password::new(PASSWORD).hash().unwrap();
    world.add_user("insider", Role::Contributor, &hash);
    for _ in 0..4 {
        assert_eq!(guess(&world, From(1), OWNER.0), Kind::Validation);
        world.let_in(&From(1).stranger(), &address("insider"), PASSWORD);
    }
    assert_eq!(guess(&world, From(1), OWNER.0), Kind::Validation);
    assert_eq!(guess(&world, From(1), OWNER.0), Kind::TooManyRequests);
}

/// The owner signs in from elsewhere all the time, which must not help who guesses.
#[test]
fn owners_sign_in_does_not_reset_the_count_of_guesses_from_elsewhere() {
    let world = World::new(false);
    for stranger in 10..40 {
        assert_eq!(guess(&world, From(stranger), OWNER.0), Kind::Validation);
        if stranger < 39 {
            world.let_in(&From(1).stranger(), OWNER.0, OWNER.1);
        }
    }
    assert_eq!(guess(&world, From(40), OWNER.0), Kind::TooManyRequests);
}

#[test]
fn who_types_the_own_password_wrong_and_then_right_starts_anew() {
    let world = World::new(false);
    for _ in 0..3 {
        (0..4).for_each(|_| assert_eq!(guess(&world, From(1), OWNER.0), Kind::Validation));
        world.let_in(&From(1).stranger(), OWNER.0, OWNER.1);
    }
}
