//! What imports make of what comes from elsewhere, and what exports write.

mod folder;
mod members;
