//! What goes into the head and the foot of a page.
