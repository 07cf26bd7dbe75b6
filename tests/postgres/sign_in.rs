//! Tests of rate limits while the database is unavailable.

use std::net::{IpAddr, Ipv4Addr};

use galley::{
    admin::{codes, rate_limits::RateLimits},
    domain::rate_limit::{RateLimitKey, WRONG_KEYS_MAX},
    error::Kind,
};
use galley_tests::{
    shared_store::SharedStore,
    sign_in::{OWNER, SignInSite, Visitor, at},
};

use crate::{server::Server, stores::PostgresStores};

#[test]
fn attempts_that_cannot_be_counted_are_refused() {
    let mut server = Server::start();
    let shared = PostgresStores::at(server.new_store());
    let site = SignInSite::on(shared.open(), false);
    server.stop();

    let visitor = Visitor(1).unknown_browser();
    let refused = site.sign_in(&visitor, OWNER.0, OWNER.1).err().unwrap();
    assert_eq!(
        (refused.kind(), refused.code_name()),
        (Kind::Maintenance, Some("STORE_UNAVAILABLE"))
    );
    let refused = codes::verify(site.authentication(), &visitor, None, "123456");
    assert_eq!(refused.err().unwrap().kind(), Kind::Maintenance);

    server.resume();
    site.signed_in_cookie(&visitor, OWNER.0, OWNER.1);
}

/// Readers with a valid key never wait for the database, and readers with an invalid key only rarely.
#[test]
fn wrong_keys_are_counted_in_memory() {
    let mut server = Server::start();
    let shared = PostgresStores::at(server.new_store());
    let site = SignInSite::on(shared.open(), false);
    let limits = RateLimits::default();
    let client = RateLimitKey::client(IpAddr::V4(Ipv4Addr::LOCALHOST));
    server.stop();

    for _ in 0..WRONG_KEYS_MAX {
        assert!(!limits.wrong_keys.is_refused(client, at(0)));
        limits.wrong_keys.record(client, &site.site);
    }

    assert!(limits.wrong_keys.is_refused(client, at(0)));
    assert!(limits.wrong_keys.follow_others(&site.site).is_err());
    server.resume();
    limits.wrong_keys.follow_others(&site.site).unwrap();
    assert!(limits.wrong_keys.is_refused(client, at(0)));
}
