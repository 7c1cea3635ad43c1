// How is one drawing made and written as SVG and as PNG?
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace n2d2::plot {

/// Red, green, blue, opacity, each in [0, 1].
struct Color {
  double r = 0, g = 0, b = 0, a = 1;
};

/// Colours of report.html on white (src/report/page.css): --c0 to --c9, which differ from their neighbours,
/// again from ten on. kLimit has that of limits, --bad.
Color palette(int index);
inline constexpr int kLimit = -1;
Color lighter(Color color, double amount);  ///< amount 0: unchanged, 1: white
Color darker(Color color, double amount);   ///< amount 0: unchanged, 1: black

enum class Align { Left, Center, Right };

/// One drawing. Units are pixels, the origin is top left, y grows downwards. What is drawn is recorded and
/// written in the same form to either file.
class Canvas {
 public:
  /// White background. Throws InternalError unless 1 <= width, height <= 16384.
  Canvas(int width, int height);
  ~Canvas();
  Canvas(Canvas&&) noexcept;
  Canvas& operator=(Canvas&&) noexcept;

  int width() const;
  int height() const;

  void line(double x0, double y0, double x1, double y1, Color color, double thickness = 1,
            bool dashed = false);
  void rectangle(double x, double y, double w, double h, Color color);  ///< filled
  void frame(double x, double y, double w, double h, Color color, double thickness = 1);
  /// (x, y) is the left end, centre or right end of the baseline. `degrees` turns counterclockwise around it.
  void text(double x, double y, std::string_view text, double size, Color color, Align align = Align::Left,
            double degrees = 0);
  /// Width in pixels the text takes at this size.
  double text_width(std::string_view text, double size) const;
  /// What follows is cut off outside the rectangle, until the matching pop_clip.
  void push_clip(double x, double y, double w, double h);
  void pop_clip();

  /// Folders must exist. Throws ConfigError when the file cannot be written.
  void write_svg(const std::filesystem::path& file) const;
  void write_png(const std::filesystem::path& file) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace n2d2::plot
