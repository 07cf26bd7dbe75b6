//! The Admin API. Of it there is, so far, what needs no key.

pub mod site;
