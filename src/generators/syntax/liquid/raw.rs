//! Writes text between `{% raw %}` and `{% endraw %}`.

use crate::generators::syntax::writer::ExpansionWriter;

/// Writes the text. HTML becomes a separate block without blank lines, because Markdown would begin after a blank line.
/// Blank lines are retained if the HTML contains `<pre`.
pub fn put(writer: &mut ExpansionWriter<'_>, text: &str, is_html: bool) {
    let html = text.trim();
    if !is_html || !html.starts_with('<') || !html.ends_with('>') {
        writer.put(text);
        return;
    }
    if html.contains("<pre") {
        writer.put_block(html);
        return;
    }
    let lines = html.lines().filter(|line| !line.trim().is_empty());
    writer.put_block(&lines.collect::<Vec<_>>().join("\n"));
}
