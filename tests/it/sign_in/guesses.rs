//! Tests of rate limits on password attempts.

use galley::{
    domain::{password::Password, role::Role},
    error::{Error, Kind},
};
use galley_tests::sign_in::{OWNER, PASSWORD, SignInSite, Visitor, address, at};

fn guess(site: &SignInSite, visitor: Visitor, email: &str) -> Kind {
    let refused: Error = site
        .sign_in(&visitor.unknown_browser(), email, "a wrong guess")
        .err()
        .unwrap();
    refused.kind()
}

#[test]
fn five_wrong_passwords_block_an_address_for_ten_minutes() {
    let site = SignInSite::new(false);
    for _ in 0..4 {
        assert_eq!(guess(&site, Visitor(1), OWNER.0), Kind::Validation);
    }
    assert_eq!(
        guess(&site, Visitor(1), "unknown@example.com"),
        Kind::NotFound
    );
    let right = site.sign_in(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    assert_eq!(right.err().unwrap().kind(), Kind::TooManyRequests);
    site.signed_in_cookie(&Visitor(2).unknown_browser(), OWNER.0, OWNER.1);

    site.clock.set(at(600));
    site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    assert_eq!(guess(&site, Visitor(1), OWNER.0), Kind::Validation);
}

#[test]
fn distributed_guessing_locks_the_account_except_for_known_devices() {
    let site = SignInSite::new(true);
    // The first sign-in of all makes the browser a known device.
    let home = site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    for number in 10..40 {
        assert_eq!(guess(&site, Visitor(number), OWNER.0), Kind::Validation);
    }
    assert_eq!(
        guess(&site, Visitor(40), "OWNER@example.com"),
        Kind::TooManyRequests
    );
    site.signed_in_cookie(&Visitor(1).with(&home.secret), OWNER.0, OWNER.1);
}

#[test]
fn existing_session_continues_during_a_lock() {
    let site = SignInSite::new(false);
    let cookie = site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    for _ in 0..6 {
        guess(&site, Visitor(1), OWNER.0);
    }
    assert!(site.is_signed_in(&cookie.secret));
}

/// An attacker signs in to an account of their own before the limit is reached.
#[test]
fn successful_sign_in_keeps_the_attempt_count_of_other_accounts() {
    let site = SignInSite::new(false);
    let hash = Password::new(PASSWORD).hash().unwrap();
    site.add_user("insider", Role::Contributor, &hash);
    for _ in 0..4 {
        assert_eq!(guess(&site, Visitor(1), OWNER.0), Kind::Validation);
        site.signed_in_cookie(&Visitor(1).unknown_browser(), &address("insider"), PASSWORD);
    }
    assert_eq!(guess(&site, Visitor(1), OWNER.0), Kind::Validation);
    assert_eq!(guess(&site, Visitor(1), OWNER.0), Kind::TooManyRequests);
}

/// The owner's sign-ins from another address must not help an attacker.
#[test]
fn successful_sign_in_keeps_the_attempt_count_of_other_addresses() {
    let site = SignInSite::new(false);
    for number in 10..40 {
        assert_eq!(guess(&site, Visitor(number), OWNER.0), Kind::Validation);
        if number < 39 {
            site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
        }
    }
    assert_eq!(guess(&site, Visitor(40), OWNER.0), Kind::TooManyRequests);
}

#[test]
fn successful_sign_in_resets_the_own_attempt_count() {
    let site = SignInSite::new(false);
    for _ in 0..3 {
        (0..4).for_each(|_| assert_eq!(guess(&site, Visitor(1), OWNER.0), Kind::Validation));
        site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    }
}
