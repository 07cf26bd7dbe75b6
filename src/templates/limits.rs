//! The bounds of one rendering.

/// What one rendering may use, whatever its templates do.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most nested partials, layouts and blocks.
    pub depth: usize,
    /// Most bytes of output.
    pub output_bytes: usize,
    /// Most steps: a tag that is rendered is a step, and so is each iteration.
    pub steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 200,
            output_bytes: 16 << 20,
            steps: 2_000_000,
        }
    }
}
