//! Which page a path is, and which template renders it.
