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
use galley_tests::sign_in::{OWNER, PASSWORD, SignInSite, Visitor, address, at, mail_site};
use serde_json::json;

/// Returns a site with an author who has signed in before.
fn site() -> SignInSite {
    let site = SignInSite::new(true);
    let hash = Password::new(PASSWORD).hash().unwrap();
    site.add_user("ben", Role::Author, &hash);
    site
}

/// Sends the address and password, after which a code must be required, and returns the cookie.
fn begin_sign_in(site: &SignInSite, visitor: Visitor) -> Secret {
    match site
        .sign_in(&visitor.unknown_browser(), &address("ben"), PASSWORD)
        .unwrap()
    {
        SignInOutcome::NeedsCode(cookie, CodeReason::NewDevice) => cookie.secret,
        other => panic!("{other:?}"),
    }
}

fn verify(site: &SignInSite, visitor: Visitor, secret: &Secret, code: &str) -> bool {
    codes::verify(site.authentication(), &visitor.with(secret), None, code)
        .unwrap()
        .is_some()
}

#[test]
fn new_browser_signs_in_with_a_code_and_is_trusted_afterwards() {
    let site = site();
    let secret = begin_sign_in(&site, Visitor(1));
    assert!(!site.is_signed_in(&secret));
    assert!(verify(&site, Visitor(1), &secret, &site.newest_mail()));
    assert!(site.is_signed_in(&secret));

    let again = site.signed_in_cookie(&Visitor(1).with(&secret), &address("ben"), PASSWORD);
    assert!(
        !site.is_signed_in(&secret),
        "the earlier cookie is no longer a session"
    );
    let out = sessions::sign_out(site.authentication(), &Visitor(1).with(&again.secret));
    let known = out.unwrap().expect("the browser remains known");
    assert!(!site.is_signed_in(&known.secret));
    site.signed_in_cookie(&Visitor(1).with(&known.secret), &address("ben"), PASSWORD);
    assert_eq!(site.queued_mails(), 1);
}

#[test]
fn code_is_bound_to_the_requesting_browser() {
    let site = site();
    let mine = begin_sign_in(&site, Visitor(1));
    let code = site.newest_mail();
    site.clock.set(at(1));
    let yours = begin_sign_in(&site, Visitor(2));
    assert!(!verify(&site, Visitor(2), &yours, &code));
    assert!(verify(&site, Visitor(1), &mine, &code));
}

#[test]
fn reissued_code_invalidates_the_previous_one() {
    let site = site();
    let secret = begin_sign_in(&site, Visitor(1));
    let first = site.newest_mail();
    site.clock.set(at(1));
    codes::send_again(
        site.authentication(),
        &Visitor(1).with(&secret),
        &mail_site(),
    )
    .unwrap();
    let second = site.newest_mail();
    if first != second {
        assert!(!verify(&site, Visitor(1), &secret, &first));
    }
    assert!(verify(&site, Visitor(1), &secret, &second));
}

#[test]
fn code_attempts_per_address_are_limited_to_five_an_hour() {
    let site = site();
    let secret = begin_sign_in(&site, Visitor(1));
    for _ in 0..5 {
        assert!(!verify(&site, Visitor(1), &secret, "not a code"));
    }
    let refused = codes::verify(
        site.authentication(),
        &Visitor(1).with(&secret),
        None,
        "not a code",
    );
    assert_eq!(refused.unwrap_err().kind(), Kind::TooManyRequests);
    let right = site.newest_mail();
    assert!(
        !verify(&site, Visitor(2), &secret, &right),
        "five wrong attempts invalidate the code for every client"
    );
}

#[test]
fn first_sign_in_needs_no_code() {
    let site = site();
    site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    assert_eq!(site.queued_mails(), 0);
    let second = site.sign_in(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    assert!(matches!(second, Ok(SignInOutcome::NeedsCode(..))));
}

#[test]
fn required_two_factor_needs_a_code_at_each_sign_in() {
    let site = SignInSite::new(false);
    let wanted = BTreeMap::from([("require_email_mfa".to_owned(), json!(true))]);
    site.site
        .write_once(|transaction| transaction.edit_settings(wanted))
        .unwrap();
    for _ in 0..2 {
        let admission = site
            .sign_in(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1)
            .unwrap();
        let SignInOutcome::NeedsCode(cookie, CodeReason::TwoFactors) = admission else {
            panic!("{admission:?}");
        };
        let code = site.newest_mail();
        assert!(verify(&site, Visitor(1), &cookie.secret, &code));
    }
}
