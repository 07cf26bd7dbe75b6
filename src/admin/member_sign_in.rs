//! Signing up, signing in and changing an email address, with a link or a code sent by mail.
//!
//! Only the mail reveals whether an address belongs to a member: in both cases the response is the
//! same and one transaction is committed.

use std::{net::IpAddr, sync::Arc};

use jiff::SignedDuration;
use url::form_urlencoded;

use super::{
    auth_mails::MailSite,
    members::{newsletters_of_new_members, own},
    rate_limits::RateLimits,
};
use crate::{
    catalog::Catalog,
    domain::{
        OptionalText, email,
        identity_key::IdentityKey,
        mail::Mail,
        member::Member,
        member_event::EventSource,
        member_link::{self, LinkPurpose, MemberLinks, SIGN_IN_LIFETIME_S},
        member_token::{LABELS_MAX, LinkSecrets, MemberToken, code_proof, is_code_proof},
        rate_limit::RateLimitKey,
        secret::{Digest, Secret},
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{Site, Transaction},
};

/// Longest label name accepted from a request, in characters; longer ones are ignored.
const LABEL_CHARACTERS_MAX: usize = 191;

/// The parts of the site that requests for links use.
pub struct SignInContext<'a> {
    /// The site.
    pub site: &'a Site,
    /// The limits.
    pub rate_limits: &'a RateLimits,
    /// The URLs of the site.
    pub mail_site: &'a MailSite,
    /// The address of the requesting client.
    pub client: IpAddr,
}

/// A request for a link.
#[derive(Debug, Default)]
pub struct LinkRequest {
    /// The name of the requested purpose: `signin`, `signup` or `subscribe`.
    pub purpose: String,
    /// The address.
    pub email: String,
    /// The name of a new member.
    pub name: OptionalText,
    /// The labels of a new member.
    pub labels: Vec<Box<str>>,
    /// The names of the newsletters of a new member.
    pub newsletters: Option<Vec<String>>,
    /// The page to return to; a page of the site or of a listed origin.
    pub return_to: Option<String>,
    /// True if the requesting page accepts a code.
    pub takes_code: bool,
}

/// The result of opening a link or entering a code.
#[derive(Debug)]
pub struct SignedIn {
    /// The member.
    pub member: Arc<Member>,
    /// True if the member is new.
    pub is_new: bool,
}

/// Mails a link, and returns the reference of its code if the requesting page accepts codes.
///
/// # Errors
///
/// `BadRequest` if the address is invalid or not accepted, if sign-up is closed, or if a newsletter
/// does not exist; `TooManyRequests` beyond a limit.
pub fn request_link(context: &SignInContext, request: &LinkRequest) -> Result<Option<String>> {
    let now = context.site.now();
    let address = normal_address(&request.email)?;
    let Some(purpose) = LinkPurpose::from_name(&request.purpose) else {
        return Err(Error::new(
            Kind::BadRequest,
            "The type of the e-mail is unknown.",
        ));
    };
    // Before any step that depends on whether a member has the address.
    limit(context, &address)?;
    let snapshot = context.site.current();
    let catalog = &snapshot.catalog;
    let known = catalog.members.by_email(&address).cloned();
    let mut token = MemberToken {
        proof: known.as_deref().map(Member::proof),
        ..MemberToken::new(purpose, &address, now)
    };
    if purpose != LinkPurpose::SignIn {
        admit_sign_up(catalog, &address)?;
        token.name.clone_from(&request.name);
        let labels = request.labels.iter().filter(|label| {
            !label.trim().is_empty() && label.chars().count() <= LABEL_CHARACTERS_MAX
        });
        token.labels = labels.take(LABELS_MAX).cloned().collect();
        let newsletters = request.newsletters.as_deref();
        token.newsletters = newsletters
            .map(|names| newsletters_named(catalog, names))
            .transpose()?;
        // A member who signs up again gets a link to sign in; only the mail shows the difference.
        if known.is_some() {
            token.purpose = LinkPurpose::SignIn;
        }
    }
    let takes_code = request.takes_code;
    let is_mailed = known.is_some() || purpose != LinkPurpose::SignIn;
    // The mail goes to the stored spelling: local parts may be case-sensitive (RFC 5321).
    let to = known.as_ref().map_or(&*address, |known| &*known.email);
    // Prepared even if it is not sent, so that both cases do the same work.
    let (reference, mail) = prepare(context, catalog, &token, to, request, takes_code)?;
    save(
        context.site,
        catalog,
        &reference,
        &token,
        is_mailed.then_some(mail),
    )?;
    // Returned even if nothing is mailed, so that the response does not reveal members.
    Ok(takes_code.then_some(reference))
}

/// Mails a link that makes `email` the address of a member.
///
/// # Errors
///
/// `BadRequest` if the address is invalid or not accepted; `TooManyRequests` beyond a limit.
pub fn request_address(context: &SignInContext, member: &Member, email: &str) -> Result<()> {
    let now = context.site.now();
    let address = normal_address(email)?;
    let snapshot = context.site.current();
    let catalog = &snapshot.catalog;
    refuse_blocked(catalog, &address)?;
    limit(context, &address)?;
    let token = MemberToken {
        proof: Some(member.proof()),
        ..MemberToken::new(LinkPurpose::UpdateEmail, &address, now)
    };
    // If the address belongs to another member, no mail is sent, but the response is the same: it
    // must not reveal that the address is in use.
    let is_taken = catalog.members.by_email(&address).is_some();
    let request = LinkRequest::default();
    let (reference, mail) = prepare(context, catalog, &token, &address, &request, false)?;
    save(
        context.site,
        catalog,
        &reference,
        &token,
        (!is_taken).then_some(mail),
    )
}

/// Returns the sign-in URL for a client that entered the right code.
///
/// # Errors
///
/// `BadRequest` with the code `INVALID_OTC` if the code is wrong or has expired; `TooManyRequests`
/// beyond a limit.
pub fn enter_code(
    context: &SignInContext,
    reference: &str,
    code: &str,
    return_to: Option<&str>,
) -> Result<String> {
    let now = context.site.now();
    let limits = context.rate_limits;
    let client = RateLimitKey::client(context.client);
    limits.member_codes.spend(client, context.site)?;
    // Limited per mail as well: a code has few digits, and a client can change its IP address.
    let mail = RateLimitKey::Account(*Digest::of(reference).as_bytes());
    limits.member_codes_of_mail.spend(mail, context.site)?;
    let snapshot = context.site.current();
    let secret = secret_of(&snapshot.catalog)?;
    let secrets = LinkSecrets { secret, reference };
    let token = secrets.token();
    let requested = snapshot.member_token(&Digest::of(&token))?;
    let requested = requested.filter(|requested| {
        let is_valid = now < requested.code_expires_at();
        is_valid && secrets.is_code(code) && holder(&snapshot.catalog, requested).is_ok()
    });
    let wrong = || Error::new(Kind::BadRequest, "The code is wrong.").code("INVALID_OTC");
    let requested = requested.ok_or_else(wrong)?;
    let proof = code_proof(secret, &token, now);
    let url = link(context.mail_site, &token, requested.purpose, return_to);
    Ok(format!("{url}&otc_verification={}", encoded(&proof)))
}

/// Signs a member in with the token of a link. The token can be used several times within a few
/// minutes, or once with the `proof` that its code was entered.
///
/// # Errors
///
/// `Validation` with the code `INVALID_TOKEN` or `TOKEN_EXPIRED`.
pub fn redeem(site: &Site, token: &str, proof: Option<&str>) -> Result<SignedIn> {
    // Hexadecimal digits may be sent in upper case; the token is the same.
    let token = token.to_ascii_lowercase();
    let digest = Digest::of(&token);
    site.write(|transaction| {
        let now = transaction.now();
        let mut requested = match transaction.member_token(&digest)? {
            Some(requested) => requested,
            None => staff_link(transaction, &token)?,
        };
        check_use(transaction, &token, &mut requested, proof)?;
        let before = holder(transaction.catalog(), &requested)?;
        let mut member = match &before {
            Some(before) => before.at(now).into_owned(),
            None => new_member(transaction, &requested)?,
        };
        if requested.purpose == LinkPurpose::UpdateEmail {
            member.email.clone_from(&requested.email);
            // The suppression was about the previous address.
            member.email_suppression = None;
        }
        member.last_seen_at = Some(now);
        member.updated_at = transaction.now_after(member.updated_at);
        let id = member.id;
        transaction.record_member_change(before.as_deref(), &member, EventSource::Member)?;
        transaction.save_member(member)?;
        transaction.record_sign_in(id)?;
        let member = super::members::found(transaction.catalog(), Some(id))?;
        if proof.is_some() {
            transaction.delete_member_token(&digest);
        } else {
            // Store the current proof of the member: a new member or a changed address has a new
            // one, which the next use needs.
            requested.proof = Some(member.proof());
            transaction.save_member_token(&digest, &requested)?;
        }
        Ok(SignedIn {
            member,
            is_new: before.is_none(),
        })
    })
}

/// Returns the key that signs identity tokens of members.
///
/// # Errors
///
/// If the change cannot be committed.
pub fn identity_key(site: &Site) -> Result<Arc<IdentityKey>> {
    match &site.current().catalog.identity_key {
        Some(key) => Ok(Arc::clone(key)),
        None => site.write(Transaction::identity_key),
    }
}

/// Returns the secret that signs the links, cookies and tokens of members.
///
/// # Errors
///
/// `Internal` if the store has no secret, which cannot happen in an open site.
pub fn secret_of(catalog: &Catalog) -> Result<&Secret> {
    let secret = catalog.member_secret.as_ref();
    secret.ok_or_else(|| Error::new(Kind::Internal, "The site has no secret to sign links with."))
}

fn normal_address(text: &str) -> Result<String> {
    let address = text.trim();
    let invalid = || Error::new(Kind::BadRequest, "The e-mail address is invalid.");
    let (local, domain) = address.rsplit_once('@').ok_or_else(invalid)?;
    // Domains with similar-looking characters differ in this form.
    let domain = idna_domain(domain).ok_or_else(invalid)?;
    let address = format!("{local}@{domain}");
    email::is_address(&address)
        .then_some(address)
        .ok_or_else(invalid)
}

fn idna_domain(domain: &str) -> Option<String> {
    match url::Host::parse(domain).ok()? {
        url::Host::Domain(domain) => Some(domain),
        url::Host::Ipv4(_) | url::Host::Ipv6(_) => None,
    }
}

fn limit(context: &SignInContext, address: &str) -> Result<()> {
    let limits = context.rate_limits;
    let client = RateLimitKey::client(context.client);
    limits.member_links.spend(client, context.site)?;
    let account = RateLimitKey::account(address);
    limits.member_links_to_address.spend(account, context.site)
}

fn admit_sign_up(catalog: &Catalog, address: &str) -> Result<()> {
    let access = catalog.settings.text("members_signup_access");
    match access.as_deref() {
        Some("all") => refuse_blocked(catalog, address),
        Some("paid") => Err(Error::new(
            Kind::BadRequest,
            "This site accepts only paying members.",
        )),
        _ => Err(Error::new(
            Kind::BadRequest,
            "This site is invite-only: its staff adds members.",
        )),
    }
}

fn refuse_blocked(catalog: &Catalog, address: &str) -> Result<()> {
    let blocked = catalog.settings.get("blocked_email_domains");
    let mut blocked = blocked.as_array().into_iter().flatten();
    let domain = address.rsplit('@').next().unwrap_or_default();
    if blocked.any(|one| {
        one.as_str()
            .is_some_and(|one| one.eq_ignore_ascii_case(domain))
    }) {
        let message = "Addresses of this domain are not accepted.";
        return Err(Error::new(Kind::BadRequest, message));
    }
    Ok(())
}

fn newsletters_named(catalog: &Catalog, names: &[String]) -> Result<Vec<Id>> {
    let named = names
        .iter()
        .map(|name| match catalog.newsletters.named(name) {
            Some(newsletter) if newsletter.active => Ok(newsletter.id),
            Some(_) => Err(Error::new(
                Kind::BadRequest,
                format!("The newsletter \"{name}\" is archived."),
            )),
            None => Err(Error::new(
                Kind::BadRequest,
                "The request names a newsletter that does not exist.",
            )),
        });
    named.collect()
}

/// Returns a new reference, and the mail with its link.
fn prepare(
    context: &SignInContext,
    catalog: &Catalog,
    token: &MemberToken,
    to: &str,
    request: &LinkRequest,
    takes_code: bool,
) -> Result<(String, Mail)> {
    let reference = Secret::generate().map_err(Error::internal)?;
    let secrets = LinkSecrets {
        secret: secret_of(catalog)?,
        reference: reference.text(),
    };
    let return_to = request.return_to.as_deref();
    let url = link(
        context.mail_site,
        &secrets.token(),
        token.purpose,
        return_to,
    );
    let code = takes_code.then(|| secrets.code());
    let mut mail = context
        .mail_site
        .requested_link(to, token.purpose, &url, code.as_deref());
    let support = catalog.settings.support_address(&context.mail_site.host);
    mail.reply_to = Some(support.into());
    Ok((reference.text().to_owned(), mail))
}

fn save(
    site: &Site,
    catalog: &Catalog,
    reference: &str,
    token: &MemberToken,
    mail: Option<Mail>,
) -> Result<()> {
    let secret = secret_of(catalog)?;
    let digest = Digest::of(&LinkSecrets { secret, reference }.token());
    site.write(|transaction| {
        let token = MemberToken {
            links_ended: transaction.links_ended(&token.email)?,
            ..token.clone()
        };
        transaction.save_member_token(&digest, &token)?;
        match &mail {
            Some(mail) => transaction.send_mail(mail.clone()),
            None => Ok(()),
        }
    })
}

fn link(
    mail_site: &MailSite,
    token: &str,
    purpose: LinkPurpose,
    return_to: Option<&str>,
) -> String {
    let base = mail_site.url.trim_end_matches('/');
    let action = purpose.name();
    let return_to = return_to.map_or_else(String::new, |page| format!("&r={}", encoded(page)));
    format!("{base}/members/?token={token}&action={action}{return_to}")
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Checks and counts another use of a link. With `proof`, checks instead that its code was entered.
fn check_use(
    transaction: &Transaction,
    token: &str,
    requested: &mut MemberToken,
    proof: Option<&str>,
) -> Result<()> {
    let now = transaction.now();
    match proof {
        Some(proof) => {
            let secret = secret_of(transaction.catalog())?;
            if !is_code_proof(secret, token, proof, now) {
                return Err(invalid_token());
            }
            if requested.expires_at() <= now {
                return Err(expired_token());
            }
        }
        None => requested.uses = Some(requested.next_use(now).ok_or_else(expired_token)?),
    }
    // A link of a member is revoked by its proof (see `holder`). Without a member, the time at
    // which links to the address were revoked is compared instead.
    let ended = transaction.links_ended(&requested.email)?;
    if requested.proof.is_none() && ended.is_some() && ended != requested.links_ended {
        return Err(invalid_token());
    }
    Ok(())
}

/// Returns the member of a requested link; `None` for an address that no member has.
///
/// # Errors
///
/// `Validation` with the code `INVALID_TOKEN` if since the request the member was deleted or signed
/// out everywhere, or if the address now belongs to a member who has signed out everywhere.
fn holder(catalog: &Catalog, requested: &MemberToken) -> Result<Option<Arc<Member>>> {
    let members = &catalog.members;
    let (member, is_valid) = match requested.proof {
        Some(proof) => {
            let member = members.get(proof.member);
            let is_valid = member.is_some_and(|member| member.accepts(proof));
            (member, is_valid)
        }
        None => {
            let member = members.by_email(&requested.email);
            // The address had no member at the time of the request. A member who has signed out
            // everywhere since must not be signed in by this link.
            let is_valid = member.is_none_or(|member| member.proof().revocations == 0);
            (member, is_valid)
        }
    };
    is_valid.then(|| member.cloned()).ok_or_else(invalid_token)
}

/// Returns the token record of a link that was created by staff and has not been used yet.
fn staff_link(transaction: &Transaction, token: &str) -> Result<MemberToken> {
    let (member, until) = member_link::claims_of(token).ok_or_else(invalid_token)?;
    let catalog = transaction.catalog();
    let member = catalog.members.get(member).ok_or_else(invalid_token)?;
    let links = MemberLinks {
        base: "",
        secret: secret_of(catalog)?,
    };
    let purpose = links.purpose_of(member, token, transaction.now());
    let purpose = purpose.ok_or_else(invalid_token)?;
    // The URL contains only its expiry. The time of creation is derived from it, so that the record
    // of the link expires at the same time.
    let made_at = until - SignedDuration::from_secs(SIGN_IN_LIFETIME_S);
    Ok(MemberToken {
        proof: Some(member.proof()),
        ..MemberToken::new(purpose, &member.email, made_at)
    })
}

fn new_member(transaction: &mut Transaction, requested: &MemberToken) -> Result<Member> {
    if !matches!(
        requested.purpose,
        LinkPurpose::SignUp | LinkPurpose::Subscribe
    ) {
        return Err(invalid_token());
    }
    // Checked again, because sign-up may have been closed since the link was requested.
    admit_sign_up(transaction.catalog(), &requested.email)?;
    let now = transaction.now();
    let id = Id::generate(now).map_err(Error::internal)?;
    let mut member = Member::new(id, &requested.email, now);
    member.name.clone_from(&requested.name);
    let catalog = transaction.catalog();
    member.newsletters = match &requested.newsletters {
        Some(chosen) => {
            // The newsletters may have been archived or deleted since the link was requested.
            let mut chosen = own::named(catalog, chosen);
            chosen.retain(|newsletter| own::may_have(&member, newsletter));
            chosen.iter().map(|newsletter| newsletter.id).collect()
        }
        None => newsletters_of_new_members(catalog),
    };
    for label in &requested.labels {
        let known = transaction
            .catalog()
            .labels
            .named(label.trim())
            .map(|label| label.id);
        let label = match known {
            Some(label) => label,
            None => transaction.add_label(label)?.id,
        };
        if !member.labels.contains(&label) {
            member.labels.push(label);
        }
    }
    Ok(member)
}

fn invalid_token() -> Error {
    Error::new(Kind::Validation, "The link is invalid.").code("INVALID_TOKEN")
}

fn expired_token() -> Error {
    Error::new(
        Kind::Validation,
        "The link was used too often, or has expired.",
    )
    .code("TOKEN_EXPIRED")
}
