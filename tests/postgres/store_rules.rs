//! The rules of stores, on PostgreSQL.

use galley_tests::store_rules;

use crate::stores::any;

/// The number of random histories.
const CASES: u32 = 8;

/// Defines a test for each rule.
macro_rules! on_postgres {
    ($rules:ident $($rule:ident)*) => {
        mod on_postgres {
            $(#[test]
            fn $rule() {
                galley_tests::store_rules::$rules::$rule(&crate::stores::any());
            })*
        }
    };
}

/// Defines a test for each rule of shared stores.
macro_rules! shared_on_postgres {
    ($rules:ident $($rule:ident)*) => {
        mod shared_on_postgres {
            $(#[test]
            fn $rule() {
                galley_tests::store_rules::$rules::$rule(&crate::stores::any());
            })*
        }
    };
}

mod contract {
    galley_tests::contract_rules!(on_postgres);
}

mod nodes {
    galley_tests::node_rules!(shared_on_postgres);
}

mod shared_counts {
    galley_tests::shared_count_rules!(shared_on_postgres);
}

mod sharing {
    galley_tests::sharing_rules!(on_postgres);
    galley_tests::shared_sharing_rules!(shared_on_postgres);
}

mod sign_in {
    galley_tests::shared_sign_in_rules!(shared_on_postgres);
}

#[test]
fn sites_that_follow_each_other_are_as_if_just_opened() {
    store_rules::sharing::sites_that_follow_each_other_are_as_if_just_opened(any, CASES);
}
