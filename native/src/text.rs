//! Characters of a page to runs and lines. The same as `quire.pages.render._pure_text`, with the same constants: every
//! length is a multiple of the font size.

use std::collections::{HashMap, VecDeque};

use crate::pagetext::{Box4, FontInfo, Runs};
use crate::pdfium::{Font, Object, Page, TextPage};
use crate::spans::{Spans, Spoken};

const LINE_GAP: f64 = 1.6; // a wider gap begins a new line
const BACK_GAP: f64 = 0.6; // so does a step back of more than this
const BASELINE_SHIFT: f64 = 0.12; // a smaller shift is the same baseline
const SCRIPT_SHIFT: f64 = 0.65; // a smaller shift of smaller type is a sub- or superscript
const SCRIPT_SIZE: f64 = 0.85; // type smaller than this, relative to the line's, may be one
const SCRIPT_GAP: f64 = 0.6; // it must stand this near
const WORD_GAP: f64 = 0.3; // a gap that separates words where the file has no space
const FALSE_SPACE: f64 = 0.05; // a space that PDFium made up where the gap is narrower does not count
const DOUBLE_STRIKE: f64 = 0.1; // the same character this near is the same one drawn twice for weight
const MATH_AXIS: f64 = 0.25; // how high above the baseline the middle of a large operator stands
const SIGN_SHIFT: f64 = 0.5; // how far a sign is drawn above or below the letters that it belongs to
const MANY_SIGNS: usize = 4; // glyphs of one text that may still get one
const LONGEST: usize = 16; // characters of one glyph
const SIZE_CHANGE: f64 = 0.04; // a larger change of size begins a new run

const LAM: u32 = 0x644;
const ALEFS: [u32; 4] = [0x622, 0x623, 0x625, 0x627];

const MARKS: [(u32, u32); 26] = [
    (0x591, 0x5BD),
    (0x5BF, 0x5BF),
    (0x5C1, 0x5C2),
    (0x5C4, 0x5C5),
    (0x5C7, 0x5C7),
    (0x610, 0x61A),
    (0x64B, 0x65F),
    (0x670, 0x670),
    (0x6D6, 0x6DC),
    (0x6DF, 0x6E4),
    (0x6E7, 0x6E8),
    (0x6EA, 0x6ED),
    (0x711, 0x711),
    (0x730, 0x74A),
    (0x7A6, 0x7B0),
    (0x7EB, 0x7F3),
    (0x8D3, 0x8FF),
    (0x10A01, 0x10A0F),
    (0x10A38, 0x10A3F),
    (0x10AE5, 0x10AE6),
    (0x10D24, 0x10D27),
    (0x10EAB, 0x10EAC),
    (0x10F46, 0x10F50),
    (0x10F82, 0x10F85),
    (0x1E8D0, 0x1E8D6),
    (0x1E944, 0x1E94A),
];

const SPACE: u16 = 1;
const LINE: u16 = 2;
const INVISIBLE: u16 = 4;
const UNMAPPED: u16 = 8;
const HYPHEN: u16 = 16;

/// User space of the page to points of the displayed page.
#[derive(Clone, Copy)]
pub struct Transform {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
    f: f64,
}

impl Transform {
    /// The visible box moved to the origin, turned, y downwards.
    pub fn of(page: &Page<'_>) -> Self {
        let shown = page.bounding_box().unwrap_or_default();
        let [left, bottom, right, top] = [shown.left, shown.bottom, shown.right, shown.top].map(f64::from);
        let [a, b, c, d, e, f] = match page.rotation() {
            1 => [0.0, 1.0, 1.0, 0.0, -bottom, -left],
            2 => [-1.0, 0.0, 0.0, 1.0, right, -bottom],
            3 => [0.0, -1.0, -1.0, 0.0, top, right],
            _ => [1.0, 0.0, 0.0, -1.0, -left, top],
        };
        Self { a, b, c, d, e, f }
    }

    pub fn point(&self, x: f64, y: f64) -> (f64, f64) {
        (self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f)
    }

    /// Left, top, right, bottom of a box of the page.
    pub fn bounds(&self, bounds: crate::pdfium::Bounds) -> Box4 {
        let (x0, y0) = self.point(bounds.left.into(), bounds.bottom.into());
        let (x1, y1) = self.point(bounds.right.into(), bounds.top.into());
        [x0.min(x1), y0.min(y1), x0.max(x1), y0.max(y1)]
    }
}

/// What PDFium gets wrong about characters: the tables of `quire.pages.render.glyphs`.
pub struct Glyphs {
    /// Start of the font's name in capitals, and what its characters are.
    pub symbols: Vec<(String, HashMap<char, char>)>,
    pub expansions: HashMap<char, Letters>,
    pub composed: HashMap<(char, char), char>,
}

impl Glyphs {
    /// The table of the longest start of a name.
    fn table(&self, name: &str) -> Option<usize> {
        let upper = name.to_uppercase();
        let fits = self.symbols.iter().enumerate().filter(|(_, (start, _))| upper.starts_with(start.as_str()));
        fits.max_by_key(|(_, (start, _))| start.len()).map(|(index, _)| index)
    }
}

/// One character, or the few that a ligature stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Letters {
    characters: [char; LONGEST],
    length: u8,
}

impl Letters {
    /// None for a text of no or too many characters.
    pub fn of(text: &str) -> Option<Self> {
        Self::of_all(text.chars())
    }

    fn of_all(text: impl Iterator<Item = char>) -> Option<Self> {
        let mut letters = Self { characters: ['\0'; LONGEST], length: 0 };
        for character in text {
            *letters.characters.get_mut(usize::from(letters.length))? = character;
            letters.length += 1;
        }
        (letters.length > 0).then_some(letters)
    }

    fn one(character: char) -> Self {
        let mut letters = Self { characters: ['\0'; LONGEST], length: 1 };
        letters.characters[0] = character;
        letters
    }

    fn all(&self) -> &[char] {
        &self.characters[..usize::from(self.length)]
    }

    /// Both, one after the other; none for too many.
    fn and(&self, further: &Self) -> Option<Self> {
        Self::of_all(self.all().iter().chain(further.all()).copied())
    }

    fn first(self) -> u32 {
        self.characters[0] as u32
    }

    fn single(self) -> Option<char> {
        (self.length == 1).then_some(self.characters[0])
    }

    fn is_right_to_left(self) -> bool {
        matches!(self.first(), 0x590..=0x8FF | 0xFB1D..=0xFEFC | 0x10800..=0x10FFF | 0x1E800..=0x1EFFF)
    }

    /// A mark of a right-to-left script, which belongs to the letter before it.
    fn is_mark(self) -> bool {
        let code = self.first();
        MARKS.iter().any(|&(low, high)| low <= code && code <= high)
    }

    fn is_cjk(self) -> bool {
        matches!(
            self.first(),
            0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0xFF00..=0xFFEF | 0x20000..=0x2FA1F
        )
    }
}

/// How the characters of one text object are set.
struct Look {
    font: usize,
    size: f64,
    color: u32,
    angle: u16,
    mcid: i32,
    invisible: bool,
    hanging: bool,
    number: usize, // in the order of the file
    spoken: Option<Spoken>,
    repeats: bool, // what another object of its span says
}

/// One character in the frame of its line: from `start` to `end` along the writing, on `base`.
#[derive(Clone, Copy)]
struct Glyph {
    text: Letters,
    start: f64,
    end: f64,
    base: f64,
    place: Box4,
    baseline: f64,
    look: usize,
}

impl Glyph {
    fn middle(&self) -> f64 {
        (self.start + self.end) / 2.0
    }
}

/// A glyph that may have further characters, and what is before it.
struct Waiting {
    glyph: Glyph,
    flag: u16,
    space: bool,
    made_up: bool,
}

/// All characters of a page as runs.
pub fn read_runs(page: &TextPage<'_>, transform: Transform, spans: &Spans, tagged: bool, glyphs: &Glyphs) -> Runs {
    let mut reader = Reader {
        page,
        transform,
        spans,
        tagged,
        glyphs,
        runs: Runs::default(),
        looks: Vec::new(),
        look_numbers: HashMap::new(),
        latest: None,
        font_numbers: HashMap::new(),
        tables: Vec::new(),
        heard: vec![false; spans.list.len()],
        places: HashMap::new(),
        waiting: None,
        made_up: false,
        reversed: None,
        run: Vec::new(),
        look: 0,
        glyph: None,
        start: 0.0,
        end: 0.0,
        place: [0.0; 4],
        baseline: 0.0,
        base: 0.0,
        line_base: 0.0,
        line_size: 0.0,
        flag: 0,
    };
    reader.read();
    reader.runs
}

struct Reader<'a> {
    page: &'a TextPage<'a>,
    transform: Transform,
    spans: &'a Spans,
    tagged: bool,
    glyphs: &'a Glyphs,
    runs: Runs,
    looks: Vec<Look>,
    look_numbers: HashMap<usize, usize>, // by address of the text object
    latest: Option<(usize, usize)>,      // the last of them
    font_numbers: HashMap<usize, usize>, // by address
    tables: Vec<Option<usize>>,          // of symbols, by font
    heard: Vec<bool>,                    // whether the text of a span was read
    places: HashMap<Letters, VecDeque<(f64, f64, f64)>>, // of glyphs for several characters
    waiting: Option<Waiting>,
    made_up: bool, // whether a space is before a glyph that was left out
    reversed: Option<bool>,
    // The run under construction, and the line it stands in.
    run: Vec<Glyph>,
    look: usize,
    glyph: Option<Glyph>,
    start: f64,
    end: f64,
    place: Box4,
    baseline: f64,
    base: f64,
    line_base: f64,
    line_size: f64,
    flag: u16,
}

impl Reader<'_> {
    fn read(&mut self) {
        let (mut space, mut made_up) = (false, false);
        let mut high = None;
        let mut unread = self.spans.unread();
        for index in 0..self.page.len() {
            let code = match (self.page.unicode(index), high.take()) {
                (code @ 0xD800..=0xDBFF, _) => {
                    high = Some(code); // the first half of a character beyond U+FFFF
                    continue;
                }
                (code @ 0xDC00..=0xDFFF, Some(high)) => 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00,
                (code, _) => code,
            };
            if self.page.is_generated(index) {
                made_up = true;
                continue;
            }
            let look = self.look(self.page.object(index), index);
            if self.looks[look].repeats {
                continue;
            }
            while let Some(span) = unread.pop_if(|&mut span| self.spans.list[span].number < self.looks[look].number) {
                self.spell(span, look, made_up || space);
                (space, made_up) = (false, true);
            }
            let (text, flag) = if code == 0xAD || (code == 2 && self.page.is_hyphen(index)) {
                (Letters::one('-'), HYPHEN)
            } else {
                let character = self.character(code, &self.looks[look], index);
                if is_space(character) {
                    space = true;
                    continue;
                }
                match self.glyphs.expansions.get(&character).filter(|_| !character.is_ascii()) {
                    Some(&letters) => (letters, 0),
                    None if is_suspicious(character) => (Letters::one(char::REPLACEMENT_CHARACTER), UNMAPPED),
                    None => (Letters::one(character), 0),
                }
            };
            self.runs.chars += 1;
            self.runs.unmapped += usize::from(flag & UNMAPPED != 0);
            self.runs.invisible += usize::from(self.looks[look].invisible);
            let Some(glyph) = self.measure(index, text, look) else {
                self.runs.unplaced += usize::from(text.length);
                continue;
            };
            if !space && self.joins(&glyph, flag) {
                continue;
            }
            self.add_waiting();
            self.waiting = Some(Waiting { glyph, flag, space, made_up });
            (space, made_up) = (false, false);
        }
        while let Some(span) = unread.pop() {
            if self.looks.is_empty() {
                let look = self.plain(self.spans.list[span].size);
                self.looks.push(look);
            }
            self.spell(span, self.look, true);
        }
        self.add_waiting();
        self.close();
        let objects = &self.spans.objects;
        let read = self.look_numbers.keys().filter(|&address| *address != 0 && !objects.contains_key(address));
        self.runs.text_objects = read.count() + objects.len();
    }

    /// Add a span of which PDFium reads nothing, in the look of the nearest text.
    fn spell(&mut self, span: usize, look: usize, made_up: bool) {
        let spans = self.spans;
        let span = &spans.list[span];
        let near = self.waiting.as_ref().map(|waiting| waiting.glyph).or(self.glyph);
        let level = near.filter(|near| (near.baseline - span.baseline).abs() < BASELINE_SHIFT * span.size);
        let look = level.map_or(look, |near| near.look);
        let characters: Vec<char> = span.text.chars().collect();
        self.runs.chars += characters.len();
        let (base, baseline) = (span.baseline, span.baseline);
        let (top, bottom) = (baseline - 0.75 * span.size, baseline + 0.22 * span.size);
        let step = (span.reach() - span.left) / characters.len() as f64;
        let mut start = span.left;
        for text in characters.chunks(LONGEST).filter_map(|part| Letters::of_all(part.iter().copied())) {
            let end = start + f64::from(text.length) * step;
            self.add_waiting();
            let glyph = Glyph { text, start, end, base, place: [start, top, end, bottom], baseline, look };
            self.waiting = Some(Waiting { glyph, flag: 0, space: false, made_up });
            start = end;
        }
    }

    /// The look of a span on a page of which PDFium reads nothing.
    fn plain(&mut self, size: f64) -> Look {
        let font = self.font(None);
        Look {
            font,
            size,
            color: 0,
            angle: 0,
            mcid: -1,
            invisible: false,
            hanging: false,
            number: 0,
            spoken: None,
            repeats: false,
        }
    }

    /// What a code of a font means. Of large symbols, the codes of round brackets are braces.
    fn character(&self, code: u32, look: &Look, index: i32) -> char {
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        if look.hanging && matches!(character, '(' | ')') && self.page.is_raw(index) {
            return if character == '(' { '{' } else { '}' };
        }
        let meant = self.tables[look.font].and_then(|table| self.glyphs.symbols[table].1.get(&character));
        meant.copied().unwrap_or(character)
    }

    /// Joins a character to the waiting glyph if it is one more of a glyph that stands for several (ligature), or of
    /// the same span.
    fn joins(&mut self, further: &Glyph, flag: u16) -> bool {
        let Some(glyph) = self.waiting.as_ref().map(|waiting| waiting.glyph) else {
            return false;
        };
        let right_to_left = further.text.is_right_to_left();
        let spoken = self.looks[glyph.look].spoken.is_some();
        let together = spoken && (further.text.is_mark() || !right_to_left);
        if further.look != glyph.look || !(further.place == glyph.place || together) {
            return false;
        }
        let backwards = right_to_left && !spoken && self.reversed(); // PDFium reverses right-to-left ligatures
        let text = if backwards { further.text.and(&glyph.text) } else { glyph.text.and(&further.text) };
        if let (Some(text), Some(waiting)) = (text, &mut self.waiting) {
            let (start, end) = (glyph.start.min(further.start), glyph.end.max(further.end));
            waiting.glyph = Glyph { text, start, end, place: union(glyph.place, further.place), ..glyph };
            waiting.flag |= flag;
        }
        text.is_some()
    }

    fn add_waiting(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            self.add(waiting);
        }
    }

    fn add(&mut self, Waiting { glyph, flag, space, mut made_up }: Waiting) {
        let (look, again) = (glyph.look, self.is_sign(&glyph));
        let Some(previous) = self.glyph else {
            return self.begin(glyph, flag | LINE | SPACE);
        };
        let size = self.looks[look].size.max(self.looks[self.look].size);
        let mut gap = glyph.start - previous.end;
        if glyph.text.is_right_to_left() && previous.text.is_right_to_left() {
            // PDFium turns some words, not others
            gap = (self.start - glyph.end).max(glyph.start - self.end).max(previous.start - glyph.end);
            if glyph.text.is_mark() && self.start <= glyph.start && glyph.end <= self.end {
                gap = 0.0;
            }
        }
        let same_spot = (glyph.start - previous.start).abs() < DOUBLE_STRIKE * size && glyph.text == previous.text;
        let shift = (glyph.base - self.line_base).abs();
        if again || (same_spot && shift < DOUBLE_STRIKE * size) {
            self.runs.duplicates += usize::from(glyph.text.length);
            self.made_up = made_up || space;
            return;
        }
        if !self.same_line(&glyph, look, gap, shift) {
            self.close();
            return self.begin(glyph, flag | LINE | SPACE);
        }
        if self.compose(&glyph, &previous) {
            return;
        }
        made_up |= std::mem::take(&mut self.made_up);
        let separated =
            space || (made_up && gap > FALSE_SPACE * size) || (gap > WORD_GAP * size && !glyph.text.is_cjk());
        if separated || self.other_run(&glyph, look) {
            self.close();
            return self.begin(glyph, flag | if separated { SPACE } else { 0 });
        }
        self.extend(glyph, flag);
    }

    /// Whether a glyph is a sign over or below letters, to which the file gives the text of these letters again.
    fn is_sign(&mut self, glyph: &Glyph) -> bool {
        if glyph.text.length == 1 {
            return false;
        }
        let level = SIGN_SHIFT * self.looks[glyph.look].size;
        let places = self.places.entry(glyph.text).or_default();
        let found = places.iter().any(|&(start, end, base)| {
            let over = end.min(glyph.end) - start.max(glyph.start);
            over > 0.5 * (glyph.end - glyph.start).min(end - start) && (base - glyph.base).abs() < level
        });
        if !found {
            if places.len() == MANY_SIGNS {
                places.pop_front();
            }
            places.push_back((glyph.start, glyph.end, glyph.base));
        }
        found
    }

    fn same_line(&self, glyph: &Glyph, look: usize, gap: f64, shift: f64) -> bool {
        let (look, before) = (&self.looks[look], &self.looks[self.look]);
        if look.angle != before.angle {
            return false;
        }
        let reference = look.size.max(self.line_size);
        if !(-BACK_GAP * reference < gap && gap < LINE_GAP * reference) {
            return false;
        }
        if shift <= BASELINE_SHIFT * reference {
            return true;
        }
        let smaller = look.size.min(self.line_size) < SCRIPT_SIZE * reference || look.size < SCRIPT_SIZE * before.size;
        let level = (glyph.base - self.base).abs() <= BASELINE_SHIFT * look.size;
        let near = shift < SCRIPT_SHIFT * reference || level;
        near && (smaller || level) && gap < SCRIPT_GAP * reference
    }

    fn other_run(&self, glyph: &Glyph, number: usize) -> bool {
        let (look, before) = (&self.looks[number], &self.looks[self.look]);
        let shifted = (glyph.base - self.base).abs() > BASELINE_SHIFT * look.size;
        if number == self.look {
            return shifted;
        }
        look.font != before.font
            || (look.size - before.size).abs() > SIZE_CHANGE * before.size
            || look.color != before.color
            || look.mcid != before.mcid
            || look.invisible != before.invisible
            || shifted
    }

    /// An accent drawn as a glyph of its own over, or before, its letter becomes one character with it.
    fn compose(&mut self, glyph: &Glyph, previous: &Glyph) -> bool {
        let overlap = glyph.end.min(previous.end) - glyph.start.max(previous.start);
        if overlap <= 0.5 * (glyph.end - glyph.start).min(previous.end - previous.start) || self.run.is_empty() {
            return false;
        }
        let (Some(second), Some(first)) = (glyph.text.single(), previous.text.single()) else {
            return false;
        };
        let composed = &self.glyphs.composed;
        let (one, base) = match (composed.get(&(first, second)), composed.get(&(second, first))) {
            (Some(&one), _) => (one, glyph),
            (None, Some(&one)) => (one, previous),
            (None, None) => return false,
        };
        let whole = Glyph { text: Letters::one(one), ..*base };
        self.run.pop();
        self.run.push(whole);
        self.glyph = Some(whole);
        self.place = union(self.place, glyph.place);
        true
    }

    fn begin(&mut self, glyph: Glyph, flag: u16) {
        let size = self.looks[glyph.look].size;
        if flag & LINE != 0 || size > self.line_size * 1.05 {
            (self.line_base, self.line_size) = (glyph.base, size);
        }
        (self.place, self.flag, self.look) = (glyph.place, flag, glyph.look);
        (self.base, self.baseline) = (glyph.base, glyph.baseline);
        (self.start, self.end) = (glyph.start, glyph.end);
        self.run.clear();
        self.run.push(glyph);
        self.glyph = Some(glyph);
    }

    fn extend(&mut self, glyph: Glyph, flag: u16) {
        let mut at = self.run.len();
        while glyph.text.is_right_to_left() && at > 0 && is_read_before(&glyph, &self.run[..at]) {
            at -= 1;
        }
        self.run.insert(at, glyph);
        self.place = union(self.place, glyph.place);
        (self.start, self.end) = (self.start.min(glyph.start), self.end.max(glyph.end));
        self.flag |= flag;
        self.glyph = Some(glyph);
    }

    /// Whether the ligatures of the page come out backwards: not where the file itself has them backwards, as the lam
    /// and alef in one glyph show.
    fn reversed(&mut self) -> bool {
        if let Some(known) = self.reversed {
            return known;
        }
        let mut balance = 0;
        for index in 1..self.page.len() {
            let step = match (self.page.unicode(index - 1), self.page.unicode(index)) {
                (LAM, second) if ALEFS.contains(&second) => -1,
                (first, LAM) if ALEFS.contains(&first) => 1,
                _ => continue,
            };
            if self.page.loose_box(index - 1) == self.page.loose_box(index) {
                balance += step;
            }
        }
        *self.reversed.insert(balance >= 0)
    }

    fn close(&mut self) {
        if self.run.is_empty() {
            return;
        }
        let (runs, look) = (&mut self.runs, &self.looks[self.look]);
        if !runs.sizes.is_empty() {
            runs.texts.push('\n');
        }
        self.run.iter().for_each(|glyph| runs.texts.extend(glyph.text.all()));
        runs.boxes.extend(self.place.map(|value| value as f32));
        runs.baselines.push(self.baseline as f32);
        runs.sizes.push(look.size as f32);
        runs.colors.push(look.color);
        runs.fonts.push(look.font as u16);
        runs.angles.push(look.angle);
        runs.mcids.push(look.mcid);
        runs.flags.push(self.flag | if look.invisible { INVISIBLE } else { 0 });
        self.run.clear();
    }

    fn measure(&self, index: i32, text: Letters, look: usize) -> Option<Glyph> {
        let Look { angle, size, hanging, spoken, .. } = self.looks[look];
        let place = self.transform.bounds(self.page.loose_box(index)?);
        let (x, y) = self.page.origin(index);
        let (x, y) = self.transform.point(x, y);
        if !(place.iter().all(|value| value.is_finite()) && x.is_finite() && y.is_finite()) {
            return None;
        }
        let [left, top, right, bottom] = place;
        let glyph = |start, end, base, place, baseline| Some(Glyph { text, start, end, base, place, baseline, look });
        if let (0, false, Some(spoken)) = (angle, hanging, spoken) {
            // the boxes of these characters are those of their ink
            let (left, right) = self.spans.stretched(spoken, left, right);
            let y = self.spans.list[spoken.span].baseline;
            return glyph(left, right, y, [left, y - 0.75 * size, right, y + 0.22 * size], y);
        }
        match angle {
            0 if hanging => {
                let (top, bottom) = self.ink(index).unwrap_or((top, bottom));
                let baseline = (top + bottom) / 2.0 + MATH_AXIS * size;
                glyph(left, right, baseline, [left, top, right, bottom], baseline)
            }
            0 if (0.5 * size..=1.6 * size).contains(&(bottom - top)) => glyph(left, right, y, place, y),
            0 => glyph(left, right, y, [left, y - 0.75 * size, right, y + 0.22 * size], y),
            90 => glyph(top, bottom, -x, place, x),
            180 => glyph(-right, -left, -y, place, y),
            270 => glyph(-bottom, -top, x, place, x),
            _ => {
                let (sine, cosine) = f64::from(angle).to_radians().sin_cos();
                let start = x * cosine + y * sine;
                glyph(start, start + 0.5 * size, y * cosine - x * sine, place, y)
            }
        }
    }

    /// From where to where a character is drawn, upright text alone.
    fn ink(&self, index: i32) -> Option<(f64, f64)> {
        let [_, top, _, bottom] = self.transform.bounds(self.page.ink_box(index)?);
        (bottom > top && (top + bottom).is_finite()).then_some((top, bottom))
    }

    /// The look of a text object, measured at its first character.
    fn look(&mut self, object: Option<Object<'_>>, index: i32) -> usize {
        let address = object.map_or(0, |object| object.address());
        if let Some((_, number)) = self.latest.filter(|latest| latest.0 == address) {
            return number;
        }
        let number = match self.look_numbers.get(&address) {
            Some(&number) => number,
            None => {
                let look = self.new_look(object, index);
                self.looks.push(look);
                self.look_numbers.insert(address, self.looks.len() - 1);
                self.looks.len() - 1
            }
        };
        self.latest = Some((address, number));
        number
    }

    fn new_look(&mut self, object: Option<Object<'_>>, index: i32) -> Look {
        let matrix = self.page.matrix(index);
        let [a, b, c, d] = [matrix.a, matrix.b, matrix.c, matrix.d].map(f64::from);
        let t = self.transform;
        let (dx, dy) = (t.a * a + t.c * b, t.b * a + t.d * b);
        let mut angle = (dy.atan2(dx).to_degrees().round_ties_even() as i32).rem_euclid(360);
        for right_angle in [0, 90, 180, 270, 360] {
            if (angle - right_angle).abs() <= 2 {
                angle = right_angle % 360;
            }
        }
        let scale = [c.hypot(d), a.hypot(b)].into_iter().find(|&scale| scale != 0.0).unwrap_or(1.0);
        let size = self.page.font_size(index) * scale;
        let color = self.page.fill_color(index);
        let mode = object.map_or(0, |object| object.text_render_mode());
        let font = self.font(object.and_then(|object| object.font()));
        let spoken = object.and_then(|object| self.spans.objects.get(&object.address())).copied();
        let repeats = spoken.is_some_and(|spoken| std::mem::replace(&mut self.heard[spoken.span], true));
        Look {
            font,
            size: if size.is_finite() && size != 0.0 { round(size.abs()) } else { 1.0 },
            color: color.rgb,
            angle: angle as u16,
            mcid: object.filter(|_| self.tagged).map_or(-1, |object| object.marked_content()),
            invisible: mode == 3 || mode == 7 || color.alpha == 0,
            hanging: hangs(&self.runs.font_table[font].name),
            number: object.and_then(|object| self.spans.numbers.get(&object.address())).copied().unwrap_or_default(),
            spoken,
            repeats,
        }
    }

    fn font(&mut self, font: Option<Font<'_>>) -> usize {
        let address = font.map_or(0, |font| font.address());
        if let Some(&number) = self.font_numbers.get(&address) {
            return number;
        }
        let info = font.map_or_else(FontInfo::default, describe);
        let known = self.runs.font_table.iter().position(|other| *other == info);
        let number = known.unwrap_or_else(|| {
            self.tables.push(self.glyphs.table(&info.name));
            self.runs.font_table.push(info);
            self.tables.len() - 1
        });
        self.font_numbers.insert(address, number);
        number
    }
}

fn describe(font: Font<'_>) -> FontInfo {
    let name = font.base_name();
    let name = match name.char_indices().nth(6) {
        Some((at, '+')) if at + 1 < name.len() => name[at + 1..].to_owned(),
        _ => name,
    };
    FontInfo { name, flags: font.flags().max(0), weight: font.weight().max(0) }
}

/// Fonts of large operators and brackets, which hang from the baseline (The TeXbook, appendix G).
fn hangs(name: &str) -> bool {
    let upper = name.to_uppercase();
    let starts = ["CMEX", "MTEX", "TXEX", "PXEX", "YHEX", "ESINT", "EUEX", "KP--M-EX"];
    starts.iter().any(|start| upper.starts_with(start)) || upper.contains("EXTENSION")
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round_ties_even() / 1000.0
}

fn is_space(character: char) -> bool {
    matches!(
        character as u32,
        0x09 | 0x20 | 0xA0 | 0x1680 | 0x2000..=0x200B | 0x200D | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000 | 0xFEFF
    )
}

/// No character of a text: a control code, a private one, a replacement.
fn is_suspicious(character: char) -> bool {
    matches!(character as u32, 0..=0x1F | 0x7F..=0x9F | 0xE000..=0xF8FF | 0xFFF0..=0xFFFF)
}

/// Whether a glyph of a right-to-left word comes before the last of the others: by its place, but a mark comes after
/// its letter.
fn is_read_before(glyph: &Glyph, others: &[Glyph]) -> bool {
    let Some((last, before)) = others.split_last() else {
        return false;
    };
    let place = last.middle();
    if !last.text.is_right_to_left() {
        return false;
    }
    if glyph.text.is_mark() {
        return last.end < glyph.middle();
    }
    if !last.text.is_mark() {
        return place < glyph.middle();
    }
    let marked =
        before.last().is_some_and(|other| other.look == last.look || (other.start <= place && place <= other.end));
    !marked && place <= glyph.end
}

fn union(a: Box4, b: Box4) -> Box4 {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}
