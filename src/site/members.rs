//! Members and their labels, in the store and in the catalog.
//!
//! No response to readers depends on a member, so a change of members does not make cached responses stale.

use super::{Transaction, records};
use crate::{
    catalog::Catalog,
    domain::{
        label::Label,
        member::{Member, TierGrant, email_key},
        member_event::EventSource,
        secret::Secret,
        tier::Tier,
    },
    error::{Error, Result},
    id::Id,
    render::slug,
    store::{Snapshot, Table},
};

/// Key of the secret that signs the URLs in mails to members.
const SECRET_KEY: &[u8] = b"member_secret";

/// Key of the secret with which a Ghost site signed such URLs.
const GHOST_SECRET_KEY: &[u8] = b"ghost_member_secret";

/// Returns the secret that signs the URLs in mails to members; `None` in a store of a version without the
/// secret.
///
/// # Errors
///
/// If the store cannot be read.
pub(super) fn secret(snapshot: &dyn Snapshot) -> Result<Option<Secret>> {
    let Some(record) = snapshot.get(Table::Meta, SECRET_KEY)? else {
        return Ok(None);
    };
    let text: String = records::decode(Table::Meta, &record.bytes)?;
    Ok(Secret::from_text(&text))
}

/// Returns the secret with which a Ghost site signed such URLs; `None` if none was imported.
///
/// # Errors
///
/// If the store cannot be read.
pub(super) fn ghost_secret(snapshot: &dyn Snapshot) -> Result<Option<Secret>> {
    let Some(record) = snapshot.get(Table::Meta, GHOST_SECRET_KEY)? else {
        return Ok(None);
    };
    let text: String = records::decode(Table::Meta, &record.bytes)?;
    Ok(Secret::imported(&text))
}

impl Transaction {
    /// Adds a member or replaces the one with its identifier. Writes nothing if it is unchanged. A change of
    /// the e-mail address invalidates the member's sessions and tokens, and the links to the former address.
    ///
    /// # Errors
    ///
    /// `Validation`, naming the field, if the email address is invalid or in use, or a value is too
    /// long.
    pub fn save_member(&mut self, mut member: Member) -> Result<()> {
        member.check()?;
        let members = &self.catalog().members;
        let existing = members.get(member.id).cloned();
        if existing.as_deref() == Some(&member) {
            return Ok(());
        }
        // In a store of an earlier version, several members may share an address that differs only in case.
        // Such members can still be changed.
        let own = existing.as_ref().map(|existing| email_key(&existing.email));
        let is_new = own.is_none_or(|own| own != email_key(&member.email));
        let holder = if is_new {
            members.by_email(&member.email)
        } else {
            members.with_email(&member.email)
        };
        if let Some(holder) = holder.filter(|holder| holder.id != member.id) {
            return Err(email_taken(&member.email, holder.id));
        }
        let previous_email = existing.as_ref().map(|existing| &existing.email);
        if previous_email != Some(&member.email) {
            if let Some(previous_email) = previous_email {
                // A link in a mail to the former address must no longer sign in its reader.
                member.revoke_proofs();
                self.delete(Table::MemberEmails, previous_email.as_bytes());
                self.end_links_to(previous_email)?;
            }
            self.put(Table::MemberEmails, member.email.as_bytes(), &member.id)?;
        }
        self.put(Table::Members, member.id.as_bytes(), &member)?;
        self.catalog_mut().members.put(member);
        Ok(())
    }

    /// Deletes the member with this identifier, if it exists, and its events, and revokes the links to its
    /// address.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn delete_member(&mut self, id: Id) -> Result<()> {
        let Some(old) = self.catalog_mut().members.remove(id) else {
            return Ok(());
        };
        self.delete(Table::MemberEmails, old.email.as_bytes());
        self.end_links_to(&old.email)?;
        self.forget_member_events(id)?;
        self.delete(Table::Members, id.as_bytes());
        Ok(())
    }

    /// Removes expired tiers from members. A member whose tiers have all expired becomes free again.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn end_tiers(&mut self) -> Result<()> {
        let now = self.now();
        let ended: Vec<_> = self.catalog().members.ended(now).cloned().collect();
        for before in ended {
            let member = before.at(now).into_owned();
            self.save_changed_access(&before, member)?;
        }
        Ok(())
    }

    /// Sets the grants of a removed tier aside: they have no effect until the tier exists again.
    pub(super) fn tier_removed(&mut self, tier: Id) -> Result<()> {
        self.move_grants(tier, |member| {
            (&mut member.tiers, &mut member.tiers_deleted)
        })
    }

    /// Restores the grants of a tier that was removed and exists again.
    pub(super) fn tier_saved(&mut self, before: Option<&Tier>, after: &Tier) -> Result<()> {
        if before.is_some() {
            return Ok(());
        }
        self.move_grants(after.id, |member| {
            (&mut member.tiers_deleted, &mut member.tiers)
        })
    }

    /// Moves the grants of a tier, of all members, from the first list that `lists` returns to the second.
    /// Reads all members, which is acceptable because files of tiers are rarely added or removed.
    fn move_grants(
        &mut self,
        tier: Id,
        lists: fn(&mut Member) -> (&mut Vec<TierGrant>, &mut Vec<TierGrant>),
    ) -> Result<()> {
        let is_of_tier = |grant: &TierGrant| grant.tier == tier;
        // A cheap clone of a shared index, because members are saved while they are visited.
        let members = self.catalog().members.clone();
        for before in members.iter() {
            let mut grants = before.tiers.iter().chain(&before.tiers_deleted);
            if !grants.any(is_of_tier) {
                continue;
            }
            let mut member = Member::clone(before);
            let (from, to) = lists(&mut member);
            to.extend(from.extract_if(.., |grant| is_of_tier(grant)));
            if member != **before {
                self.save_changed_access(before, member)?;
            }
        }
        Ok(())
    }

    /// Saves a member whose access changed without a request.
    fn save_changed_access(&mut self, before: &Member, mut member: Member) -> Result<()> {
        member.updated_at = self.now_after(before.updated_at);
        self.record_member_change(Some(before), &member, EventSource::System)?;
        self.save_member(member)
    }

    /// Creates the secret that signs the URLs that members get by mail.
    pub(super) fn make_member_secret(&mut self) -> Result<()> {
        let secret = Secret::generate().map_err(Error::internal)?;
        self.put(Table::Meta, SECRET_KEY, &secret.text())?;
        self.catalog_mut().member_secret = Some(secret);
        Ok(())
    }

    /// Sets the secret with which a Ghost site signed the URLs in its mails.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn set_ghost_member_secret(&mut self, secret: &Secret) -> Result<()> {
        self.put(Table::Meta, GHOST_SECRET_KEY, &secret.text())?;
        self.catalog_mut().ghost_member_secret = Some(secret.clone());
        Ok(())
    }

    /// Adds a label with this name. The slug is derived from the name, with a number appended if it is in
    /// use.
    ///
    /// # Errors
    ///
    /// `Validation` if the name is empty, too long or in use.
    pub fn add_label(&mut self, name: &str) -> Result<Label> {
        let name = name.trim();
        let slug = slug::candidates(slug::from_text(slug::Kind::Label, name, ""))
            .find(|slug| self.catalog().labels.by_slug(slug).is_none())
            .expect("the candidates have no end");
        let label = Label {
            id: Id::generate(self.now()).map_err(Error::internal)?,
            slug: slug.into(),
            name: name.into(),
            created_at: self.now(),
            updated_at: self.now(),
        };
        self.save(label.clone())?;
        Ok(label)
    }
}

/// Checks a label before it is saved.
///
/// # Errors
///
/// `Validation` if the name is empty, too long or in use.
pub(super) fn check_label(label: &Label, catalog: &Catalog) -> Result<()> {
    label.check()?;
    if catalog.labels.is_name_taken(label) {
        return Err(Error::already_exists(format!(
            "A label named \"{}\"",
            label.name
        )));
    }
    Ok(())
}

/// Returns the error for an email address that another member has.
fn email_taken(email: &str, holder: Id) -> Error {
    Error::already_exists(format!("A member with the address {email}"))
        .context(format!("It belongs to the member {holder}."))
        .property("email")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;

    use super::*;
    use crate::{
        clock::{ManualClock, SystemClock},
        domain::member::Status,
        site::Site,
        store::{memory::MemoryStore, redb::RedbStore},
    };

    fn site() -> Site {
        Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap()
    }

    fn add(site: &Site, email: &str) -> Result<Member> {
        site.write(|change| {
            let member = Member::new(Id::generate(change.now()).unwrap(), email, change.now());
            change.save_member(member.clone())?;
            Ok(member)
        })
    }

    fn by_email(site: &Site, email: &str) -> Option<Member> {
        let snapshot = site.current();
        let found = snapshot.catalog.members.by_email(email);
        found.map(|member| Member::clone(member))
    }

    #[test]
    fn email_address_is_unique() {
        let site = site();
        let ana = add(&site, "Ana@Example.com").unwrap();

        let refused = add(&site, "Ana@Example.com").unwrap_err();
        assert_eq!(refused.property_name(), Some("email"));
        assert_eq!(by_email(&site, "ana@example.com"), Some(ana.clone()));

        add(&site, "ana@example.com").unwrap_err();
        let other = add(&site, "aná@example.com").unwrap();
        assert_eq!(by_email(&site, "ANÁ@example.com"), Some(other));
        let respelled = Member {
            email: "ana@example.com".into(),
            ..ana
        };
        site.write_once(|change| change.save_member(respelled.clone()))
            .unwrap();
        let found = by_email(&site, "Ana@Example.com").unwrap();
        assert_eq!((found.id, &*found.email), (respelled.id, "ana@example.com"));
    }

    #[test]
    fn email_address_is_released_on_change_or_deletion() {
        let site = site();
        let ana = add(&site, "ana@example.com").unwrap();
        let moved = Member {
            email: "ana@example.org".into(),
            ..ana.clone()
        };
        site.write_once(|change| change.save_member(moved)).unwrap();
        let second = add(&site, "ana@example.com").unwrap();
        assert!(add(&site, "ana@example.org").is_err());

        site.write(|change| change.delete_member(ana.id)).unwrap();

        assert!(site.current().catalog.members.get(ana.id).is_none());
        assert_eq!(by_email(&site, "ana@example.com"), Some(second));
        assert_eq!(by_email(&site, "ana@example.org"), None);
        add(&site, "ana@example.org").unwrap();
    }

    #[test]
    fn transaction_sees_its_own_member_changes() {
        let site = site();
        let ana = add(&site, "ana@example.com").unwrap();
        site.write(|change| {
            change.delete_member(ana.id)?;
            assert!(change.catalog().members.is_empty());
            change.save_member(ana.clone())?;
            assert_eq!(change.catalog().members.len(), 1);
            Ok(())
        })
        .unwrap();
        assert_eq!(by_email(&site, "ana@example.com"), Some(ana));
    }

    #[test]
    fn saving_an_unchanged_member_writes_nothing() {
        let site = site();
        let ana = add(&site, "ana@example.com").unwrap();
        let before = site.current().catalog.revision;

        site.write_once(|change| change.save_member(ana)).unwrap();

        assert_eq!(site.current().catalog.revision, before);
    }

    #[test]
    fn members_are_loaded_when_the_site_is_reopened() {
        let folder = tempfile::tempdir().unwrap();
        let open = || {
            let store = RedbStore::open(folder.path().join("galley.redb"), 1 << 20).unwrap();
            Site::open(Box::new(store), Arc::new(SystemClock)).unwrap()
        };
        let first = open();
        let ana = add(&first, "ana@example.com").unwrap();
        let secret = first.current().catalog.member_secret.clone();
        drop(first);

        let second = open();

        assert_eq!(by_email(&second, "ana@example.com"), Some(ana));
        assert!(second.current().catalog.member_secret == secret);
    }

    #[test]
    fn complimentary_tiers_expire() {
        let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
        let site = Site::open(Box::new(MemoryStore::new()), clock.clone()).unwrap();
        let ana = add(&site, "ana@example.com").unwrap();
        let [short, long] = [10, 20].map(|seconds| TierGrant {
            tier: Id::derive("tier", &seconds.to_string()),
            expires_at: Some(Timestamp::from_second(seconds).unwrap()),
        });
        let given = Member {
            tiers: vec![long, short],
            ..ana
        };
        site.write_once(|change| change.save_member(given)).unwrap();
        for (now, status, tiers) in [
            (9, Status::Comped, vec![long, short]),
            (10, Status::Comped, vec![long]),
            (30, Status::Free, vec![]),
        ] {
            clock.set(Timestamp::from_second(now).unwrap());
            site.write(Transaction::end_tiers).unwrap();
            let ana = by_email(&site, "ana@example.com").unwrap();
            assert_eq!((ana.status(), ana.tiers), (status, tiers), "{now}");
        }
    }

    #[test]
    fn records_of_earlier_versions_say_who_pays_by_a_status() {
        let member = Member::new(
            Id::derive("member", "ana"),
            "ana@example.com",
            Timestamp::UNIX_EPOCH,
        );
        let mut record = serde_json::to_value(&member).unwrap();
        for (status, pays) in [("free", false), ("comped", false), ("paid", true)] {
            record["status"] = status.into();
            let read: Member = serde_json::from_value(record.clone()).unwrap();
            assert_eq!(read.pays, pays, "{status}");
        }
        let paying = Member {
            pays: true,
            ..member
        };
        let record = serde_json::to_value(&paying).unwrap();
        assert_eq!(serde_json::from_value::<Member>(record).unwrap(), paying);
    }

    #[test]
    fn grants_of_a_tier_that_is_removed_return_with_the_tier() {
        let site = site();
        let ana = add(&site, "ana@example.com").unwrap();
        let [gold, silver] = ["gold", "silver"].map(|slug| Tier::new(slug, slug));
        let grant = |tier: &Tier| TierGrant {
            tier: tier.id,
            expires_at: None,
        };
        let given = Member {
            tiers: vec![grant(&gold)],
            ..ana
        };
        let save = |tier: &Tier| site.write(|change| change.save(tier.clone())).unwrap();
        let remove = |tier: &Tier| site.write(|change| change.remove::<Tier>(tier.id)).unwrap();
        let status = || by_email(&site, "ana@example.com").unwrap().status();
        save(&gold);
        save(&silver);
        site.write_once(|change| change.save_member(given)).unwrap();

        remove(&silver);
        assert_eq!(status(), Status::Comped);
        remove(&gold);
        assert_eq!(status(), Status::Free);
        save(&gold);
        assert_eq!(status(), Status::Comped);

        // Values that are removed meanwhile do not return.
        remove(&gold);
        let mut ana = by_email(&site, "ana@example.com").unwrap();
        ana.end_access();
        site.write_once(|change| change.save_member(ana)).unwrap();
        save(&gold);
        assert_eq!(status(), Status::Free);
    }

    #[test]
    fn member_change_keeps_cached_responses() {
        let site = site();
        let before = site.current().catalog.readers_revision;
        add(&site, "ana@example.com").unwrap();
        assert_eq!(site.current().catalog.readers_revision, before);
    }

    #[test]
    fn labels_have_unique_names_in_any_case_and_unique_slugs() {
        let site = site();
        site.write(|change| {
            assert_eq!(&*change.add_label("Friends")?.slug, "friends");
            assert!(change.add_label("friends").is_err());
            assert!(change.add_label("Frïends").is_err());
            assert_eq!(&*change.add_label("Friends!")?.slug, "friends-2");
            assert!(change.add_label(" ").is_err());
            assert!(change.add_label(&"f".repeat(192)).is_err());
            assert_eq!(
                &*change.catalog().labels.named("FRIENDS").unwrap().slug,
                "friends"
            );
            Ok(())
        })
        .unwrap();
        assert_eq!(site.current().catalog.labels.len(), 2);
    }
}
