//! Commands about members, for `galley members`.

use super::Reply;
use crate::{
    admin::members::{self, MergedMembers},
    control::member_report::{MemberCommand, MergeReport},
    domain::actor::Actor,
    error::Result,
    site::{Site, Transaction},
};

/// Executes a command about members.
///
/// # Errors
///
/// The errors of the operation.
pub(super) fn carry_out(site: &Site, command: &MemberCommand) -> Result<Reply> {
    let MemberCommand::Merge { address, dry_run } = command;
    let members = match address {
        Some(address) => MergedMembers::WithAddress(address),
        None => MergedMembers::All,
    };
    let merge = |transaction: &mut Transaction| -> Result<Vec<MergeReport>> {
        let merges = members::merge(transaction, &Actor::Operator, members)?;
        let catalog = transaction.catalog();
        let reports = merges.iter().map(|merge| MergeReport::of(merge, catalog));
        Ok(reports.collect())
    };
    // A trial runs the same closure and is discarded, so that its report cannot differ from that of
    // the merge.
    let reports = if *dry_run {
        site.rehearse(merge)?
    } else {
        site.write(merge)?
    };
    Ok(Reply::Merged(reports))
}
