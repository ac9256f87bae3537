//! Pieces of text that a PDF itself names, whatever its glyphs are: `ActualText`, PDF 32000-1, 14.9.4. The same as
//! `quire.pages.render._pure_spans`.

use std::collections::HashMap;

const NEAR: f64 = 0.3; // of the size of type: a text object this near begins where the span before it ends

/// Text objects that are one piece of text to the file.
pub struct Span {
    pub mark: usize,
    pub text: String,
    /// Of its first text object, in the order of the file.
    pub number: usize,
    pub left: f64,
    pub right: f64,
    /// Of the widest of them: signs stand higher or lower.
    pub baseline: f64,
    pub widest: f64,
    pub size: f64,
    /// Where the text object after them begins, on the same line.
    pub following: Option<f64>,
}

impl Span {
    /// Where it ends: where the text after it begins, or else where its ink ends.
    pub fn reach(&self) -> f64 {
        let near = NEAR * self.size;
        let after = self.following.filter(|&after| self.left + near < after && after < self.right + near);
        after.unwrap_or(self.right)
    }

    /// Whether PDFium reads nothing of it: it knows no characters beyond U+FFFF here.
    pub fn is_unread(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|character| character > '\u{FFFF}')
    }
}

/// The place of one text object in its span.
#[derive(Clone, Copy)]
pub struct Spoken {
    pub span: usize,
    pub left: f64,
    pub right: f64,
}

/// The spans of a page.
#[derive(Default)]
pub struct Spans {
    pub list: Vec<Span>,
    /// By the address of a text object.
    pub objects: HashMap<usize, Spoken>,
    /// The order of all text objects, by their address.
    pub numbers: HashMap<usize, usize>,
}

impl Spans {
    /// From where to where a character reaches: PDFium divides one object among the characters of the span, and knows
    /// nothing of the others.
    pub fn stretched(&self, spoken: Spoken, left: f64, right: f64) -> (f64, f64) {
        let span = &self.list[spoken.span];
        let width = spoken.right - spoken.left;
        let scale = if width > 0.0 { (span.reach() - span.left) / width } else { 0.0 };
        (span.left + (left - spoken.left) * scale, span.left + (right - spoken.left) * scale)
    }

    /// Those of which PDFium reads nothing, the last one first.
    pub fn unread(&self) -> Vec<usize> {
        (0..self.list.len()).rev().filter(|&number| self.list[number].is_unread()).collect()
    }
}
