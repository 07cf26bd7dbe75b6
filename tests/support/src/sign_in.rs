//! A site with users who sign in, whose clock the test sets.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::{Arc, LazyLock},
};

use galley::{
    admin::{
        auth_mails::MailSite,
        authentication::{AuthClient, AuthContext, Cookie},
        rate_limits::RateLimits,
        set_up::{self, SetUp},
        sign_in::{self, SignInOutcome, SignInRequest},
    },
    clock::ManualClock,
    domain::{
        credentials::Credentials, password::Password, role::Role, secret::Secret, session::Browser,
        user::User,
    },
    error::Result,
    id::Id,
    site::{Site, SiteSnapshot},
    store::{Store, memory::MemoryStore},
};
use jiff::Timestamp;
use url::Url;

/// The owner's e-mail address and password.
pub const OWNER: (&str, &str) = ("owner@example.com", "Sup3r-secret-pw!");

/// The password of all other users.
pub const PASSWORD: &str = "Author-Pa55-phrase";

const SITE: &str = "https://example.com";

/// The site, its rate limits and its clock.
pub struct SignInSite {
    /// The site.
    pub site: Site,
    /// Its clock.
    pub clock: Arc<ManualClock>,
    rate_limits: RateLimits,
    device_verification: bool,
}

/// A visitor, by the last byte of the IP address.
#[derive(Clone, Copy)]
pub struct Visitor(pub u8);

/// Returns the time `second` seconds after the site was created.
pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).unwrap()
}

impl SignInSite {
    /// Returns a site with an owner who has never signed in.
    pub fn new(device_verification: bool) -> Self {
        Self::on(Box::new(MemoryStore::new()), device_verification)
    }

    /// Returns such a site in `store`. The owner is created if there is none.
    pub fn on(store: Box<dyn Store>, device_verification: bool) -> Self {
        let clock = Arc::new(ManualClock::new(at(0)));
        let site = Site::open(store, clock.clone()).unwrap();
        let site = Self {
            site,
            clock,
            rate_limits: RateLimits::default(),
            device_verification,
        };
        if site.snapshot().catalog.owner().is_none() {
            set_up::set_up(&site.site, &owner()).unwrap();
        }
        site
    }

    /// Returns the current snapshot.
    pub fn snapshot(&self) -> Arc<SiteSnapshot> {
        Arc::clone(&self.site.current())
    }

    /// Returns the owner.
    pub fn owner(&self) -> Arc<User> {
        Arc::clone(self.snapshot().catalog.owner().unwrap())
    }

    /// Adds a user with this password hash who has signed in before.
    pub fn add_user(&self, slug: &str, role: Role, password_hash: &str) -> Id {
        let id = Id::derive("user", slug);
        self.site
            .write(|transaction| {
                transaction.save(User {
                    email: Some(address(slug).into()),
                    role,
                    last_seen: Some(at(-1)),
                    ..User::new(id, slug, slug, at(-1))
                })?;
                let password_hash = password_hash.into();
                transaction.save_credentials(id, &Credentials { password_hash })
            })
            .unwrap();
        id
    }

    /// Returns the context for sign-ins.
    pub fn authentication(&self) -> AuthContext<'_> {
        AuthContext {
            site: &self.site,
            rate_limits: &self.rate_limits,
            device_verification: self.device_verification,
        }
    }

    /// Signs in with a password.
    pub fn sign_in(
        &self,
        visitor: &AuthClient,
        email: &str,
        password: &str,
    ) -> Result<SignInOutcome> {
        let request = SignInRequest {
            email,
            password: &Password::new(password),
            code: None,
        };
        sign_in::sign_in(self.authentication(), visitor, &mail_site(), &request)
    }

    /// Signs in a user who needs no code, and returns the cookie.
    pub fn signed_in_cookie(&self, visitor: &AuthClient, email: &str, password: &str) -> Cookie {
        match self.sign_in(visitor, email, password).unwrap() {
            SignInOutcome::SignedIn(cookie) => cookie,
            other => panic!("{other:?}"),
        }
    }

    /// Returns whether a cookie belongs to a signed-in user.
    pub fn is_signed_in(&self, secret: &Secret) -> bool {
        let snapshot = self.snapshot();
        let session = snapshot.catalog.sessions.get(&secret.digest());
        session.is_some_and(|session| session.is_signed_in(self.site.now()))
    }

    /// Returns the code or the link in the newest queued mail.
    pub fn newest_mail(&self) -> String {
        let mut mails = self.snapshot().deliveries(100).unwrap();
        mails.sort_by_key(|mail| mail.queued_at);
        mails.last().unwrap().mail.essence.to_string()
    }

    /// Returns the number of queued mails.
    pub fn queued_mails(&self) -> usize {
        self.snapshot().deliveries(100).unwrap().len()
    }
}

/// Returns the set-up that creates the owner.
pub fn owner() -> SetUp<'static> {
    static OWNER_PASSWORD: LazyLock<Password> = LazyLock::new(|| Password::new(OWNER.1));
    static URL: LazyLock<Url> = LazyLock::new(|| SITE.parse().unwrap());
    SetUp {
        name: "Ada Owner",
        email: OWNER.0,
        password: &OWNER_PASSWORD,
        site_title: Some("Reference"),
        subdirectory: "",
        site: &URL,
    }
}

/// Returns the e-mail address of a user.
pub fn address(slug: &str) -> String {
    format!("{slug}@example.com")
}

/// Returns the site as it is named in mails.
pub fn mail_site() -> MailSite {
    MailSite {
        title: "Reference".to_owned(),
        url: format!("{SITE}/"),
        host: "example.com".to_owned(),
        staff_url: format!("{SITE}/ghost/"),
        ..MailSite::default()
    }
}

impl Visitor {
    /// Returns a client without a cookie.
    pub fn unknown_browser(self) -> AuthClient<'static> {
        AuthClient {
            client: IpAddr::V4(Ipv4Addr::new(192, 0, 2, self.0)),
            browser: Browser {
                origin: SITE.to_owned(),
                user_agent: Some("Lynx"),
            },
            cookie: None,
        }
    }

    /// Returns a client with this cookie.
    pub fn with(self, secret: &Secret) -> AuthClient<'static> {
        AuthClient {
            cookie: Some(secret.clone()),
            ..self.unknown_browser()
        }
    }
}
