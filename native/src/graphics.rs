//! Rulings, filled rectangles, pictures and drawings of a page. The same as `quire.pages.render._pure_graphics`.

use crate::pagetext::{Box4, Graphics};
use crate::pdfium::{Matrix, Object, ObjectKind, Page, SegmentKind};
use crate::spans::{Span, Spoken};
use crate::text::Transform;

const THIN: f64 = 3.0; // points: a filled rectangle thinner than this is a ruling
const STRAIGHT: f64 = 0.6; // points: a stroke that leaves its axis by less is horizontal or vertical
const SHORT: f64 = 1.5; // points: a shorter ruling is a dot
const LEVEL: f64 = 0.5; // of the size of type: text that stands higher or lower by more is on another line
const MAX_DEPTH: usize = 6; // forms inside forms
const MAX_OBJECTS: usize = 20_000;
const MAX_SEGMENTS: usize = 4_000; // of one path; a longer one is a drawing

type Point = (f64, f64);

/// What is drawn on a page besides text, and which of its text objects are one piece of text.
pub fn read_graphics(page: &Page<'_>, transform: Transform) -> Graphics {
    let mut reader = Reader { transform, found: Graphics::default(), left: MAX_OBJECTS, span: None };
    for object in page.objects().take(MAX_OBJECTS) {
        reader.object(object, &Affine::IDENTITY, 0);
    }
    reader.found
}

struct Affine([f64; 6]);

impl Affine {
    const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// First `inner`, then `outer`.
    fn product(inner: Matrix, outer: &Self) -> Self {
        let [a, b, c, d, e, f] = [inner.a, inner.b, inner.c, inner.d, inner.e, inner.f].map(f64::from);
        let [g, h, i, j, k, l] = outer.0;
        Self([a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l])
    }

    fn apply(&self, x: f64, y: f64) -> Point {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    fn scale(&self) -> f64 {
        let [a, b, c, d, ..] = self.0;
        (a * d - b * c).abs().sqrt()
    }
}

/// Points of the displayed page that a pen visits, and whether it returns to the first.
struct Figure {
    points: Vec<Point>,
    closed: bool,
}

struct Reader {
    transform: Transform,
    found: Graphics,
    left: usize,
    span: Option<usize>, // of the last text object
}

impl Reader {
    fn object(&mut self, object: Object<'_>, outer: &Affine, depth: usize) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        match object.kind() {
            ObjectKind::Text => {
                self.found.text_objects += 1;
                self.text(object, outer);
            }
            ObjectKind::Path => self.path(object, outer),
            ObjectKind::Image => {
                let matrix = Affine::product(object.matrix(), outer);
                let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)].map(|(x, y)| self.shown(&matrix, x, y));
                put(&mut self.found.images, bounds(&corners));
            }
            ObjectKind::Form if depth < MAX_DEPTH => {
                let matrix = Affine::product(object.matrix(), outer);
                for inner in object.objects().take(MAX_OBJECTS) {
                    self.object(inner, &matrix, depth + 1);
                }
            }
            ObjectKind::Form | ObjectKind::Other => {}
        }
    }

    fn shown(&self, matrix: &Affine, x: f64, y: f64) -> Point {
        let (x, y) = matrix.apply(x, y);
        self.transform.point(x, y)
    }

    fn text(&mut self, object: Object<'_>, outer: &Affine) {
        let (last, said) = (self.span.take(), object.actual_text());
        let spans = &mut self.found.spans;
        let number = spans.numbers.len();
        spans.numbers.insert(object.address(), number);
        if said.is_none() && last.is_none() {
            return;
        }
        let matrix = Affine::product(object.matrix(), outer);
        let [_, _, c, d, e, f] = matrix.0;
        let (x, baseline) = self.transform.point(e, f);
        let level = |span: &Span| (baseline - span.baseline).abs() < LEVEL * span.size;
        let same = last.filter(|&at| said.as_ref().is_some_and(|said| said.0 == spans.list[at].mark));
        if let Some(at) = last.filter(|_| same.is_none()) {
            spans.list[at].following = level(&spans.list[at]).then_some(x);
        }
        let (Some((mark, text)), Some(drawn)) = (said, object.bounds()) else {
            return;
        };
        let [x0, y0, x1, y1] = [drawn.left, drawn.bottom, drawn.right, drawn.top].map(f64::from);
        let corners = [(x0, y0), (x1, y0), (x0, y1), (x1, y1)].map(|(x, y)| {
            let (x, y) = outer.apply(x, y);
            self.transform.point(x, y)
        });
        let [left, _, right, _] = bounds(&corners);
        let widest = right - left;
        let at = same.unwrap_or_else(|| {
            let (left, size) = (x.min(left), f64::from(object.font_size()) * c.hypot(d));
            spans.list.push(Span { mark, text, number, left, right, baseline, widest, size, following: None });
            spans.list.len() - 1
        });
        let span = &mut spans.list[at];
        if same.is_some() && level(span) {
            (span.left, span.right) = (span.left.min(x).min(left), span.right.max(right));
            if widest > span.widest {
                (span.baseline, span.widest) = (baseline, widest);
            }
        }
        spans.objects.insert(object.address(), Spoken { span: at, left, right });
        self.span = Some(at);
    }

    fn path(&mut self, object: Object<'_>, outer: &Affine) {
        let Some((fill, stroke)) = object.draw_mode().filter(|&(fill, stroke)| fill || stroke) else {
            return;
        };
        let matrix = Affine::product(object.matrix(), outer);
        let (figures, curved) = self.figures(object, &matrix);
        if curved {
            let points: Vec<Point> = figures.into_iter().flat_map(|figure| figure.points).collect();
            if !points.is_empty() {
                put(&mut self.found.drawings, bounds(&points));
            }
            return;
        }
        let thickness = if stroke { f64::from(object.stroke_width()) * matrix.scale() } else { 0.0 };
        let color = Some(object.fill_color()).filter(|color| fill && color.alpha != 0).map(|color| color.rgb);
        for figure in figures {
            let rectangle = fill && is_rectangle(&figure.points);
            if rectangle && let Some(color) = color {
                self.rectangle(bounds(&figure.points), color);
            }
            if stroke {
                self.strokes(figure, thickness);
            } else if !rectangle && figure.points.len() > 1 {
                put(&mut self.found.drawings, bounds(&figure.points));
            }
        }
    }

    /// The figures of a path; true for curves.
    fn figures(&self, object: Object<'_>, matrix: &Affine) -> (Vec<Figure>, bool) {
        let mut figures: Vec<Figure> = Vec::new();
        let count = object.segment_count();
        let mut curved = count > MAX_SEGMENTS;
        for segment in (0..count.min(MAX_SEGMENTS)).filter_map(|number| object.segment(number)) {
            let point = self.shown(matrix, segment.x.into(), segment.y.into());
            match figures.last_mut().filter(|_| segment.kind != SegmentKind::Move) {
                Some(figure) => {
                    curved = curved || segment.kind == SegmentKind::Curve;
                    figure.points.push(point);
                    figure.closed |= segment.closes;
                }
                None => figures.push(Figure { points: vec![point], closed: segment.closes }),
            }
        }
        (figures, curved)
    }

    fn rectangle(&mut self, [left, top, right, bottom]: Box4, color: u32) {
        let (width, height) = (right - left, bottom - top);
        let (short, long) = (width.min(height), width.max(height));
        if short > THIN {
            put(&mut self.found.rects, [left, top, right, bottom]);
            self.found.rect_colors.push(color);
        } else if long > SHORT.max(1.5 * short) {
            let (x, y) = ((left + right) / 2.0, (top + bottom) / 2.0);
            let ruling = if width >= height { [left, y, right, y, height] } else { [x, top, x, bottom, width] };
            put(&mut self.found.rulings, ruling);
        }
    }

    fn strokes(&mut self, figure: Figure, thickness: f64) {
        let mut points = figure.points;
        if figure.closed && points.len() > 1 {
            points.push(points[0]);
        }
        let mut slanted = false;
        for pair in points.windows(2) {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
            let (width, height) = ((x1 - x0).abs(), (y1 - y0).abs());
            if height <= STRAIGHT && width > SHORT {
                let y = (y0 + y1) / 2.0;
                put(&mut self.found.rulings, [x0.min(x1), y, x0.max(x1), y, thickness]);
            } else if width <= STRAIGHT && height > SHORT {
                let x = (x0 + x1) / 2.0;
                put(&mut self.found.rulings, [x, y0.min(y1), x, y0.max(y1), thickness]);
            } else if width.max(height) > SHORT {
                slanted = true;
            }
        }
        if slanted {
            put(&mut self.found.drawings, bounds(&points));
        }
    }
}

fn put<const N: usize>(array: &mut Vec<f32>, values: [f64; N]) {
    array.extend(values.map(|value| value as f32));
}

fn bounds(points: &[Point]) -> Box4 {
    let start = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    points.iter().fold(start, |found, &(x, y)| [found[0].min(x), found[1].min(y), found[2].max(x), found[3].max(y)])
}

fn is_rectangle(points: &[Point]) -> bool {
    let near = |a: Point, b: Point| (a.0 - b.0).abs() <= STRAIGHT && (a.1 - b.1).abs() <= STRAIGHT;
    let corners = if points.len() == 5 && near(points[0], points[4]) { &points[..4] } else { points };
    corners.len() == 4
        && (0..4).all(|at| {
            let ((x0, y0), (x1, y1)) = (corners[at], corners[(at + 1) % 4]);
            (x0 - x1).abs() <= STRAIGHT || (y0 - y1).abs() <= STRAIGHT
        })
}
