//! Members and their labels.
//!
//! Labels are few and stand in the catalog. Members do not: nothing that readers are answered depends on them, and a
//! hundred thousand of them would make every start slower and the memory larger for sites that never list them. They are
//! read from the store, by identifier, by address, or one after the other.

use super::{Edition, Transaction};
use crate::{
    domain::{
        label::Label,
        member::{Member, email_key},
    },
    error::{Error, Kind, Result},
    id::Id,
    render::slug,
    store::Table,
};

impl Edition {
    /// The member with this identifier.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn member(&self, id: Id) -> Result<Option<Member>> {
        self.read(Table::Members, id.as_bytes())
    }

    /// The member with this address, in whatever case.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn member_by_email(&self, email: &str) -> Result<Option<Member>> {
        match self.read(Table::MemberEmails, email_key(email).as_bytes())? {
            Some(id) => self.member(id),
            None => Ok(None),
        }
    }

    /// Visits all members, by rising identifier.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or what `visitor` returns.
    pub fn visit_members(&self, mut visitor: impl FnMut(Member) -> Result<()>) -> Result<()> {
        self.visit(Table::Members, |_, member| visitor(member))
    }
}

impl Transaction {
    /// The member with this identifier, as this transaction left it.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn member(&self, id: Id) -> Result<Option<Member>> {
        self.read(Table::Members, id.as_bytes())
    }

    /// The member with this address, in whatever case, as this transaction left it.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn member_by_email(&self, email: &str) -> Result<Option<Member>> {
        match self.read(Table::MemberEmails, email_key(email).as_bytes())? {
            Some(id) => self.member(id),
            None => Ok(None),
        }
    }

    /// Adds a member, or puts it in the place of the one with its identifier. Nothing is written when it is the same.
    ///
    /// # Errors
    ///
    /// `Validation`, naming the field, when the address is none or another one's, or a text is too long.
    pub fn save_member(&mut self, member: Member) -> Result<()> {
        member.check()?;
        let known = self.member(member.id)?;
        if known.as_ref() == Some(&member) {
            return Ok(());
        }
        let old_key = known.map(|known| email_key(&known.email));
        let new_key = email_key(&member.email);
        if old_key.as_deref() != Some(&*new_key) {
            if let Some(holder) = self.read::<Id>(Table::MemberEmails, new_key.as_bytes())? {
                return Err(email_taken(&member.email, holder));
            }
            if let Some(old_key) = old_key {
                self.delete(Table::MemberEmails, old_key.as_bytes())?;
            }
            self.put(Table::MemberEmails, new_key.as_bytes(), &member.id)?;
        }
        self.put(Table::Members, member.id.as_bytes(), &member)
    }

    /// Deletes the member with this identifier, if there is one, and what happened to it.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn delete_member(&mut self, id: Id) -> Result<()> {
        let Some(old) = self.member(id)? else {
            return Ok(());
        };
        self.delete(Table::MemberEmails, email_key(&old.email).as_bytes())?;
        self.forget_member_events(id)?;
        self.delete(Table::Members, id.as_bytes())
    }

    /// Adds a label, or puts it in the place of the one with its identifier. Nothing is written when it is the same.
    ///
    /// Deleting one is [`remove`](Self::remove); members that have it are not touched.
    ///
    /// # Errors
    ///
    /// `Validation` when the name is empty, too long, or another one's, or the slug is another one's.
    pub fn save_label(&mut self, label: Label) -> Result<()> {
        label.check()?;
        match self.label_called(&label.name) {
            Some(other) if other.id != label.id => Err(Error::new(
                Kind::Validation,
                format!("There is a label called \"{}\" already.", label.name),
            )
            .property("name")),
            _ => self.save(label),
        }
    }

    /// The label with this name, to the letter.
    pub fn label_called(&self, name: &str) -> Option<&Label> {
        let mut labels = self.catalog().labels.iter();
        labels
            .find(|label| &*label.name == name)
            .map(|label| &**label)
    }

    /// Makes a label with this name; its slug is the name's, with a number if that is taken.
    ///
    /// # Errors
    ///
    /// `Validation` when the name is empty, too long, or another one's.
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
        self.save_label(label.clone())?;
        Ok(label)
    }
}

/// The refusal of an address that another member has.
fn email_taken(email: &str, holder: Id) -> Error {
    Error::new(
        Kind::Validation,
        format!("There is a member with the address {email} already."),
    )
    .context(format!("It belongs to the member {holder}."))
    .property("email")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{clock::SystemClock, site::Site, store::memory::MemoryStore};

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

    #[test]
    fn an_address_is_one_members_in_whatever_case() {
        let site = site();
        let ana = add(&site, "Ana@Example.com").unwrap();

        let refused = add(&site, "ana@example.COM").unwrap_err();

        assert_eq!(refused.property_name(), Some("email"));
        let edition = site.current();
        let found = edition.member_by_email("ANA@example.com").unwrap();
        assert_eq!(found, Some(ana));
    }

    #[test]
    fn an_address_is_free_again_when_its_member_has_another_or_is_deleted() {
        let site = site();
        let ana = add(&site, "ana@example.com").unwrap();
        let moved = Member {
            email: "ana@example.org".into(),
            ..ana.clone()
        };
        site.write(|change| change.save_member(moved)).unwrap();
        let second = add(&site, "ana@example.com").unwrap();
        assert!(add(&site, "ana@example.org").is_err());

        site.write(|change| change.delete_member(ana.id)).unwrap();

        assert_eq!(site.current().member(ana.id).unwrap(), None);
        let by_email = |email: &str| site.current().member_by_email(email).unwrap();
        assert_eq!(by_email("ana@example.com"), Some(second));
        assert_eq!(by_email("ana@example.org"), None);
        add(&site, "ana@example.org").unwrap();
    }

    #[test]
    fn a_transaction_sees_the_members_that_it_changed() {
        let site = site();
        let ana = add(&site, "ana@example.com").unwrap();
        site.write(|change| {
            change.delete_member(ana.id)?;
            assert_eq!(change.member_by_email("ana@example.com")?, None);
            change.save_member(ana.clone())?;
            assert_eq!(
                change.member_by_email("ana@example.com")?,
                Some(ana.clone())
            );
            Ok(())
        })
        .unwrap();
        assert_eq!(site.current().member(ana.id).unwrap(), Some(ana));
    }

    #[test]
    fn saving_what_is_the_same_writes_nothing() {
        let site = site();
        let ana = add(&site, "ana@example.com").unwrap();
        let before = site.current().catalog.revision;

        site.write(|change| change.save_member(ana)).unwrap();

        assert_eq!(site.current().catalog.revision, before);
    }

    #[test]
    fn labels_differ_to_the_letter_and_have_slugs_of_their_own() {
        let site = site();
        site.write(|change| {
            assert_eq!(&*change.add_label("Friends")?.slug, "friends");
            assert_eq!(&*change.add_label("friends")?.slug, "friends-2");
            assert!(change.add_label("Friends").is_err());
            assert!(change.add_label(" ").is_err());
            assert!(change.add_label(&"f".repeat(192)).is_err());
            assert_eq!(
                change.label_called("friends").unwrap().slug,
                "friends-2".into()
            );
            Ok(())
        })
        .unwrap();
        assert_eq!(site.current().catalog.labels.len(), 2);
    }
}
