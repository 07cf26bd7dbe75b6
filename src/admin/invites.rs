//! Invites to the staff: sent by mail, accepted with the link in the mail (rules as recorded from
//! Ghost 6.65).

use std::sync::Arc;

use super::{
    auth_mails::MailSite,
    collection::{self, Collection},
    users,
};
use crate::{
    domain::{
        action::ActionEvent,
        actor::{Actor, SignInMethod},
        credentials::Credentials,
        email,
        invite::{GOOD_FOR, INVITES_ADD, Invite},
        link_token,
        password::Password,
        password_strength::{self, Chooser},
        role::Role,
        secret::Secret,
        user::User,
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{EditableRecord, Site, SiteSnapshot, Transaction},
    store::Table,
};

/// A new invite.
#[derive(Clone, Copy, Debug)]
pub struct Invitation<'a> {
    /// The email address of the invited person.
    pub email: &'a str,
    /// The role.
    pub role: Role,
}

/// Invites a person by mail. Earlier invites to the same address are revoked.
///
/// # Errors
///
/// `Validation` for an invalid address, and with the code `USER_ALREADY_REGISTERED` for the address
/// of a user; `NoPermission` if the actor may not assign the role.
pub fn add(
    site: &Site,
    actor: &Actor,
    invitation: Invitation,
    mail_site: &MailSite,
) -> Result<Arc<Invite>> {
    let right = INVITES_ADD.admit(actor)?;
    let address = invitation.email;
    if !email::is_address(address) {
        return Err(Error::new(
            Kind::Validation,
            format!("\"{address}\" is not an e-mail address."),
        ));
    }
    if !right.covers_role(invitation.role) {
        return Err(INVITES_ADD.refusal());
    }
    let secret = Secret::generate().map_err(Error::internal)?;
    site.write(|transaction| {
        users::refuse_registered(transaction, address)?;
        for former in pending(transaction)? {
            // Expired invites of other addresses are removed on this occasion.
            if former.is_for(address) || !former.is_good(transaction.now()) {
                Invite::remove(former.id, transaction)?;
            }
        }
        let invite = invite(transaction, address, invitation.role, &secret)?;
        let inviter = inviter(transaction, actor);
        transaction.send_mail(mail_site.invitation(&invite, inviter, &secret))?;
        collection::save(transaction, actor, ActionEvent::Added, invite)
    })
}

/// Deleting an invite revokes it: its link becomes invalid.
impl EditableRecord for Invite {
    const TABLE: Table = Table::Invites;
}

impl Collection for Invite {}

/// Returns whether there is a valid invite for the address.
///
/// # Errors
///
/// If the store cannot be read.
pub fn is_invited(snapshot: &SiteSnapshot, email: &str, site: &Site) -> Result<bool> {
    let now = site.now();
    let invites: Vec<Invite> = snapshot.all(Table::Invites)?;
    Ok(invites
        .iter()
        .any(|invite| invite.is_for(email) && invite.is_good(now)))
}

/// The data with which a person accepts an invite.
#[derive(Debug)]
pub struct Acceptance<'a> {
    /// The secret from the link, as typed or followed.
    pub secret: &'a str,
    /// The name.
    pub name: &'a str,
    /// The password.
    pub password: &'a Password,
    /// The path of the site's URL, which the user's slug must not shadow.
    pub subdirectory: &'a str,
}

/// Creates a user with the email address of the invite, and deletes the invite.
///
/// # Errors
///
/// `NotFound` if no invite has this secret or the invite has expired; `Validation` for an invalid
/// name, for a password that is easy to guess, and if a user has registered with the address since.
pub fn accept(site: &Site, acceptance: &Acceptance) -> Result<Arc<User>> {
    let snapshot = Arc::clone(&site.current());
    // Checked before the password is hashed, so that only holders of a link can cause that work.
    let invite = invited(snapshot.all(Table::Invites)?, acceptance, site)?;
    users::check_name(acceptance.name)?;
    let title = snapshot.catalog.settings.text("title").unwrap_or_default();
    let chooser = Chooser {
        email: &invite.email,
        name: acceptance.name,
        site_title: &title,
    };
    password_strength::check(acceptance.password, chooser)?;
    // Hashed outside the transaction, which blocks other changes.
    let credentials = Credentials {
        password_hash: acceptance.password.hash()?,
    };
    site.write(|transaction| {
        // The invite may have been used or revoked in the meantime.
        let invite = invited(pending(transaction)?, acceptance, site)?;
        let user = users::joining(
            transaction,
            acceptance.name,
            &invite.email,
            invite.role,
            acceptance.subdirectory,
        )?;
        let id = user.id;
        transaction.save(user)?;
        transaction.save_credentials(id, &credentials)?;
        Invite::remove(invite.id, transaction)?;
        let user = users::found(transaction, Some(id))?;
        let actor = Actor::User {
            id,
            role: user.role,
            method: SignInMethod::Session,
        };
        collection::record_action(transaction, &actor, ActionEvent::Added, &*user)?;
        Ok(user)
    })
}

fn pending(transaction: &Transaction) -> Result<Vec<Invite>> {
    transaction.all(Table::Invites, |invite| invite)
}

fn invited(invites: Vec<Invite>, acceptance: &Acceptance, site: &Site) -> Result<Invite> {
    let secret = link_token::secret_of(acceptance.secret);
    // A text that is not a secret has no digest, and `None` equals that of no invite.
    let digest = Secret::from_text(&secret).map(|secret| secret.digest());
    let mut invites = invites.into_iter();
    invites
        .find(|invite| Some(invite.secret) == digest && invite.is_good(site.now()))
        .ok_or_else(|| {
            Error::not_found("invite")
                .help("It may have been revoked, used or expired. Ask for another invite.")
        })
}

fn invite(transaction: &Transaction, email: &str, role: Role, secret: &Secret) -> Result<Invite> {
    let now = transaction.now();
    Ok(Invite {
        id: Id::generate(now).map_err(Error::internal)?,
        email: email.into(),
        role,
        secret: secret.digest(),
        expires_at: now.checked_add(GOOD_FOR).map_err(Error::internal)?,
        created_at: now,
        updated_at: now,
    })
}

/// Returns the name of the inviter, for the mail.
fn inviter<'c>(transaction: &'c Transaction, actor: &Actor) -> &'c str {
    let users = &transaction.catalog().users;
    let user = actor.user().and_then(|id| users.get(id));
    user.map_or("The operator", |user| &user.name)
}
