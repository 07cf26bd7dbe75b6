//! Numbers of records of each kind, for the operator.

use std::collections::BTreeMap;

use super::Catalog;
use crate::domain::post::{Post, PostKind, Status};

impl Catalog {
    /// Returns the number of records of each kind, by the plural of its name.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let count = |matches: &dyn Fn(&Post) -> bool| {
            self.posts.iter().filter(|post| matches(post)).count()
        };
        let of_posts =
            |status: Status| count(&|post| post.kind == PostKind::Post && post.status == status);
        BTreeMap::from([
            ("posts published".to_owned(), of_posts(Status::Published)),
            ("posts scheduled".to_owned(), of_posts(Status::Scheduled)),
            ("posts in draft".to_owned(), of_posts(Status::Draft)),
            (
                "pages".to_owned(),
                count(&|post| post.kind == PostKind::Page),
            ),
            ("tags".to_owned(), self.tags.len()),
            ("authors".to_owned(), self.users.len()),
            ("tiers".to_owned(), self.tiers.len()),
            ("newsletters".to_owned(), self.newsletters.len()),
            ("integrations".to_owned(), self.integrations().count()),
            ("webhooks".to_owned(), self.webhooks.iter().count()),
        ])
    }
}
