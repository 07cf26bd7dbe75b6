//! Rules for authentication by several processes that share a store: rate limits count the attempts of all processes,
//! and a token or code can be used only as often in all processes together as in one.

use std::net::{IpAddr, Ipv4Addr};

use galley::{
    admin::{
        codes,
        member_sign_in::{self, LinkRequest, SignInContext},
        passwords::{self, NewPassword},
        rate_limits::RateLimits,
        sessions,
        sign_in::SignInOutcome,
    },
    domain::{
        password::Password,
        rate_limit::{RateLimitKey, WRONG_KEYS_MAX},
    },
    error::{Error, Kind},
};

use crate::shared_store::SharedStore;
use crate::sign_in::{OWNER, SignInSite, Visitor, at, mail_site};

const NEW: &str = "An-0ther-phrase!";

/// Returns two processes with the owner, at the same time.
fn processes(shared: &dyn SharedStore, device_verification: bool) -> [SignInSite; 2] {
    let one = SignInSite::on(shared.open(), device_verification);
    [one, SignInSite::on(shared.open(), device_verification)]
}

fn guess(site: &SignInSite, visitor: Visitor, email: &str) -> Kind {
    let refused: Error = site
        .sign_in(&visitor.unknown_browser(), email, "a wrong guess")
        .err()
        .unwrap();
    refused.kind()
}

/// Sets a new password with the token of a link.
fn reset(site: &SignInSite, token: &str) -> Result<(), Kind> {
    let new = NewPassword {
        password: Password::new(NEW),
        repeated: Some(Password::new(NEW)),
    };
    let visitor = Visitor(7).unknown_browser();
    passwords::reset(site.authentication(), &visitor, token, &new)
        .map(drop)
        .map_err(|error| error.kind())
}

fn request_reset(site: &SignInSite, visitor: Visitor) -> Result<(), Kind> {
    let visitor = visitor.unknown_browser();
    passwords::send_reset(site.authentication(), &visitor, &mail_site(), OWNER.0)
        .map_err(|error| error.kind())
}

/// Returns the token in the latest mailed link for a new password.
fn reset_token(site: &SignInSite) -> String {
    let link = site.newest_mail();
    let token = link.strip_prefix("https://example.com/ghost/reset/");
    token.unwrap().strip_suffix('/').unwrap().to_owned()
}

pub fn guesses_at_two_processes_are_limited_as_at_one(shared: &dyn SharedStore) {
    let worlds = processes(shared, false);
    for number in 0..5 {
        let site = &worlds[number % 2];
        assert_eq!(guess(site, Visitor(1), OWNER.0), Kind::Validation);
    }
    for site in &worlds {
        let right = site.sign_in(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
        assert_eq!(right.err().unwrap().kind(), Kind::TooManyRequests);
    }
    // A process that starts later enforces the limit as well.
    let third = SignInSite::on(shared.open(), false);
    assert_eq!(guess(&third, Visitor(1), OWNER.0), Kind::TooManyRequests);
    third.signed_in_cookie(&Visitor(2).unknown_browser(), OWNER.0, OWNER.1);

    worlds[0].clock.set(at(600));
    worlds[0].signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
}

pub fn guesses_at_one_account_are_limited_in_all_processes(shared: &dyn SharedStore) {
    let worlds = processes(shared, false);
    for number in 0..30 {
        let site = &worlds[usize::from(number) % 2];
        assert_eq!(guess(site, Visitor(10 + number), OWNER.0), Kind::Validation);
    }
    for (site, visitor) in worlds.iter().zip([Visitor(50), Visitor(51)]) {
        assert_eq!(guess(site, visitor, OWNER.0), Kind::TooManyRequests);
    }
}

pub fn a_right_password_at_one_process_clears_the_guesses_at_another(shared: &dyn SharedStore) {
    let [one, other] = processes(shared, false);
    for _ in 0..3 {
        for _ in 0..4 {
            assert_eq!(guess(&one, Visitor(1), OWNER.0), Kind::Validation);
        }
        other.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    }
}

pub fn a_new_password_at_one_process_ends_the_waits_at_another(shared: &dyn SharedStore) {
    let [one, other] = processes(shared, false);
    for _ in 0..5 {
        assert_eq!(guess(&one, Visitor(1), OWNER.0), Kind::Validation);
    }
    assert_eq!(guess(&one, Visitor(1), OWNER.0), Kind::TooManyRequests);
    request_reset(&other, Visitor(2)).unwrap();

    reset(&other, &reset_token(&other)).unwrap();

    one.site.follow().unwrap();
    one.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, NEW);
}

pub fn codes_and_links_are_limited_in_all_processes(shared: &dyn SharedStore) {
    let worlds = processes(shared, false);
    let enter = |site: &SignInSite| {
        let visitor = Visitor(1).unknown_browser();
        codes::verify(site.authentication(), &visitor, None, "123456")
            .map(drop)
            .map_err(|error| error.kind())
    };
    let spend = |attempt: &dyn Fn(&SignInSite) -> Result<(), Kind>| {
        for number in 0..5 {
            assert_eq!(attempt(&worlds[number % 2]), Ok(()));
        }
        for site in &worlds {
            assert_eq!(attempt(site), Err(Kind::TooManyRequests));
        }
    };

    spend(&enter);
    spend(&|site| request_reset(site, Visitor(1)));
    let request = |site: &SignInSite, limits: &RateLimits| {
        request_link(site, limits, IpAddr::V4(Ipv4Addr::LOCALHOST))
    };
    let limits = [(); 2].map(|()| RateLimits::default());
    for number in 0..5 {
        request(&worlds[number % 2], &limits[number % 2]).unwrap();
    }
    for (site, limits) in worlds.iter().zip(&limits) {
        assert_eq!(request(site, limits), Err(Kind::TooManyRequests));
    }
}

pub fn a_client_with_wrong_keys_is_refused_by_all_processes(shared: &dyn SharedStore) {
    let worlds = processes(shared, false);
    let limits = [(); 2].map(|()| RateLimits::default());
    let client = |number| RateLimitKey::client(IpAddr::V4(Ipv4Addr::new(192, 0, 2, number)));
    for number in 0..WRONG_KEYS_MAX as usize {
        limits[number % 2]
            .wrong_keys
            .record(client(1), &worlds[number % 2].site);
    }
    // The last request was sent to the second process.
    assert!(limits[1].wrong_keys.is_refused(client(1), at(0)));

    for (site, limits) in worlds.iter().zip(&limits) {
        limits.wrong_keys.follow_others(&site.site).unwrap();
        assert!(limits.wrong_keys.is_refused(client(1), at(3599)));
        assert!(!limits.wrong_keys.is_refused(client(2), at(0)));
        assert!(!limits.wrong_keys.is_refused(client(1), at(3600)));
    }
}

pub fn a_link_for_a_password_works_at_one_process_once(shared: &dyn SharedStore) {
    let [one, other] = processes(shared, false);
    request_reset(&one, Visitor(1)).unwrap();
    other.site.follow().unwrap();
    let token = reset_token(&one);

    assert_eq!(reset(&one, &token), Ok(()));

    // The other process has not followed the store yet.
    assert!(reset(&other, &token).is_err());
    other.site.follow().unwrap();
    assert!(reset(&other, &token).is_err());
}

pub fn a_code_works_at_one_process_once(shared: &dyn SharedStore) {
    let [one, other] = processes(shared, true);
    one.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    other.site.follow().unwrap();
    let asked = one.sign_in(&Visitor(2).unknown_browser(), OWNER.0, OWNER.1);
    let SignInOutcome::NeedsCode(cookie, _) = asked.unwrap() else {
        panic!("no code was sent");
    };
    let code = one.newest_mail();
    other.site.follow().unwrap();
    let enter = |site: &SignInSite| {
        let visitor = Visitor(2).with(&cookie.secret);
        let entered = codes::verify(site.authentication(), &visitor, None, &code);
        entered.unwrap().is_some()
    };

    assert!(enter(&one));

    assert!(!enter(&other));
}

fn request_link(site: &SignInSite, rate_limits: &RateLimits, client: IpAddr) -> Result<(), Kind> {
    let context = SignInContext {
        site: &site.site,
        rate_limits,
        mail_site: &mail_site(),
        client,
    };
    let request = LinkRequest {
        purpose: "signup".to_owned(),
        email: "reader@example.com".to_owned(),
        ..LinkRequest::default()
    };
    member_sign_in::request_link(&context, &request)
        .map(drop)
        .map_err(|error| error.kind())
}

/// Requests a link to sign up, and returns its token.
fn requested_token(one: &SignInSite, other: &SignInSite) -> String {
    let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
    request_link(one, &RateLimits::default(), client).unwrap();
    other.site.follow().unwrap();
    let link = one.newest_mail();
    let (_, token) = link.split_once("token=").unwrap();
    token.split('&').next().unwrap().to_owned()
}

/// Opens a link. Returns whether the member is new, or the code of the error.
fn redeem(site: &SignInSite, token: &str) -> Result<bool, &'static str> {
    let redeemed = member_sign_in::redeem(&site.site, token, None);
    let outcome = redeemed.map(|signed_in| signed_in.is_new);
    outcome.map_err(|error| error.code_name().unwrap())
}

pub fn uses_of_a_link_of_a_member_are_counted_in_all_processes(shared: &dyn SharedStore) {
    let worlds = processes(shared, false);
    let token = requested_token(&worlds[0], &worlds[1]);

    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let uses = (0..20).map(|number| {
            let (site, token) = (&worlds[number % 2], &token);
            scope.spawn(move || redeem(site, token))
        });
        let uses: Vec<_> = uses.collect();
        uses.into_iter().map(|one| one.join().unwrap()).collect()
    });

    let number = |outcome| outcomes.iter().filter(|one| **one == outcome).count();
    assert_eq!(number(Ok(true)), 1, "{outcomes:?}");
    assert_eq!(number(Ok(false)), 6, "{outcomes:?}");
    assert_eq!(number(Err("TOKEN_EXPIRED")), 13, "{outcomes:?}");
}

pub fn a_link_of_a_member_ends_ten_minutes_after_its_first_use_at_any_process(
    shared: &dyn SharedStore,
) {
    let [one, other] = processes(shared, false);
    let token = requested_token(&one, &other);
    // A link that has not been opened is valid for a day.
    one.clock.set(at(80_000));
    other.clock.set(at(80_600));

    assert_eq!(redeem(&one, &token), Ok(true));
    assert_eq!(redeem(&other, &token), Ok(false));
    other.clock.set(at(80_601));
    assert_eq!(redeem(&other, &token), Err("TOKEN_EXPIRED"));
}

pub fn a_deleted_member_ends_the_links_at_all_processes(shared: &dyn SharedStore) {
    let [one, other] = processes(shared, false);
    let tokens = [(); 2].map(|()| requested_token(&one, &other));
    assert_eq!(redeem(&one, &tokens[0]), Ok(true));
    let member = one.snapshot().catalog.members.iter().next().unwrap().id;
    one.site
        .write(|transaction| transaction.delete_member(member))
        .unwrap();

    for (site, token) in [&one, &other, &one, &other]
        .into_iter()
        .zip(tokens.iter().cycle())
    {
        assert_eq!(redeem(site, token), Err("INVALID_TOKEN"));
    }
    // A repeated sign-up creates a new member.
    let token = requested_token(&other, &one);
    assert_eq!(redeem(&one, &token), Ok(true));
}

pub fn a_session_holds_in_all_processes_until_it_ends_in_one(shared: &dyn SharedStore) {
    let [one, other] = processes(shared, false);
    let cookie = one.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    other.site.follow().unwrap();
    assert!(other.is_signed_in(&cookie.secret));

    let visitor = Visitor(1).with(&cookie.secret);
    sessions::sign_out(other.authentication(), &visitor).unwrap();

    assert!(!other.is_signed_in(&cookie.secret));
    one.site.follow().unwrap();
    assert!(!one.is_signed_in(&cookie.secret));
}

pub fn a_new_password_ends_the_sessions_in_all_processes(shared: &dyn SharedStore) {
    let [one, other] = processes(shared, false);
    let cookie = one.signed_in_cookie(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    other.site.follow().unwrap();
    request_reset(&other, Visitor(2)).unwrap();
    reset(&other, &reset_token(&other)).unwrap();

    one.site.follow().unwrap();

    assert!(!one.is_signed_in(&cookie.secret));
    let former = one.sign_in(&Visitor(1).unknown_browser(), OWNER.0, OWNER.1);
    assert_eq!(former.err().unwrap().kind(), Kind::Validation);
}

/// Calls the macro `$tests` with the rules of a store that several processes share.
#[macro_export]
macro_rules! shared_sign_in_rules {
    ($tests:ident) => {
        $tests! { sign_in
            guesses_at_two_processes_are_limited_as_at_one
            guesses_at_one_account_are_limited_in_all_processes
            a_right_password_at_one_process_clears_the_guesses_at_another
            a_new_password_at_one_process_ends_the_waits_at_another
            codes_and_links_are_limited_in_all_processes
            a_client_with_wrong_keys_is_refused_by_all_processes
            a_link_for_a_password_works_at_one_process_once
            a_code_works_at_one_process_once
            uses_of_a_link_of_a_member_are_counted_in_all_processes
            a_link_of_a_member_ends_ten_minutes_after_its_first_use_at_any_process
            a_deleted_member_ends_the_links_at_all_processes
            a_session_holds_in_all_processes_until_it_ends_in_one
            a_new_password_ends_the_sessions_in_all_processes
        }
    };
}
