//! The site: the single entry point for every change, and the catalog that readers use.
//!
//! Every change is a closure over a [`Transaction`], which works on a copy of the catalog and collects the
//! writes for the store. If it succeeds, the store commits the batch durably, together with concurrent
//! transactions (`group_commit.rs`), and the copy becomes the site that readers see. If any step fails, neither
//! happens. Readers never wait: they keep the snapshot that they started with.

mod actions;
mod announcements;
mod before_and_after;
mod body_search;
mod change_feed;
mod changed_records;
mod changed_texts;
mod collection;
mod commit_listeners;
mod commit_queue;
mod credentials;
mod defaults;
mod delivery_keys;
mod editable_record;
mod emails;
mod file_edits;
mod file_record;
mod file_records;
mod file_writer;
mod following;
mod group_commit;
mod integrations;
mod leased_site;
mod leases;
mod liveness;
mod load;
mod member_events;
mod member_tokens;
mod members;
mod membership;
mod node_life;
mod notifications;
mod outbox;
mod posts;
mod publication;
mod records;
mod revisions;
mod sessions;
mod settings;
mod setup_links;
mod site_files;
mod snapshot;
mod staff_tokens;
mod store_reach;
mod tables;
mod through_files;
mod transaction;
mod view;
mod webhook_deliveries;
mod webhook_events;
mod webhook_log;
mod writing;

pub use announcements::{AnnouncedChange, Announcer, ChangedFields, RecordState};
pub use body_search::{BodySearch, SEARCHED_BYTES_MAX};
pub use change_feed::CHANGES_MAX;
pub use collection::CollectionRecord;
pub use commit_listeners::CommitTopic;
pub use editable_record::EditableRecord;
pub use file_record::FileRecord;
pub use file_writer::{DeletedFile, EditedFile, EditedRecord, FileWriter};
pub use leased_site::{LeasedSite, WeakLeasedSite};
pub use leases::{LeaseNumber, LeaseRecord, Work};
pub use liveness::Liveness;
pub use membership::{RequestGuard, RequestLife};
pub use node_life::NodeLife;
pub use publication::Site;
pub use records::StoredRecord;
pub use snapshot::SiteSnapshot;
pub use store_reach::StoreRefusal;
pub use through_files::record_of_file;
pub use transaction::Transaction;
pub use view::{SiteView, TransactionView};
pub use webhook_deliveries::{QueueHead, WAITING_COUNTED_MAX};
pub use webhook_log::{LOGGED_BODIES_BYTES_MAX, LOGGED_DELIVERIES_MAX};
