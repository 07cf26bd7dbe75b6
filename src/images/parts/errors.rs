//! Errors of damaged images.

use crate::images::ImageError;

pub(super) fn cut_off() -> ImageError {
    ImageError::Unreadable("it is truncated".to_owned())
}

pub(super) fn unreadable(why: &str) -> ImageError {
    ImageError::Unreadable(why.to_owned())
}
