// How are pictures of real text written, with shapes that a style colours?
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "shown.hpp"

namespace n2d2::report {

/// Colours that a style has; classes c0, c1, ...
inline constexpr int kColors = 10;

/// At most one digit behind the point: "12", "12.5".
inline std::string coordinate(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

inline std::string rectangle(std::string_view style, double x, double y, double width, double height,
                             std::string_view content = "") {
  const std::string begin =
      fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", style, coordinate(x),
                  coordinate(y), coordinate(width), coordinate(height));
  return content.empty() ? begin + "/>" : fmt::format("{}>{}</rect>", begin, content);
}

inline std::string line(std::string_view style, double x0, double y0, double x1, double y1) {
  return fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>", style, coordinate(x0),
                     coordinate(y0), coordinate(x1), coordinate(y1));
}

/// `style`: classes; "e" and "m" anchor the text at its end and its middle.
inline std::string words_at(std::string_view style, double x, double y, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", style, coordinate(x), coordinate(y),
                     html(text));
}

/// What a pointer that rests on a shape is told.
inline std::string hint(std::string_view text) {
  return fmt::format("<title>{}</title>", html(text));
}

/// A picture that keeps its proportions and is `title` to who cannot see it. Wide ones are shown at most at
/// their own size.
inline std::string picture(std::string_view attributes, double width, double height, std::string_view title,
                           std::string_view content) {
  return fmt::format(
      "<svg {} role=\"group\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" width=\"{}\" "
      "height=\"{}\">\n{}</svg>\n",
      attributes, html(title), coordinate(width), coordinate(height), coordinate(width), coordinate(height),
      content);
}

/// The beginning of a text that has room for so many characters.
std::string fitting(std::string_view text, double width, double of_character);

}  // namespace n2d2::report
