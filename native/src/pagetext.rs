//! The bytes of a `quire.core.pagetext.PageText`: see there for the format.

use std::fmt::Write;

use crate::spans::Spans;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FontInfo {
    pub name: String,
    pub flags: i32,
    pub weight: i32,
}

pub type Box4 = [f64; 4];

pub struct LinkInfo {
    pub place: Box4,
    pub uri: Option<String>,
    pub page: Option<usize>,
}

pub struct FieldInfo {
    pub place: Box4,
    pub kind: &'static str,
    pub name: String,
    pub value: String,
}

pub struct TagInfo {
    pub kind: String,
    pub parent: i32,
    pub mcids: Vec<i32>,
    pub alternative: String,
    pub row_span: i32,
    pub column_span: i32,
}

#[derive(Default)]
pub struct Runs {
    /// The texts of the runs, each but the first after a line break.
    pub texts: String,
    pub boxes: Vec<f32>,
    pub baselines: Vec<f32>,
    pub sizes: Vec<f32>,
    pub colors: Vec<u32>,
    pub fonts: Vec<u16>,
    pub angles: Vec<u16>,
    pub mcids: Vec<i32>,
    pub flags: Vec<u16>,
    pub font_table: Vec<FontInfo>,
    pub chars: usize,
    pub unmapped: usize,
    pub invisible: usize,
    /// Characters in no run: drawn again at the same place, or without a place on the page.
    pub duplicates: usize,
    pub unplaced: usize,
    pub text_objects: usize,
}

#[derive(Default)]
pub struct Graphics {
    pub rulings: Vec<f32>,
    pub rects: Vec<f32>,
    pub rect_colors: Vec<u32>,
    pub images: Vec<f32>,
    pub drawings: Vec<f32>,
    pub text_objects: usize,
    pub spans: Spans,
}

pub struct PageText {
    pub number: usize,
    pub width: f32,
    pub height: f32,
    pub rotation: u16,
    pub runs: Runs,
    pub graphics: Graphics,
    pub links: Vec<LinkInfo>,
    pub fields: Vec<FieldInfo>,
    pub tags: Vec<TagInfo>,
}

/// Values that can be written one after the other, little endian.
trait Values {
    fn count(&self) -> usize;
    fn put(&self, out: &mut Vec<u8>);
}

macro_rules! values {
    ($($kind:ty),*) => {$(
        impl Values for Vec<$kind> {
            fn count(&self) -> usize {
                self.len()
            }

            fn put(&self, out: &mut Vec<u8>) {
                self.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
            }
        }
    )*};
}

values!(f32, u32, u16, i32);

impl PageText {
    pub fn to_bytes(&self) -> Vec<u8> {
        let (runs, graphics) = (&self.runs, &self.graphics);
        let arrays: [(&str, &dyn Values, usize); 13] = [
            ("boxes", &runs.boxes, 4),
            ("baselines", &runs.baselines, 1),
            ("sizes", &runs.sizes, 1),
            ("colors", &runs.colors, 1),
            ("fonts", &runs.fonts, 1),
            ("angles", &runs.angles, 1),
            ("mcids", &runs.mcids, 1),
            ("flags", &runs.flags, 1),
            ("rulings", &graphics.rulings, 5),
            ("rects", &graphics.rects, 4),
            ("rect_colors", &graphics.rect_colors, 1),
            ("images", &graphics.images, 4),
            ("drawings", &graphics.drawings, 4),
        ];
        let header = self.header(&arrays.map(|(name, values, width)| (name, values.count() / width)));
        let mut out = Vec::with_capacity(header.len() + 48 * runs.sizes.len() + 1024);
        out.extend_from_slice(b"QPT1");
        out.extend_from_slice(&(header.len() as u32).to_le_bytes());
        out.extend_from_slice(header.as_bytes());
        for (_, values, _) in arrays {
            out.resize(out.len().next_multiple_of(4), 0);
            values.put(&mut out);
        }
        out
    }

    fn header(&self, counts: &[(&str, usize)]) -> String {
        let mut json = Json(String::with_capacity(self.runs.texts.len() + 1024));
        let runs = &self.runs;
        json.raw("{");
        json.key("number").raw(&self.number.to_string());
        json.key("width").number(f64::from(self.width));
        json.key("height").number(f64::from(self.height));
        json.key("rotation").raw(&self.rotation.to_string());
        json.key("chars").raw(&runs.chars.to_string());
        json.key("unmapped").raw(&runs.unmapped.to_string());
        json.key("invisible").raw(&runs.invisible.to_string());
        let lost = self.graphics.text_objects.saturating_sub(runs.text_objects);
        json.key("lost").raw(&lost.to_string());
        let reasons = [("duplicate", runs.duplicates), ("unplaced", runs.unplaced)];
        json.key("left_out").raw("{");
        for (reason, count) in reasons.into_iter().filter(|(_, count)| *count > 0) {
            json.key(reason).raw(&count.to_string());
        }
        json.raw("}");
        json.key("font_table").list(&runs.font_table, |json, font| {
            json.raw("[").text(&font.name);
            json.raw(&format!(",{},{}]", font.flags, font.weight));
        });
        json.key("links").list(&self.links, |json, link| {
            json.raw("{");
            json.key("box").list(&link.place, |json, value| json.number(*value));
            json.key("uri");
            match &link.uri {
                Some(uri) => json.text(uri),
                None => json.raw("null"),
            };
            json.key("page").raw(&link.page.map_or("null".into(), |page| page.to_string())).raw("}");
        });
        json.key("fields").list(&self.fields, |json, field| {
            json.raw("{");
            json.key("box").list(&field.place, |json, value| json.number(*value));
            json.key("kind").text(field.kind);
            json.key("name").text(&field.name);
            json.key("value").text(&field.value).raw("}");
        });
        json.key("tags").list(&self.tags, |json, tag| {
            json.raw("{");
            json.key("type").text(&tag.kind);
            json.key("parent").raw(&tag.parent.to_string());
            json.key("mcids").list(&tag.mcids, |json, mcid| {
                json.raw(&mcid.to_string());
            });
            json.key("alt").text(&tag.alternative);
            json.key("row_span").raw(&tag.row_span.to_string());
            json.key("column_span").raw(&tag.column_span.to_string()).raw("}");
        });
        json.key("texts").text(&runs.texts);
        json.key("counts").raw("{");
        for (name, count) in counts {
            json.key(name).raw(&count.to_string());
        }
        json.raw("}}");
        json.0
    }
}

/// JSON written from left to right. Keys put the comma before them where one is due.
struct Json(String);

impl Json {
    fn raw(&mut self, text: &str) -> &mut Self {
        self.0.push_str(text);
        self
    }

    fn key(&mut self, name: &str) -> &mut Self {
        if !self.0.ends_with('{') {
            self.0.push(',');
        }
        self.text(name).raw(":")
    }

    /// Rounded to a thousandth; JSON has no infinities.
    fn number(&mut self, value: f64) {
        let rounded = if value.is_finite() { (value * 1000.0).round_ties_even() / 1000.0 } else { 0.0 };
        let _ = write!(self.0, "{rounded}");
    }

    fn list<T>(&mut self, items: &[T], mut put: impl FnMut(&mut Self, &T)) {
        self.0.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.0.push(',');
            }
            put(self, item);
        }
        self.0.push(']');
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.0.push('"');
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c == '"' || c == '\\' || c < ' ') {
            self.0.push_str(&rest[..at]);
            match rest.as_bytes()[at] {
                b'\n' => self.0.push_str("\\n"),
                b'"' => self.0.push_str("\\\""),
                b'\\' => self.0.push_str("\\\\"),
                control => {
                    let _ = write!(self.0, "\\u{control:04x}");
                }
            }
            rest = &rest[at + 1..];
        }
        self.0.push_str(rest);
        self.0.push('"');
        self
    }
}
