//! The formulas that a dialect preserves: their marks, and which of them are blocks.

/// The formulas that are preserved for the front end, by their marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Math {
    /// `$$…$$`.
    pub double_dollars: bool,
    /// `$…$` inside a block.
    pub dollars: bool,
    /// `\[…\]`.
    pub brackets: bool,
    /// `\(…\)` inside a block.
    pub parentheses: bool,
    /// Which of `$$…$$` and `\[…\]` are blocks.
    pub blocks: MathBlocks,
}

/// Which of `$$…$$` and `\[…\]` are blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MathBlocks {
    /// Those that are a paragraph: others are part of one.
    AsWritten,
    /// Those between blank lines, which may contain blank lines, rendered as `\[…\]`; others are rendered as `\(…\)`: kramdown's.
    Kramdown,
    /// Those between blank lines, without any in them. Others are text: Python-Markdown's.
    Paragraphs,
    /// Those from a line that begins with the mark up to the line that ends with it, also directly after text: markdown-it's.
    Lines,
    /// Those between lines with the mark alone, also directly after text: remark's. Others are part of a paragraph.
    Fences,
    /// All of them, also within a line, whose text before and after them are separate blocks: goldmark's.
    Anywhere,
}

impl Math {
    /// None: formulas are parsed as Markdown.
    pub const NONE: Self = Self {
        double_dollars: false,
        dollars: false,
        brackets: false,
        parentheses: false,
        blocks: MathBlocks::AsWritten,
    };

    /// `$$…$$` and `$…$`.
    pub const DOLLARS: Self = Self {
        double_dollars: true,
        dollars: true,
        ..Self::NONE
    };

    /// kramdown's: `$$…$$` for blocks and within lines.
    pub const KRAMDOWN: Self = Self {
        double_dollars: true,
        blocks: MathBlocks::Kramdown,
        ..Self::NONE
    };

    /// That of plugins of markdown-it.
    pub const MARKDOWN_IT: Self = Self {
        blocks: MathBlocks::Lines,
        ..Self::DOLLARS
    };

    /// That of remark-math.
    pub const REMARK: Self = Self {
        blocks: MathBlocks::Fences,
        ..Self::DOLLARS
    };

    /// That of the extension Arithmatex of Python-Markdown.
    pub const ARITHMATEX: Self = Self {
        brackets: true,
        parentheses: true,
        blocks: MathBlocks::Paragraphs,
        ..Self::DOLLARS
    };

    /// Returns whether `source` may contain a formula.
    pub(super) fn may_be_in(self, source: &str) -> bool {
        (self.double_dollars || self.dollars) && source.contains('$')
            || self.brackets && source.contains("\\[")
            || self.parentheses && source.contains("\\(")
    }

    /// Returns whether blocks may directly follow text, or text a block.
    pub(super) fn has_blocks_in_paragraphs(self) -> bool {
        matches!(
            self.blocks,
            MathBlocks::Lines | MathBlocks::Fences | MathBlocks::Anywhere
        )
    }
}
