#include "n2d2/plot/timeline.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/error.hpp"

#include "axis.hpp"

namespace n2d2::plot {

namespace {

constexpr double kLabelSize = 10.5, kMarkOpacity = 0.12;
constexpr double kNameDegrees = 45;
constexpr double kNamePixels = 115;  // pixels of a name along its slope

/// The text, cut to the width with an ellipsis; empty when not even a few letters fit.
std::string fitted(const Canvas& canvas, const std::string& text, double size, double width) {
  if (canvas.text_width(text, size) <= width) return text;
  constexpr size_t kFewest = 6;
  for (size_t length = text.size(); length-- > kFewest;) {
    if ((static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) continue;  // inside a UTF-8 character
    std::string cut = text.substr(0, length) + "…";
    if (canvas.text_width(cut, size) <= width) return cut;
  }
  return {};
}

void draw_box(Canvas& canvas, const Box& box, const Scale& x, const Scale& y) {
  const Color color = palette(box.color);
  const double left = x.at(box.x0), right = x.at(box.x1), top = y.at(box.y1), bottom = y.at(box.y0);
  const double pitch = (bottom - top) / std::max(box.stripes, 1);
  constexpr double kFinest = 2;
  if (box.stripes > 1 && pitch >= kFinest) {
    for (int i = 0; i < box.stripes; ++i)
      canvas.rectangle(left, bottom - i * pitch - pitch * box.stripe_fill, right - left,
                       pitch * box.stripe_fill, with_opacity(color, kBlockOpacity));
  } else {
    canvas.rectangle(left, top, right - left, bottom - top,
                     with_opacity(color, kBlockOpacity * (box.stripes > 1 ? box.stripe_fill : 1)));
  }
  canvas.frame(left, top, right - left, bottom - top, kInk, 0.6);
}

struct Rectangle {
  double left, top, right, bottom;
  bool empty() const { return right <= left || bottom <= top; }
  bool meets(const Rectangle& o) const {
    return left < o.right && o.left < right && top < o.bottom && o.top < bottom;
  }
};

Rectangle place_of(const Box& box, const Scale& x, const Scale& y) {
  return {x.at(box.x0), y.at(box.y1), x.at(box.x1), y.at(box.y0)};
}

/// Lines that rise to the right, a fixed distance apart over the whole drawing, so that neighbours join.
void hatch(Canvas& canvas, const Rectangle& r, Color color) {
  constexpr double kDistance = 5;
  canvas.push_clip(r.left, r.top, r.right - r.left, r.bottom - r.top);
  const double height = r.bottom - r.top;
  double at = std::floor((r.left + r.top) / kDistance) * kDistance;  // x + y of a line
  for (; at < r.right + r.bottom; at += kDistance)
    canvas.line(at - r.bottom, r.bottom, at - r.bottom + height, r.top, color, 0.9);
  canvas.pop_clip();
}

/// What two boxes of different groups share.
void hatch_overlaps(Canvas& canvas, const Timeline& timeline, const Scale& x, const Scale& y) {
  for (size_t a = 0; a < timeline.boxes.size(); ++a)
    for (size_t b = 0; b < a; ++b) {
      const Box &one = timeline.boxes[a], &other = timeline.boxes[b];
      if (one.group < 0 || other.group < 0 || one.group == other.group) continue;
      const Rectangle p = place_of(one, x, y), q = place_of(other, x, y);
      const Rectangle common{std::max(p.left, q.left), std::max(p.top, q.top), std::min(p.right, q.right),
                             std::min(p.bottom, q.bottom)};
      if (!common.empty()) hatch(canvas, common, darker(palette(one.color), 0.45));
    }
}

void draw_arrows(Canvas& canvas, const Timeline& timeline, const Scale& x, const Scale& y) {
  constexpr double kHead = 4;
  for (const Arrow& arrow : timeline.arrows) {
    const double at = x.at(arrow.x) + 4, tip = y.at(arrow.y1);
    const double back = tip + (y.at(arrow.y0) < tip ? -kHead : kHead);
    const Color color = darker(palette(arrow.color), 0.45);
    canvas.line(at, y.at(arrow.y0), at, tip, color, 1.2, true);
    canvas.line(at - kHead * 0.6, back, at, tip, color, 1.2);
    canvas.line(at + kHead * 0.6, back, at, tip, color, 1.2);
  }
}

/// Level in the box, or upright when the box is tall and narrow; nothing when neither fits or another label
/// is there already.
void draw_label(Canvas& canvas, const Box& box, const Scale& x, const Scale& y,
                std::vector<Rectangle>& taken) {
  const double left = x.at(box.x0), right = x.at(box.x1), top = y.at(box.y1), bottom = y.at(box.y0);
  const double width = right - left - 6, height = bottom - top - 4;
  const double cx = (left + right) / 2, cy = (top + bottom) / 2;
  const std::string level = height >= kLabelSize ? fitted(canvas, box.label, kLabelSize, width) : "";
  const std::string upright =
      right - left - 2 >= kLabelSize ? fitted(canvas, box.label, kLabelSize, height) : "";
  const bool turned = level.empty() || (level != box.label && upright == box.label);
  const std::string& text = turned ? upright : level;
  if (text.empty()) return;
  const double along = canvas.text_width(text, kLabelSize) / 2 + 1, across = kLabelSize / 2 + 1;
  const Rectangle place = turned ? Rectangle{cx - across, cy - along, cx + across, cy + along}
                                 : Rectangle{cx - along, cy - across, cx + along, cy + across};
  if (std::any_of(taken.begin(), taken.end(), [&](const Rectangle& r) { return r.meets(place); })) return;
  taken.push_back(place);
  const double baseline = kLabelSize * 0.36;
  canvas.text(turned ? cx + baseline : cx, turned ? cy : cy + baseline, text, kLabelSize, kInk, Align::Center,
              turned ? 90 : 0);
}

/// The labels of large boxes first: they are missed most.
void draw_labels(Canvas& canvas, const Timeline& timeline, const Scale& x, const Scale& y) {
  std::vector<const Box*> boxes;
  for (const Box& box : timeline.boxes) boxes.push_back(&box);
  const auto area = [](const Box* box) { return (box->x1 - box->x0) * (box->y1 - box->y0); };
  std::stable_sort(boxes.begin(), boxes.end(), [&](const Box* a, const Box* b) { return area(a) > area(b); });
  std::vector<Rectangle> taken;
  for (const Box* box : boxes) draw_label(canvas, *box, x, y, taken);
}

/// Every line keeps its place; labels that would collide move apart, right of the frame.
void draw_levels(Canvas& canvas, const Timeline& timeline, const Area& area, const Scale& y) {
  std::vector<const Level*> sorted;
  for (const Level& level : timeline.levels) sorted.push_back(&level);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Level* a, const Level* b) { return a->y > b->y; });
  constexpr double kRow = kTextSize + 4;
  double lowest_free = area.top - kRow;
  for (const Level* level : sorted) {
    const double at = y.at(level->y);
    const Color color = palette(level->color);
    canvas.line(area.left, at, area.right, at, color, 1.2, level->dashed);
    const double label = std::max(at, lowest_free + kRow);
    lowest_free = label;
    canvas.line(area.right, at, area.right + 8, label, color, 1);
    canvas.text(area.right + 11, label + 4, level->label, kTextSize, color);
  }
}

void draw_names(Canvas& canvas, const Timeline& timeline, const Area& area, const Scale& x) {
  const double pitch = x.at(1) - x.at(0);
  const int every = std::max(1, static_cast<int>(std::ceil(15 / pitch)));
  for (size_t i = 0; i < timeline.x_names.size(); i += static_cast<size_t>(every)) {
    const double at = x.at(static_cast<double>(i) + 0.5);
    if (at > area.right) break;
    canvas.line(at, area.bottom, at, area.bottom + 4, kDim);
    const std::string name = fitted(canvas, timeline.x_names[i], kLabelSize, kNamePixels);
    canvas.text(at + 3, area.bottom + 13, name, kLabelSize, kDim, Align::Right, kNameDegrees);
  }
}

double widest(const Canvas& canvas, const std::vector<Level>& levels) {
  double width = 0;
  for (const Level& level : levels) width = std::max(width, canvas.text_width(level.label, kTextSize));
  return width;
}

/// Room under the axis for the longest slanted name.
double name_room(const Canvas& canvas, const Timeline& timeline) {
  double longest = 0;
  for (const std::string& name : timeline.x_names)
    longest = std::max(longest, canvas.text_width(name, kLabelSize));
  constexpr double kSlope = 0.7072;
  return timeline.x_names.empty() ? 20 : std::min(longest, kNamePixels) * kSlope + 20;
}

}  // namespace

Canvas draw(const Timeline& timeline) {
  Canvas canvas(timeline.width, timeline.height);
  double end = static_cast<double>(timeline.x_names.size()), top = 0;
  for (const Box& box : timeline.boxes) {
    N2D2_CHECK(
        std::isfinite(box.x0) && std::isfinite(box.x1) && std::isfinite(box.y0) && std::isfinite(box.y1),
        "box '{}' is not finite", box.label);
    end = std::max(end, box.x1);
    top = std::max(top, box.y1);
  }
  for (const Level& level : timeline.levels) top = std::max(top, level.y);
  const double right_room = timeline.levels.empty() ? 24 : widest(canvas, timeline.levels) + 24;
  const Area area{90, 62, timeline.width - right_room, timeline.height - 34.0 - name_room(canvas, timeline)};
  const Scale x{0, end > 0 ? end : 1, area.left, area.right};
  const Scale y{0, top > 0 ? 1.05 * top : 1, area.bottom, area.top};
  draw_axes(canvas, area, x, y, timeline.title, timeline.x_title, timeline.y_title, timeline.x_names.empty());
  if (timeline.marked)
    canvas.rectangle(x.at(*timeline.marked), area.top, x.at(*timeline.marked + 1) - x.at(*timeline.marked),
                     area.bottom - area.top, with_opacity(kBad, kMarkOpacity));
  for (const Box& box : timeline.boxes) draw_box(canvas, box, x, y);
  hatch_overlaps(canvas, timeline, x, y);
  draw_arrows(canvas, timeline, x, y);
  draw_labels(canvas, timeline, x, y);
  draw_levels(canvas, timeline, area, y);
  if (!timeline.x_names.empty()) draw_names(canvas, timeline, area, x);
  return canvas;
}

}  // namespace n2d2::plot
