//! The rules of stores as tests of redb and of the memory engine.

use galley_tests::{shared_store::LocalStore, store_rules};

/// The number of random histories.
const CASES: u32 = 60;

/// Defines a test of each rule for both engines.
macro_rules! on_each_engine {
    ($rules:ident $($rule:ident)*) => {
        mod on_redb {
            $(#[test]
            fn $rule() {
                galley_tests::store_rules::$rules::$rule(&galley_tests::shared_store::LocalStore::on_redb());
            })*
        }
        mod in_memory {
            $(#[test]
            fn $rule() {
                galley_tests::store_rules::$rules::$rule(&galley_tests::shared_store::LocalStore::in_memory());
            })*
        }
    };
}

/// Defines a test of each rule for the engine that processes can share.
macro_rules! on_the_shared_engine {
    ($rules:ident $($rule:ident)*) => {
        mod in_shared_memory {
            $(#[test]
            fn $rule() {
                galley_tests::store_rules::$rules::$rule(&galley_tests::shared_store::LocalStore::in_memory());
            })*
        }
    };
}

mod contract {
    galley_tests::contract_rules!(on_each_engine);
}

mod nodes {
    galley_tests::node_rules!(on_the_shared_engine);
}

mod shared_counts {
    galley_tests::shared_count_rules!(on_the_shared_engine);
}

mod sharing {
    galley_tests::sharing_rules!(on_each_engine);
    galley_tests::shared_sharing_rules!(on_the_shared_engine);
}

mod sign_in {
    galley_tests::shared_sign_in_rules!(on_the_shared_engine);
}

#[test]
fn sites_that_follow_each_other_are_as_if_just_opened() {
    store_rules::sharing::sites_that_follow_each_other_are_as_if_just_opened(
        LocalStore::in_memory,
        CASES,
    );
}
