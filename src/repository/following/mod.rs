//! Reconciles a site with a branch: one pull at a time, and the handling of its result.

mod branch_follower;
mod pushing;
mod served_commit;

pub use self::branch_follower::BranchFollower;
pub use self::served_commit::remembered;
