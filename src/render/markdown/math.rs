//! The formulas that a dialect preserves: their marks, and which of them are blocks.

/// The kinds of formulas that are preserved for the front end, by their marks.
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
    /// Which formulas `$$…$$` and `\[…\]` are blocks.
    pub blocks: MathBlocks,
}

/// Which formulas `$$…$$` and `\[…\]` are blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MathBlocks {
    /// Formulas that are paragraphs. Others are part of a paragraph.
    AsWritten,
    /// kramdown's rule: formulas between blank lines, which may contain blank lines, are rendered as `\[…\]`, and
    /// others as `\(…\)`.
    Kramdown,
    /// Python-Markdown's rule: formulas between blank lines that contain none. Others are text.
    Paragraphs,
    /// markdown-it's rule: formulas from a line that begins with the mark to the line that ends with it, even directly
    /// after text.
    Lines,
    /// remark's rule: formulas between lines that consist of the mark, even directly after text. Others are part of a
    /// paragraph.
    Fences,
    /// goldmark's rule: all formulas, even within a line. The text before and after is then in separate blocks.
    Anywhere,
}

impl Math {
    /// No formulas: their text is parsed as Markdown.
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

    /// kramdown's formulas: `$$…$$` for blocks and within lines.
    pub const KRAMDOWN: Self = Self {
        double_dollars: true,
        blocks: MathBlocks::Kramdown,
        ..Self::NONE
    };

    /// The formulas of markdown-it's plugins.
    pub const MARKDOWN_IT: Self = Self {
        blocks: MathBlocks::Lines,
        ..Self::DOLLARS
    };

    /// The formulas of remark-math.
    pub const REMARK: Self = Self {
        blocks: MathBlocks::Fences,
        ..Self::DOLLARS
    };

    /// The formulas of Arithmatex, an extension of Python-Markdown.
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

    /// Returns whether blocks may directly follow text or be followed by it.
    pub(super) fn has_blocks_in_paragraphs(self) -> bool {
        matches!(
            self.blocks,
            MathBlocks::Lines | MathBlocks::Fences | MathBlocks::Anywhere
        )
    }
}
