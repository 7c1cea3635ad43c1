#include "n2d2/plot/canvas.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <numbers>
#include <string>
#include <string_view>

#include <cairo-svg.h>
#include <cairo.h>

#include "n2d2/base/error.hpp"

#include "look.hpp"

namespace n2d2::plot {

namespace {

constexpr int kLargest = 16384;
constexpr const char* kFont = "DejaVu Sans";

/// Paints what was recorded on a surface, which it closes. The status of the first thing that went wrong.
cairo_status_t paint(cairo_surface_t* recording, cairo_surface_t* target) {
  cairo_t* context = cairo_create(target);
  cairo_set_source_surface(context, recording, 0, 0);
  cairo_paint(context);
  const cairo_status_t status = cairo_status(context);
  cairo_destroy(context);
  return status;
}

cairo_status_t append(void* text, const unsigned char* bytes, unsigned count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

/// cairo numbers "surface<n>" through the whole process; here they count from 1 in order of appearance, so
/// that equal drawings are equal files.
std::string number_surfaces(const std::string& svg) {
  static constexpr std::string_view kName = "surface";
  std::map<std::string, size_t> numbers;
  std::string out;
  size_t at = 0;
  for (size_t found = svg.find(kName); found != std::string::npos; found = svg.find(kName, at)) {
    const size_t start = found + kName.size();
    const size_t end = std::min(svg.find_first_not_of("0123456789", start), svg.size());
    out.append(svg, at, start - at);
    if (end > start)
      out +=
          std::to_string(numbers.emplace(svg.substr(start, end - start), numbers.size() + 1).first->second);
    at = end;
  }
  return out.append(svg, at);
}

void require(cairo_status_t status, const std::filesystem::path& file) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw ConfigError(
        std::string("expected a file that can be written, got: ") + cairo_status_to_string(status),
        {file.string(), 0}, "the folder must exist and be writable");
}

}  // namespace

Color palette(int index) {
  static constexpr std::array<Color, 10> kColors{rgb(0x4c78a8), rgb(0xc2661f), rgb(0x3f8f3a), rgb(0xb8434b),
                                                 rgb(0x7a5aa6), rgb(0x8a6a5c), rgb(0xc05c9c), rgb(0x6b7280),
                                                 rgb(0x8c8a1f), rgb(0x1f8f9c)};
  return index == kLimit ? kBad : kColors[static_cast<size_t>(index) % kColors.size()];
}

Color lighter(Color color, double amount) {
  const auto mix = [&](double v) { return v + (1 - v) * amount; };
  return {mix(color.r), mix(color.g), mix(color.b), color.a};
}

Color darker(Color color, double amount) {
  return {color.r * (1 - amount), color.g * (1 - amount), color.b * (1 - amount), color.a};
}

struct Canvas::State {
  State(int w, int h) : width(w), height(h) {
    const cairo_rectangle_t extents{0, 0, static_cast<double>(w), static_cast<double>(h)};
    recording = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &extents);
    context = cairo_create(recording);
    cairo_select_font_face(context, kFont, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    cairo_destroy(context);
    cairo_surface_finish(recording);  // else what was painted with it may keep it
    cairo_surface_destroy(recording);
  }

  void color(const Color& c) { cairo_set_source_rgba(context, c.r, c.g, c.b, c.a); }

  int width, height;
  cairo_surface_t* recording;
  cairo_t* context;
};

Canvas::Canvas(int width, int height) {
  N2D2_CHECK(width >= 1 && height >= 1 && width <= kLargest && height <= kLargest,
             "a drawing of {} x {} pixels, expected 1 .. {}", width, height, kLargest);
  state_ = std::make_unique<State>(width, height);
  rectangle(0, 0, width, height, {1, 1, 1, 1});
}

Canvas::~Canvas() = default;
Canvas::Canvas(Canvas&&) noexcept = default;
Canvas& Canvas::operator=(Canvas&&) noexcept = default;

int Canvas::width() const {
  return state_->width;
}
int Canvas::height() const {
  return state_->height;
}

void Canvas::line(double x0, double y0, double x1, double y1, Color color, double thickness, bool dashed) {
  cairo_t* c = state_->context;
  static constexpr std::array<double, 2> kDashes{6, 4};
  state_->color(color);
  cairo_set_line_width(c, thickness);
  cairo_set_dash(c, kDashes.data(), dashed ? 2 : 0, 0);
  cairo_move_to(c, x0, y0);
  cairo_line_to(c, x1, y1);
  cairo_stroke(c);
}

void Canvas::rectangle(double x, double y, double w, double h, Color color) {
  state_->color(color);
  cairo_rectangle(state_->context, x, y, w, h);
  cairo_fill(state_->context);
}

void Canvas::frame(double x, double y, double w, double h, Color color, double thickness) {
  state_->color(color);
  cairo_set_line_width(state_->context, thickness);
  cairo_set_dash(state_->context, nullptr, 0, 0);
  cairo_rectangle(state_->context, x, y, w, h);
  cairo_stroke(state_->context);
}

void Canvas::text(double x, double y, std::string_view text, double size, Color color, Align align,
                  double degrees) {
  cairo_t* c = state_->context;
  const double width = text_width(text, size);
  const double left = align == Align::Left ? 0 : align == Align::Center ? -width / 2 : -width;
  cairo_save(c);
  state_->color(color);
  cairo_translate(c, x, y);
  cairo_rotate(c, -degrees * std::numbers::pi / 180);
  cairo_move_to(c, left, 0);
  cairo_set_font_size(c, size);
  cairo_show_text(c, std::string(text).c_str());
  cairo_restore(c);
}

double Canvas::text_width(std::string_view text, double size) const {
  cairo_text_extents_t extents;
  cairo_set_font_size(state_->context, size);
  cairo_text_extents(state_->context, std::string(text).c_str(), &extents);
  return extents.x_advance;
}

void Canvas::push_clip(double x, double y, double w, double h) {
  cairo_save(state_->context);
  cairo_rectangle(state_->context, x, y, w, h);
  cairo_clip(state_->context);
}

void Canvas::pop_clip() {
  cairo_restore(state_->context);
}

void Canvas::write_svg(const std::filesystem::path& file) const {
  std::string text;
  cairo_surface_t* svg = cairo_svg_surface_create_for_stream(append, &text, state_->width, state_->height);
  cairo_status_t status = paint(state_->recording, svg);
  cairo_surface_finish(svg);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(svg);
  cairo_surface_destroy(svg);
  require(status, file);
  std::ofstream out(file, std::ios::binary);
  out << number_surfaces(text);
  out.close();
  require(out ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR, file);
}

void Canvas::write_png(const std::filesystem::path& file) const {
  cairo_surface_t* image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, state_->width, state_->height);
  cairo_status_t status = paint(state_->recording, image);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png(image, file.c_str());
  cairo_surface_destroy(image);
  require(status, file);
}

}  // namespace n2d2::plot
