//! Reports in the look of rustc. The one place that knows annotate-snippets.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level as Heading, Patch, Renderer, Snippet};

use super::{Diagnostic, FileId, Level, Sources, Span, clamp};

/// Reports as text, in the order of [`super::sort`].
///
/// Any text and any span can be given: spans are clamped, control and format characters made visible.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, color: bool) -> String {
    render_as(diagnostics, sources, color, false)
}

/// Most diagnostics that are shown as text: nobody reads more at once, and each costs a look at the file.
const MOST: usize = 200;

/// As [`render`]; `deny`: warnings are shown as errors.
pub(super) fn render_as(diagnostics: &[Diagnostic], sources: &Sources, color: bool, deny: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut sorted: Vec<Diagnostic> = diagnostics.to_vec();
    super::sort(&mut sorted);
    let mut text = String::new();
    for diagnostic in sorted.iter().take(MOST) {
        text.push_str(&one(diagnostic, sources, &renderer, deny));
        text.push_str("\n\n");
    }
    if let Some(more @ 1..) = sorted.len().checked_sub(MOST) {
        let _ = write!(text, "and {more} more, which are left out here; mend these first, or read all as JSON\n\n");
    }
    text
}

fn one(diagnostic: &Diagnostic, sources: &Sources, renderer: &Renderer, deny: bool) -> String {
    let heading = match diagnostic.code.level {
        Level::Warning if !deny => Heading::WARNING,
        Level::Warning | Level::Error => Heading::ERROR,
    };
    let mut group = Group::with_title(heading.primary_title(visible(&diagnostic.message)).id(diagnostic.code.code));

    // One snippet per file; that of the primary label first.
    let mut files: BTreeMap<(bool, FileId), Vec<Shown<'_>>> = BTreeMap::new();
    let primary = (AnnotationKind::Primary, &diagnostic.primary.span, diagnostic.primary.text.as_str());
    let others = diagnostic.secondary.iter().map(|label| (AnnotationKind::Context, &label.span, label.text.as_str()));
    for label in std::iter::once(primary).chain(others) {
        files.entry((label.1.file != diagnostic.primary.span.file, label.1.file)).or_default().push(label);
    }
    for ((_, file), labels) in &files {
        let Some(source) = sources.get(*file) else { continue };
        let spans: Vec<Range<usize>> = labels.iter().map(|(_, span, _)| clamp(&source.text, &span.bytes)).collect();
        let window = Window::around(&source.text, &spans);
        let annotations = labels.iter().zip(&spans).map(|((kind, _, text), span)| {
            let annotation = kind.span(window.shown(span));
            if text.is_empty() { annotation } else { annotation.label(visible(text)) }
        });
        group = group.element(
            Snippet::source(window.text.clone())
                .line_start(window.line)
                .path(visible(&source.path))
                .annotations(annotations),
        );
    }
    group = group.elements(diagnostic.help.iter().map(|help| Heading::HELP.message(visible(help))));

    let mut groups = vec![group];
    if let Some(mend) = &diagnostic.mend
        && let Some(source) = sources.get(mend.span.file)
    {
        let span = clamp(&source.text, &mend.span.bytes);
        let window = Window::around(&source.text, std::slice::from_ref(&span));
        let patch = Patch::new(window.shown(&span), visible(&mend.text));
        groups.push(Heading::HELP.secondary_title("mended").element(
            Snippet::source(window.text.clone()).line_start(window.line).path(visible(&source.path)).patch(patch),
        ));
    }
    renderer.render(&groups)
}

/// A label: its look, place and words.
type Shown<'a> = (AnnotationKind, &'a Span, &'a str);

/// The lines of some places, made visible, and how places move with that.
struct Window {
    /// The first line's number.
    line: usize,
    /// The lines without their last line end.
    text: String,
    /// Where the window starts in the file.
    start: usize,
    /// Byte in the file behind `start`, byte in `text`; only where they drift apart.
    moves: Vec<(usize, usize)>,
}

impl Window {
    fn around(text: &str, spans: &[Range<usize>]) -> Self {
        let first = spans.iter().map(|span| span.start).min().unwrap_or(0);
        let last = spans.iter().map(|span| span.end).max().unwrap_or(0);
        let before = text.get(..first).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let end = text.get(last..).and_then(|rest| rest.find('\n')).map_or(text.len(), |length| last + length);
        let raw = text.get(start..end).unwrap_or_default();
        let mut window = Self { line, text: String::with_capacity(raw.len()), start, moves: Vec::new() };
        let mut characters = raw.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let line_end = character == '\r' && characters.peek().is_none_or(|(_, next)| *next == '\n');
            if character == '\n' || character == '\t' || !hidden(character) {
                window.text.push(character);
                continue;
            }
            window.moves.push((at, window.text.len()));
            let mark = start + at == 0 && character == '\u{feff}';
            if !line_end && !mark {
                let _ = write!(window.text, "\\u{{{:x}}}", u32::from(character));
            }
            window.moves.push((at + character.len_utf8(), window.text.len()));
        }
        window
    }

    /// A place of the file in this window.
    fn shown(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.moved(span.start);
        start..self.moved(span.end).max(start)
    }

    fn moved(&self, at: usize) -> usize {
        let at = at.saturating_sub(self.start);
        let before = self.moves.partition_point(|(from, _)| *from <= at);
        let (from, to) = before.checked_sub(1).and_then(|index| self.moves.get(index)).copied().unwrap_or((0, 0));
        let moved = (to + (at - from)).min(self.text.len());
        (0..=moved).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0)
    }
}

/// Characters that a terminal obeys, or does not show.
fn hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}'
            | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

/// A text on one line, with every character visible.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            character if hidden(character) => {
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
            }
            character => shown.push(character),
        }
    }
    shown
}
