//! Tests of password hashes, changes, and resets.

use std::thread;

use galley::{
    admin::{
        accounts,
        authentication::AuthContext,
        passwords::{self, NewPassword},
        security,
    },
    domain::{
        actor::{Actor, SignInMethod},
        credentials::Credentials,
        password::{Password, is_up_to_date},
        role::Role,
        user::{User, UserStatus},
    },
    error::Kind,
    id::Id,
    store::Table,
};
use galley_tests::sign_in::{OWNER, PASSWORD, SignInSite, Visitor, address, at, mail_site};

const NEW: &str = "An-0ther-phrase!";

fn new(password: &str) -> NewPassword {
    NewPassword {
        password: Password::new(password),
        repeated: Some(Password::new(password)),
    }
}

fn hash_of(site: &SignInSite, user: Id) -> String {
    let stored: Option<Credentials> = site
        .snapshot()
        .read(Table::Credentials, user.as_bytes())
        .unwrap();
    stored.unwrap().password_hash.into()
}

fn actor(site: &SignInSite, user: Id) -> Actor {
    Actor::User {
        id: user,
        role: site.snapshot().catalog.users.get(user).unwrap().role,
        method: SignInMethod::Session,
    }
}

/// Returns a site with a user of this role, whose password is stored with the current hash.
fn with_user(role: Role) -> (SignInSite, Id) {
    let site = SignInSite::new(false);
    let hash = Password::new(PASSWORD).hash().unwrap();
    let user = site.add_user("ben", role, &hash);
    (site, user)
}

/// Returns the token in the link of a password reset mail.
fn token(site: &SignInSite) -> String {
    let link = site.newest_mail();
    let token = link
        .strip_prefix("https://example.com/ghost/reset/")
        .unwrap();
    token.strip_suffix('/').unwrap().to_owned()
}

#[test]
fn password_is_stored_as_a_memory_hard_hash() {
    let (site, user) = with_user(Role::Author);

    // 19 MiB and two passes are the minimum that OWASP recommends for Argon2id.
    let expected = "$argon2id$v=19$m=19456,t=2,p=1$";
    assert!(hash_of(&site, user).starts_with(expected));
}

#[test]
fn imported_hash_is_upgraded_at_sign_in() {
    let site = SignInSite::new(false);
    let ben = site.add_user("ben", Role::Author, &bcrypt::hash(PASSWORD, 4).unwrap());
    assert!(
        site.sign_in(&Visitor(1).unknown_browser(), &address("ben"), "wrong")
            .is_err()
    );
    assert!(hash_of(&site, ben).starts_with("$2b$"));
    for _ in 0..2 {
        site.signed_in_cookie(&Visitor(1).unknown_browser(), &address("ben"), PASSWORD);
        assert!(is_up_to_date(&hash_of(&site, ben)));
    }
}

#[test]
fn password_change_ends_all_other_sessions() {
    let (site, ben) = with_user(Role::Author);
    let here = site.signed_in_cookie(&Visitor(1).unknown_browser(), &address("ben"), PASSWORD);
    let elsewhere = site.signed_in_cookie(&Visitor(2).unknown_browser(), &address("ben"), PASSWORD);
    let visitor = Visitor(1).with(&here.secret);
    let actor = actor(&site, ben);
    let change = |old: &str, new: &NewPassword| {
        let old = Password::new(old);
        passwords::change(
            site.authentication(),
            &visitor,
            &actor,
            ben,
            Some(&old),
            new,
        )
    };

    let wrong = change("wrong one", &new(NEW)).unwrap_err();
    assert_eq!(wrong.code_name(), Some("PASSWORD_INCORRECT"));
    let weak = change(PASSWORD, &new("aaaaaaaaaaaa")).unwrap_err();
    assert_eq!((weak.kind(), weak.code_name()), (Kind::Validation, None));
    let twisted = NewPassword {
        repeated: Some(Password::new("An-0ther-phrase?")),
        ..new(NEW)
    };
    assert_eq!(
        change(PASSWORD, &twisted).unwrap_err().kind(),
        Kind::Validation
    );
    assert!(site.is_signed_in(&here.secret) && site.is_signed_in(&elsewhere.secret));

    let cookie = change(PASSWORD, &new(NEW)).unwrap().unwrap();
    assert!(site.is_signed_in(&cookie.secret));
    assert!(!site.is_signed_in(&here.secret) && !site.is_signed_in(&elsewhere.secret));
    assert!(
        site.sign_in(&Visitor(1).unknown_browser(), &address("ben"), PASSWORD)
            .is_err()
    );
    site.signed_in_cookie(&Visitor(1).unknown_browser(), &address("ben"), NEW);
}

#[test]
fn old_password_changes_the_password_once() {
    let (site, ben) = with_user(Role::Author);
    let actor = actor(&site, ben);
    let change = |number: u8| {
        let old = Password::new(PASSWORD);
        passwords::change(
            site.authentication(),
            &Visitor(number).unknown_browser(),
            &actor,
            ben,
            Some(&old),
            &new(&format!("{NEW}{number}")),
        )
    };

    // All threads check the old password before the first one stores a new one.
    let outcomes: Vec<_> = thread::scope(|scope| {
        let changes: Vec<_> = (1..5)
            .map(|number| scope.spawn(move || change(number)))
            .collect();
        changes.into_iter().map(|one| one.join().unwrap()).collect()
    });

    let refusals: Vec<_> = outcomes
        .iter()
        .filter_map(|one| one.as_ref().err())
        .collect();
    assert_eq!(refusals.len(), 3);
    for refusal in refusals {
        assert_eq!(refusal.code_name(), Some("PASSWORD_INCORRECT"));
    }
}

#[test]
fn authorised_user_sets_another_password_without_the_old_one() {
    for (role, target_role, may) in [
        (Role::Owner, Role::Administrator, true),
        (Role::Administrator, Role::Editor, true),
        (Role::Administrator, Role::Owner, false),
        (Role::Editor, Role::Author, true),
        (Role::Editor, Role::Administrator, false),
        (Role::Author, Role::Contributor, false),
    ] {
        let (site, ben) = with_user(target_role);
        let hash = Password::new(PASSWORD).hash().unwrap();
        let eve = site.add_user("eve", role, &hash);
        let (actor, visitor) = (actor(&site, eve), Visitor(1).unknown_browser());
        let outcome = passwords::change(
            site.authentication(),
            &visitor,
            &actor,
            ben,
            None,
            &new(NEW),
        );
        if may {
            assert!(
                outcome.unwrap().is_none(),
                "{role:?} must not get a new session"
            )
        } else {
            assert_eq!(outcome.unwrap_err().kind(), Kind::NoPermission, "{role:?}")
        }
    }
}

#[test]
fn reset_link_works_once_and_signs_in() {
    let (site, _) = with_user(Role::Author);
    let before = site.signed_in_cookie(&Visitor(1).unknown_browser(), &address("ben"), PASSWORD);
    let visitor = Visitor(2).unknown_browser();
    passwords::send_reset(
        site.authentication(),
        &visitor,
        &mail_site(),
        "BEN@example.com",
    )
    .unwrap();
    let token = token(&site);

    let broken = passwords::reset(site.authentication(), &visitor, "bm9uc2Vuc2U", &new(NEW));
    assert_eq!(broken.unwrap_err().kind(), Kind::Unauthorized);
    let cookie = passwords::reset(site.authentication(), &visitor, &token, &new(NEW)).unwrap();
    assert!(site.is_signed_in(&cookie.secret) && !site.is_signed_in(&before.secret));
    let again = passwords::reset(
        site.authentication(),
        &visitor,
        &token,
        &new("New-phrase-2!"),
    );
    assert_eq!(again.unwrap_err().kind(), Kind::BadRequest);
    site.signed_in_cookie(&Visitor(2).unknown_browser(), &address("ben"), NEW);
}

#[test]
fn reset_link_expires_after_a_day_or_a_password_change() {
    let (site, ben) = with_user(Role::Author);
    let visitor = Visitor(1).unknown_browser();
    let send = || {
        passwords::send_reset(
            site.authentication(),
            &visitor,
            &mail_site(),
            &address("ben"),
        )
        .unwrap()
    };
    let is_good = |token: &str| {
        let outcome = passwords::reset(site.authentication(), &visitor, token, &new(NEW));
        outcome.is_ok()
    };
    send();
    let old = token(&site);
    site.clock.set(at(86_400));
    assert!(!is_good(&old));

    send();
    let voided = token(&site);
    let owner = actor(&site, site.owner().id);
    passwords::change(
        site.authentication(),
        &visitor,
        &owner,
        ben,
        None,
        &new("Chosen-by-0wner"),
    )
    .unwrap();
    assert!(!is_good(&voided));
}

#[test]
fn reset_mails_are_limited_to_five_an_hour_and_known_addresses() {
    let site = SignInSite::new(false);
    let send = |from: u8, email: &str| {
        passwords::send_reset(
            site.authentication(),
            &Visitor(from).unknown_browser(),
            &mail_site(),
            email,
        )
    };
    assert_eq!(
        send(1, "unknown@example.com").unwrap_err().kind(),
        Kind::NotFound
    );
    assert_eq!(
        send(1, "not an address").unwrap_err().kind(),
        Kind::BadRequest
    );
    for from in 1..6 {
        send(from, OWNER.0).unwrap();
    }
    assert_eq!(send(7, OWNER.0).unwrap_err().kind(), Kind::TooManyRequests);
    assert_eq!(site.queued_mails(), 5);
}

#[test]
fn global_reset_ends_sessions_rotates_keys_and_locks_passwords() {
    let (site, ben) = with_user(Role::Author);
    let suspended = site.add_user("eve", Role::Author, "");
    site.site
        .write(|transaction| {
            transaction.add_integration("Reader", None)?;
            let eve = transaction.catalog().users.get(suspended).unwrap();
            transaction.save(User {
                status: UserStatus::Inactive,
                ..User::clone(eve)
            })
        })
        .unwrap();
    let key = |site: &SignInSite| {
        let snapshot = site.snapshot();
        let integration = snapshot.catalog.integrations().next().unwrap();
        integration.admin_key_text()
    };
    let before = key(&site);
    let cookie = site.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    let owner = actor(&site, site.owner().id);

    let reset = security::reset_everything(&site.site, &owner).unwrap();
    assert_eq!((reset.keys, reset.users), (2, 2));
    assert!(!site.is_signed_in(&cookie.secret));
    assert_ne!(key(&site), before);
    let status = |user| site.snapshot().catalog.users.get(user).unwrap().status;
    assert_eq!(status(ben), UserStatus::Locked);
    assert_eq!(status(suspended), UserStatus::Inactive);

    let locked = site.sign_in(&Visitor(1).unknown_browser(), &address("ben"), PASSWORD);
    assert_eq!(locked.err().unwrap().kind(), Kind::PasswordResetRequired);
    let token = token(&site);
    passwords::reset(
        site.authentication(),
        &Visitor(1).unknown_browser(),
        &token,
        &new(NEW),
    )
    .unwrap();
    assert_eq!(status(ben), UserStatus::Active);
}

/// A change after which Ben, the user with this identifier, has the password [`NEW`].
type PasswordChange = fn(&SignInSite, Id);

const PASSWORD_CHANGES: [(&str, PasswordChange); 3] = [
    ("with a link", |site, _| {
        let (authentication, visitor) = (site.authentication(), Visitor(9).unknown_browser());
        passwords::send_reset(authentication, &visitor, &mail_site(), &address("ben")).unwrap();
        passwords::reset(authentication, &visitor, &token(site), &new(NEW)).unwrap();
    }),
    ("by the owner", |site, ben| {
        let (authentication, visitor) = (site.authentication(), Visitor(9).unknown_browser());
        let owner = actor(site, site.owner().id);
        passwords::change(authentication, &visitor, &owner, ben, None, &new(NEW)).unwrap();
    }),
    ("on the command line", |site, _| {
        let AuthContext {
            site, rate_limits, ..
        } = site.authentication();
        accounts::reset_password(site, rate_limits, "ben", &Password::new(NEW)).unwrap();
    }),
];

#[test]
fn new_password_ends_the_waits_of_its_account_only() {
    for (method, set) in PASSWORD_CHANGES {
        let (site, ben) = with_user(Role::Author);
        let attempt = |from: u8, email: &str, password: &str| {
            let visitor = Visitor(from).unknown_browser();
            let outcome = site.sign_in(&visitor, email, password);
            outcome.map(drop).map_err(|error| error.kind())
        };
        let ben_address = address("ben");
        for _ in 0..5 {
            assert_eq!(attempt(1, &ben_address, "wrong"), Err(Kind::Validation));
            assert_eq!(attempt(2, OWNER.0, "wrong"), Err(Kind::Validation));
        }
        for from in 10..35 {
            assert_eq!(attempt(from, &ben_address, "wrong"), Err(Kind::Validation));
        }
        for from in [1, 50] {
            let refused = attempt(from, &ben_address, PASSWORD);
            assert_eq!(refused, Err(Kind::TooManyRequests), "{method}");
        }

        set(&site, ben);

        for from in [1, 50] {
            assert_eq!(attempt(from, &ben_address, NEW), Ok(()), "{method}");
        }
        let refused = attempt(2, OWNER.0, OWNER.1);
        assert_eq!(refused, Err(Kind::TooManyRequests), "{method}");
    }
}
