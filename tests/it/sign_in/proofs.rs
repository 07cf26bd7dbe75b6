//! Tests that the credentials of a user become invalid with the events that must revoke them.

use galley::{
    admin::{
        accounts,
        authentication::AuthContext,
        codes,
        passwords::{self, NewPassword},
        security,
        sign_in::SignInOutcome,
        staff_tokens, user_deletion,
        users::{self, UserChanges},
    },
    domain::{
        actor::{Actor, SignInMethod},
        link_token,
        password::Password,
        password_reset::{PasswordResets, ResetToken},
        role::Role,
        secret::{Digest, Secret},
        user::UserStatus,
    },
    id::Id,
    store::Table,
};
use galley_tests::sign_in::{OWNER, PASSWORD, SignInSite, Visitor, address, mail_site};
use url::Url;

const NEW: &str = "An-0ther-phrase!";

/// All credentials of Ben except the password.
struct Proofs {
    session: Secret,
    /// The cookie and the code of an incomplete sign-in.
    awaiting: (Secret, String),
    reset: String,
    staff_secret: String,
}

struct Case {
    site: SignInSite,
    ben: Id,
}

impl Case {
    fn new() -> Self {
        let site = SignInSite::new(true);
        site.signed_in_cookie(&Visitor(9).unknown_browser(), OWNER.0, OWNER.1);
        let hash = Password::new(PASSWORD).hash().unwrap();
        let ben = site.add_user("ben", Role::Editor, &hash);
        Self { site, ben }
    }

    /// Signs Ben in up to the code, and returns the cookie and the code.
    fn begin(&self, visitor: Visitor) -> (Secret, String) {
        let visitor = visitor.unknown_browser();
        match self
            .site
            .sign_in(&visitor, &address("ben"), PASSWORD)
            .unwrap()
        {
            SignInOutcome::NeedsCode(cookie, _) => (cookie.secret, self.site.newest_mail()),
            other => panic!("{other:?}"),
        }
    }

    fn sign_in(&self, visitor: Visitor) -> Secret {
        let (secret, code) = self.begin(visitor);
        assert!(self.enter(visitor, &secret, &code));
        secret
    }

    fn enter(&self, visitor: Visitor, secret: &Secret, code: &str) -> bool {
        let entered = codes::verify(
            self.site.authentication(),
            &visitor.with(secret),
            None,
            code,
        );
        entered.unwrap().is_some()
    }

    fn actor(&self) -> Actor {
        Actor::User {
            id: self.ben,
            role: Role::Editor,
            method: SignInMethod::Session,
        }
    }

    fn gather(&self) -> Proofs {
        let session = self.sign_in(Visitor(1));
        let awaiting = self.begin(Visitor(2));
        self.site.clock.set(galley_tests::sign_in::at(1));
        let visitor = Visitor(3).unknown_browser();
        let authentication = self.site.authentication();
        passwords::send_reset(authentication, &visitor, &mail_site(), &address("ben")).unwrap();
        let link = self.site.newest_mail();
        let reset = link
            .strip_prefix("https://example.com/ghost/reset/")
            .unwrap();
        let token = staff_tokens::read(&self.site.site, &self.actor(), self.ben).unwrap();
        Proofs {
            session,
            awaiting,
            reset: reset.trim_end_matches('/').to_owned(),
            staff_secret: token.key.secret.to_string(),
        }
    }

    /// Returns the names of the valid credentials.
    fn valid(&self, proofs: &Proofs) -> Vec<&'static str> {
        let snapshot = self.site.snapshot();
        let is_known = |secret: &Secret| snapshot.catalog.sessions.get(&secret.digest()).is_some();
        let text = percent_encoding::percent_decode_str(&proofs.reset);
        let secret = link_token::secret_of(&text.decode_utf8().unwrap());
        let token = ResetToken::from_text(&secret).unwrap();
        let resets: Option<PasswordResets> = snapshot
            .read(Table::PasswordResets, self.ben.as_bytes())
            .unwrap();
        let now = self.site.site.now();
        let (cookie, code) = &proofs.awaiting;
        let all = [
            ("session", self.site.is_signed_in(&proofs.session)),
            ("known browser", is_known(&proofs.session)),
            ("code", self.enter(Visitor(2), cookie, code)),
            (
                "reset link",
                resets.is_some_and(|resets| resets.accept(&token, now)),
            ),
            (
                "staff token",
                snapshot.catalog.key_use(&proofs.staff_secret).is_some(),
            ),
        ];
        let valid = all.into_iter().filter(|(_, is_valid)| *is_valid);
        valid.map(|(name, _)| name).collect()
    }

    /// Edits Ben as the owner.
    fn edit(&self, changes: &UserChanges) {
        let owner = Actor::User {
            id: self.site.owner().id,
            role: Role::Owner,
            method: SignInMethod::Session,
        };
        self.edit_as(&owner, changes, None);
    }

    fn edit_as(&self, actor: &Actor, changes: &UserChanges, session: Option<Digest>) {
        let url: Url = "https://example.com".parse().unwrap();
        let site = &self.site.site;
        users::edit(site, actor, Some(self.ben), changes, session, &url).unwrap();
    }
}

fn new_password() -> NewPassword {
    NewPassword {
        password: Password::new(NEW),
        repeated: None,
    }
}

fn address_changed() -> UserChanges {
    UserChanges {
        email: Some(Some("ben@example.org".into())),
        ..UserChanges::default()
    }
}

const ALL: [&str; 5] = [
    "session",
    "known browser",
    "code",
    "reset link",
    "staff token",
];

#[test]
fn all_credentials_of_a_user_are_revoked_together() {
    type Event = fn(&Case);
    let events: [(&str, Event); 8] = [
        ("sign-out everywhere", |case| {
            accounts::sign_out(&case.site.site, "ben").unwrap();
        }),
        ("another address", |case| case.edit(&address_changed())),
        ("another role", |case| {
            case.edit(&UserChanges {
                role: Some(Role::Author),
                ..UserChanges::default()
            });
        }),
        ("suspension", |case| {
            for status in [UserStatus::Inactive, UserStatus::Active] {
                case.edit(&UserChanges {
                    status: Some(status),
                    ..UserChanges::default()
                });
            }
        }),
        ("password of the owner's choice", |case| {
            let visitor = Visitor(9).unknown_browser();
            let authentication = case.site.authentication();
            let actor = Actor::User {
                id: case.site.owner().id,
                role: Role::Owner,
                method: SignInMethod::Session,
            };
            let new = new_password();
            passwords::change(authentication, &visitor, &actor, case.ben, None, &new).unwrap();
        }),
        ("password of the operator's choice", |case| {
            let new = Password::new(NEW);
            let AuthContext {
                site, rate_limits, ..
            } = case.site.authentication();
            accounts::reset_password(site, rate_limits, "ben", &new).unwrap();
        }),
        ("reset of everything", |case| {
            security::reset_everything(&case.site.site, &Actor::Operator).unwrap();
        }),
        ("deletion", |case| {
            user_deletion::delete(&case.site.site, &Actor::Operator, Some(case.ben)).unwrap();
        }),
    ];

    let case = Case::new();
    let proofs = case.gather();
    // An edit of other fields revokes nothing.
    case.edit(&UserChanges {
        name: Some("Ben B".into()),
        ..UserChanges::default()
    });
    assert_eq!(case.valid(&proofs), ALL);
    for (name, event) in events {
        let case = Case::new();
        let proofs = case.gather();
        event(&case);
        assert_eq!(case.valid(&proofs), [""; 0], "{name}");
    }
}

#[test]
fn user_who_changes_their_address_keeps_the_current_session() {
    let case = Case::new();
    let proofs = case.gather();
    let here = case.sign_in(Visitor(4));
    let session = Some(here.digest());

    case.edit_as(&case.actor(), &address_changed(), session);

    assert!(case.site.is_signed_in(&here));
    assert_eq!(case.valid(&proofs), [""; 0]);
}

#[test]
fn address_change_by_another_user_ends_all_sessions() {
    let case = Case::new();
    let proofs = case.gather();
    let owner = Actor::User {
        id: case.site.owner().id,
        role: Role::Owner,
        method: SignInMethod::Session,
    };

    case.edit_as(&owner, &address_changed(), Some(proofs.session.digest()));

    assert_eq!(case.valid(&proofs), [""; 0]);
}

#[test]
fn global_reset_revokes_invites() {
    use galley::admin::invites::{self, Invitation};

    let case = Case::new();
    let site = &case.site.site;
    let invitation = Invitation {
        email: "eve@example.com",
        role: Role::Author,
    };
    invites::add(site, &Actor::Operator, invitation, &mail_site()).unwrap();
    let is_invited = || invites::is_invited(&site.current(), "eve@example.com", site).unwrap();
    assert!(is_invited());

    security::reset_everything(site, &Actor::Operator).unwrap();

    assert!(!is_invited());
}
