//! Strips the white space of a template that is not part of its output: next to a `~`, and on lines that contain only a block's
//! tag, a comment or a partial. The rules, including their oddities, are those of Handlebars 4.7.

use super::{
    lexer::{Strip, is_blank},
    tree::{Block, Node, Program, Text},
};

/// The white space that a node strips from the text next to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeStrip {
    /// The sides with `~`.
    tilde: Strip,
    /// Whether the line of the node is removed if it contains nothing else.
    alone: bool,
    /// Whether the line of the opening tag is removed if nothing precedes it.
    open_alone: bool,
    /// Whether the line of the end tag is removed if nothing follows it.
    close_alone: bool,
}

impl NodeStrip {
    /// Returns the strip of a value, whose line is never removed.
    pub fn within(tilde: Strip) -> Self {
        Self {
            tilde,
            ..Self::default()
        }
    }

    /// Returns the strip of a comment or a partial, whose line is removed if it contains nothing else.
    pub fn alone(tilde: Strip) -> Self {
        Self {
            tilde,
            alone: true,
            ..Self::default()
        }
    }
}

/// The parts of a block, and the strips of the tags around them.
pub struct BlockParts<'p> {
    /// The program of the block.
    pub program: Option<&'p mut Program>,
    /// The program of the `{{else}}`.
    pub inverse: Option<&'p mut Program>,
    /// Whether the inverse is an `{{else if …}}`.
    pub is_chained: bool,
    /// The strip of the opening tag.
    pub open: Strip,
    /// The strip of the `{{else}}`.
    pub else_strip: Strip,
    /// The strip of the end tag.
    pub close: Strip,
}

impl<'p> BlockParts<'p> {
    /// Returns the parts of a raw block, whose tags have no strips.
    pub fn without_strips(block: &'p mut Block) -> Self {
        Self {
            program: block.program.as_mut(),
            inverse: block.inverse.as_mut(),
            is_chained: false,
            open: Strip::default(),
            else_strip: Strip::default(),
            close: Strip::default(),
        }
    }
}

/// Strips white space inside a block, and returns the strip of the block itself.
pub fn block(text: &str, parts: BlockParts) -> NodeStrip {
    let BlockParts {
        program,
        inverse,
        is_chained,
        open,
        else_strip,
        close,
    } = parts;
    let (first, second) = match (program, inverse) {
        (Some(program), inverse) => (program, inverse),
        (None, Some(inverse)) => (inverse, None),
        (None, None) => return NodeStrip::default(),
    };
    let mut second = match second {
        // With `{{else if}}`, the text after the tag is in the chained block, the only node of the
        // inverse.
        Some(chained) if is_chained => first_part(chained),
        second => second,
    };
    let last = second.as_deref().unwrap_or(first);
    let strip = NodeStrip {
        tilde: Strip {
            before: open.before,
            after: close.after,
        },
        alone: false,
        open_alone: begins_with_line_end(text, &first.nodes, 0, false),
        close_alone: ends_with_line_end(text, &last.nodes, last.nodes.len(), false),
    };
    if open.after {
        strip_start(text, first.nodes.first_mut(), true);
    }
    let Some(second) = &mut second else {
        if close.before {
            strip_end(text, first.nodes.last_mut(), true);
        }
        return strip;
    };
    if else_strip.before {
        strip_end(text, first.nodes.last_mut(), true);
    }
    if else_strip.after {
        strip_start(text, second.nodes.first_mut(), true);
    }
    if close.before {
        strip_end(text, second.nodes.last_mut(), true);
    }
    if ends_with_line_end(text, &first.nodes, first.nodes.len(), false)
        && begins_with_line_end(text, &second.nodes, 0, false)
    {
        strip_end(text, first.nodes.last_mut(), false);
        strip_start(text, second.nodes.first_mut(), false);
    }
    strip
}

/// Strips white space between nodes.
pub fn remove(text: &str, nodes: &mut [Node], strips: &[NodeStrip], is_root: bool) {
    for (index, strip) in strips.iter().enumerate() {
        if matches!(nodes[index], Node::Text(_)) {
            continue;
        }
        // Both are determined before `~` strips the text, and from the original text, as Handlebars
        // does.
        let is_at_start = ends_with_line_end(text, nodes, index, is_root);
        let is_at_end = begins_with_line_end(text, nodes, index + 1, is_root);
        let (before, after) = nodes.split_at_mut(index);
        let Some((node, after)) = after.split_first_mut() else {
            continue;
        };
        if strip.tilde.after {
            strip_start(text, after.first_mut(), true);
        }
        if strip.tilde.before {
            strip_end(text, before.last_mut(), true);
        }
        if strip.alone && is_at_start && is_at_end {
            strip_start(text, after.first_mut(), false);
            let is_indented = strip_end(text, before.last_mut(), false);
            if let (true, Node::Partial(partial), Some(Node::Text(indent))) =
                (is_indented, &mut *node, before.last())
            {
                let line = text[indent.original.clone()].trim_end_matches([' ', '\t']);
                partial.indent = indent.original.start + line.len()..indent.original.end;
            }
        }
        if strip.open_alone && is_at_start {
            strip_start(
                text,
                first_of(node).and_then(|program| program.nodes.first_mut()),
                false,
            );
            strip_end(text, before.last_mut(), false);
        }
        if strip.close_alone && is_at_end {
            strip_start(text, after.first_mut(), false);
            strip_end(
                text,
                last_of(node).and_then(|program| program.nodes.last_mut()),
                false,
            );
        }
    }
}

/// Removes the nodes without output, and moves the inline partials of a program out of its content.
pub fn finish(program: &mut Program) {
    for node in std::mem::take(&mut program.nodes) {
        match node {
            Node::Comment => {}
            Node::Text(text) if text.value.is_empty() => {}
            Node::Inline(mut inline) => {
                finish(&mut inline.program);
                program.inlines.push(inline);
            }
            mut other => {
                match &mut other {
                    Node::Block(block) => {
                        block
                            .program
                            .iter_mut()
                            .chain(&mut block.inverse)
                            .for_each(finish);
                    }
                    Node::Partial(partial) => partial.block.iter_mut().for_each(finish),
                    _ => {}
                }
                program.nodes.push(other);
            }
        }
    }
}

/// Returns the program of the block that an `{{else if …}}` opens.
fn first_part(chained: &mut Program) -> Option<&mut Program> {
    match chained.nodes.first_mut() {
        Some(Node::Block(block)) => block.program.as_mut(),
        _ => None,
    }
}

/// Returns the program that follows the opening tag of a block.
fn first_of(node: &mut Node) -> Option<&mut Program> {
    match node {
        Node::Block(block) => block.program.as_mut().or(block.inverse.as_mut()),
        Node::Partial(partial) => partial.block.as_mut(),
        Node::Inline(inline) => Some(&mut inline.program),
        _ => None,
    }
}

/// Returns the program that precedes the end tag of a block.
fn last_of(node: &mut Node) -> Option<&mut Program> {
    match node {
        Node::Block(block) => block.inverse.as_mut().or(block.program.as_mut()),
        other => first_of(other),
    }
}

/// Returns whether the text before a node ends with a line break and white space, or is the start of the template.
fn ends_with_line_end(text: &str, nodes: &[Node], index: usize, is_root: bool) -> bool {
    let Some(previous) = index.checked_sub(1) else {
        return is_root;
    };
    let Node::Text(Text { original, .. }) = &nodes[previous] else {
        return false;
    };
    let original = &text[original.clone()];
    let content = original.trim_end_matches(is_blank);
    let is_first = is_root && previous == 0;
    original[content.len()..].contains('\n') || (is_first && content.is_empty())
}

/// Returns whether the text node at an index begins with white space and a line break, or is the end of the template.
fn begins_with_line_end(text: &str, nodes: &[Node], index: usize, is_root: bool) -> bool {
    let Some(next) = nodes.get(index) else {
        return is_root;
    };
    let Node::Text(Text { original, .. }) = next else {
        return false;
    };
    let original = &text[original.clone()];
    let content = original.trim_start_matches(is_blank);
    let is_last = is_root && index + 1 == nodes.len();
    let blanks = &original[..original.len() - content.len()];
    blanks.contains('\n') || (is_last && content.is_empty())
}

/// Strips white space at the start of a text node: all of it, or, once, up to the end of the line.
fn strip_start(text: &str, node: Option<&mut Node>, all: bool) {
    let Some(Node::Text(node)) = node else { return };
    // Otherwise, two tags next to a text would remove two of its lines (`rightStripped` of Handlebars).
    if !all && node.is_stripped_before {
        return;
    }
    let value = &text[node.value.clone()];
    let rest = if all {
        value.trim_start_matches(is_blank)
    } else {
        let rest = value.trim_start_matches([' ', '\t']);
        let rest = rest.strip_prefix('\r').unwrap_or(rest);
        rest.strip_prefix('\n').unwrap_or(rest)
    };
    node.is_stripped_before = rest.len() < value.len();
    node.value.start = node.value.end - rest.len();
}

/// Strips white space at the end of a text node: all of it, or, once, that of the last line. Returns whether there was any.
fn strip_end(text: &str, node: Option<&mut Node>, all: bool) -> bool {
    let Some(Node::Text(node)) = node else {
        return false;
    };
    // See above (`leftStripped` of Handlebars).
    if !all && node.is_stripped_after {
        return false;
    }
    let value = &text[node.value.clone()];
    let rest = if all {
        value.trim_end_matches(is_blank)
    } else {
        value.trim_end_matches([' ', '\t'])
    };
    node.is_stripped_after = rest.len() < value.len();
    node.value.end = node.value.start + rest.len();
    node.is_stripped_after
}
