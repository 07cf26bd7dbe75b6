//! Properties of the cookies and tokens of people: a credential that was not issued grants nothing; an issued one
//! grants nothing once a single character is changed; a sign-in link works seven times.

use std::sync::LazyLock;

use galley::{
    admin::member_sign_in::secret_of,
    api::Api,
    domain::{
        member::Member,
        member_link::{LinkPurpose, MemberLinks, unsubscribe_key},
        member_session::MemberSession,
        member_token::LINK_USES_MAX,
        secret::Secret,
        session::{Browser, Session, SessionState},
        user::{User, UserStatus},
    },
    id::Id,
    site::Transaction,
};
use http::{Method, StatusCode, header};
use jiff::Timestamp;
use serde_json::json;

use super::small_site::{self, NOW, SmallSite, URL};

/// Placeholder in an input for an issued credential, which no input can contain.
const ISSUED: &str = "ISSUED";

/// Placeholder in an input for the second part of the credential: the signature of a cookie.
const SIGNATURE: &str = "SIGNATURE";

/// The kinds of credentials. The first byte of an input chooses one; the rest is sent as the credential.
const KINDS: [Credential; 6] = [
    Credential::StaffCookie,
    Credential::MemberCookie,
    Credential::SignInLink,
    Credential::UnsubscribeKey,
    Credential::IdentityToken,
    Credential::IntegrityToken,
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Credential {
    StaffCookie,
    MemberCookie,
    SignInLink,
    UnsubscribeKey,
    IdentityToken,
    IntegrityToken,
}

/// A site with a signed-in user and a signed-in member.
struct Fixture {
    site: SmallSite,
    api: Api,
    staff_secret: Secret,
    member: Member,
    identity_token: String,
    integrity_token: String,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let site = SmallSite::with_content();
    let now = Timestamp::from_second(NOW).unwrap();
    let snapshot = site.site.current();
    let catalog = &snapshot.catalog;
    let mut user = User::clone(catalog.users.iter().next().unwrap());
    user.status = UserStatus::Active;
    let newsletter = catalog.newsletters.iter().next().unwrap().id;
    let mut member = Member::new(Id::derive("member", "ana"), "ana@example.com", now);
    member.newsletters = vec![newsletter];
    let staff_secret = Secret::generate().unwrap();
    let browser = Browser {
        origin: URL.to_owned(),
        user_agent: None,
    };
    let session = Session::begin(
        &staff_secret,
        user.id,
        &browser,
        SessionState::SignedIn,
        now,
    );
    let session = session.unwrap();
    site.site
        .write(|transaction| {
            transaction.save(user.clone())?;
            transaction.save_session(session.clone())?;
            transaction.save_member(member.clone())
        })
        .unwrap();
    let api = site.api();
    let mut fixture = Fixture {
        site,
        api,
        staff_secret,
        member,
        identity_token: String::new(),
        integrity_token: String::new(),
    };
    fixture.identity_token = fixture.read("/members/api/session/", &fixture.member_cookie());
    fixture.integrity_token = fixture.read("/members/api/integrity-token/", "");
    fixture
});

/// Panics unless these properties hold for a credential.
pub fn check(input: &[u8]) {
    let Some((kind, rest)) = input.split_first() else {
        return;
    };
    let kind = KINDS[usize::from(*kind) % KINDS.len()];
    let Ok(text) = str::from_utf8(rest) else {
        return;
    };
    let fixture = &*FIXTURE;
    let (issued, signature) = fixture.issued(kind);
    let with =
        |issued: &str, signature: &str| text.replace(ISSUED, issued).replace(SIGNATURE, signature);
    let sent = with(&issued, &signature);
    if !fixture.accepts(kind, &sent) {
        return;
    }
    assert!(
        text.contains(ISSUED),
        "a {kind:?} that was not issued was accepted: {text:?}"
    );
    if kind == Credential::SignInLink {
        let capital = with(&capital_key(&issued), &signature);
        let forms = [&sent, &capital].into_iter().cycle();
        for link in forms.clone().take(usize::from(LINK_USES_MAX) - 1) {
            assert!(fixture.accepts(kind, link), "a link expired early: {link}");
        }
        for spent in forms.take(2) {
            assert!(
                !fixture.accepts(kind, spent),
                "a link worked too often: {spent}"
            );
        }
    }
    let index = input.iter().map(|byte| usize::from(*byte)).sum();
    let (issued, signature) = match fixture.issued(kind) {
        (issued, signature) if index % 2 == 1 && !signature.is_empty() => {
            (issued, corrupted(&signature, index))
        }
        (issued, signature) => (corrupted(&issued, index), signature),
    };
    let forged = with(&issued, &signature);
    assert!(
        !fixture.accepts(kind, &forged),
        "a changed {kind:?} was accepted: {forged}"
    );
}

/// Returns the same token with the hexadecimal digits of its key in upper case.
fn capital_key(token: &str) -> String {
    let (claims, key) = token.rsplit_once('-').unwrap();
    format!("{claims}-{}", key.to_uppercase())
}

/// Returns the credential with the character at `index`, modulo its length, changed.
fn corrupted(issued: &str, index: usize) -> String {
    let index = index % issued.len();
    let other = match issued.as_bytes()[index] {
        b'0'..=b'8' | b'a'..=b'e' | b'A'..=b'Y' => issued.as_bytes()[index] + 1,
        _ => b'5',
    };
    format!(
        "{}{}{}",
        &issued[..index],
        char::from(other),
        &issued[index + 1..]
    )
}

impl Fixture {
    /// Returns a valid credential of this kind and its second part, which may be empty.
    fn issued(&self, kind: Credential) -> (String, String) {
        let snapshot = self.site.site.current();
        let secret = secret_of(&snapshot.catalog).unwrap();
        let one_part = |issued: &str| (issued.to_owned(), String::new());
        match kind {
            Credential::StaffCookie => one_part(self.staff_secret.text()),
            Credential::MemberCookie => {
                let now = Timestamp::from_second(NOW).unwrap();
                let session = MemberSession::new(&self.member, now);
                (session.to_string(), session.signature(secret))
            }
            Credential::SignInLink => {
                let links = MemberLinks { base: "", secret };
                let made_at = NOW + i64::from(small_site::new_client().to_bits() % (1 << 26));
                let made_at = Timestamp::from_second(made_at).unwrap();
                let link = links.sign_in(&self.member, LinkPurpose::SignIn, made_at);
                let token = link.split(['=', '&']).nth(1).unwrap();
                one_part(token)
            }
            Credential::UnsubscribeKey => {
                one_part(&unsubscribe_key(secret, self.member.uuid).to_hexadecimal())
            }
            Credential::IdentityToken => one_part(&self.identity_token),
            Credential::IntegrityToken => one_part(&self.integrity_token),
        }
    }

    fn member_cookie(&self) -> String {
        let (value, signature) = self.issued(Credential::MemberCookie);
        format!("ghost-members-ssr={value}; ghost-members-ssr.sig={signature}")
    }

    /// Returns the body of the response to a request with this cookie.
    fn read(&self, target: &str, cookie: &str) -> String {
        let cookie = (header::COOKIE, cookie.as_bytes());
        let client = small_site::new_client();
        let response = small_site::ask(&self.api, client, Method::GET, target, Some(cookie));
        String::from_utf8(small_site::body(response.unwrap()).to_vec()).unwrap()
    }

    /// Whether a request with this credential is authenticated as the person to whom it was issued.
    fn accepts(&self, kind: Credential, text: &str) -> bool {
        let field = |name| [(name, text.as_bytes())];
        let status = |method, target: &str, fields: &[_], body: &[u8]| {
            let client = small_site::new_client();
            let response = small_site::send(&self.api, client, method, target, fields, body);
            let status = response.map(|response| response.status.as_u16());
            assert!(
                status.is_none_or(|status| status < 500),
                "{status:?} {target} {text:?}"
            );
            status
        };
        match kind {
            Credential::StaffCookie => {
                let target = "/ghost/api/admin/users/me/";
                status(Method::GET, target, &field(header::COOKIE), &[]) == Some(200)
            }
            Credential::MemberCookie => {
                let target = "/members/api/member/";
                status(Method::GET, target, &field(header::COOKIE), &[]) == Some(200)
            }
            Credential::IdentityToken => {
                let target = "/members/api/member/";
                status(Method::GET, target, &field(header::AUTHORIZATION), &[]) == Some(200)
            }
            Credential::SignInLink => self.signs_in(text),
            Credential::UnsubscribeKey => {
                let uuid = self.member.uuid;
                let target = format!("/unsubscribe/?uuid={uuid}&key={text}");
                status(Method::POST, &target, &[], b"List-Unsubscribe=One-Click");
                self.was_unsubscribed()
            }
            Credential::IntegrityToken => {
                let body =
                    json!({"email": "a@example.com", "honeypot": "x", "integrityToken": text});
                let kind = (header::CONTENT_TYPE, &b"application/json"[..]);
                let target = "/members/api/send-magic-link/";
                let body = body.to_string();
                status(Method::POST, target, &[kind], body.as_bytes()) == Some(201)
            }
        }
    }

    fn signs_in(&self, token: &str) -> bool {
        let target = format!("/members/?token={token}&action=signin");
        let client = small_site::new_client();
        let Some(response) = small_site::ask(&self.api, client, Method::GET, &target, None) else {
            return false;
        };
        let is_readable = response.status != StatusCode::BAD_REQUEST;
        assert!(!is_readable || response.status == StatusCode::FOUND);
        response.headers.get(&header::SET_COOKIE).is_some()
    }

    /// Whether the member has no newsletters any more. Subscribes the member again in this case.
    fn was_unsubscribed(&self) -> bool {
        let snapshot = self.site.site.current();
        let current = snapshot.catalog.members.get(self.member.id).unwrap();
        let was_unsubscribed = current.newsletters.is_empty();
        if was_unsubscribed {
            let save = |transaction: &mut Transaction| transaction.save_member(self.member.clone());
            self.site.site.write(save).unwrap();
        }
        was_unsubscribed
    }
}
