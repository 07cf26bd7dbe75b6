//! The bounds of one rendering.

use std::time::Duration;

/// The limits of one rendering, whatever its templates do.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most nested partials, layouts and blocks.
    pub depth: usize,
    /// Most bytes of output.
    pub output_bytes: usize,
    /// Most bytes of the values that helpers make for other helpers and for partials.
    pub value_bytes: usize,
    /// Most steps: a tag that is rendered is a step, and so is each iteration.
    pub steps: usize,
    /// The longest time. A step that has begun ends.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 200,
            output_bytes: 16 << 20,
            value_bytes: 8 << 20,
            steps: 2_000_000,
            time: Duration::from_secs(5),
        }
    }
}
