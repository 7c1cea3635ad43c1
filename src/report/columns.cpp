#include "columns.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "n2d2/base/text.hpp"

namespace n2d2::report {

namespace {

template <class T>
std::function<std::optional<double>(const Layer&)> member(std::optional<T> Layer::*which) {
  return [which](const Layer& layer) -> std::optional<double> {
    const auto& value = layer.*which;
    if (!value) return std::nullopt;
    return static_cast<double>(*value);
  };
}

Column text_column(std::string key, std::string title, bool is_overlay,
                   std::function<std::string(const Layer&)> text) {
  Column out;
  out.key = std::move(key), out.title = std::move(title);
  out.is_overlay = is_overlay, out.is_text = true, out.text = std::move(text);
  return out;
}

template <class T>
Column number_column(std::string key, std::string title, bool is_overlay, std::optional<T> Layer::*which,
                     int digits = 0, double factor = 1) {
  Column out;
  out.key = std::move(key), out.title = std::move(title), out.is_overlay = is_overlay;
  out.factor = factor, out.digits = digits, out.number = member(which);
  return out;
}

const std::vector<Column>& all_columns() {
  constexpr bool kOverlay = true, kTable = false;
  static const std::vector<Column> kColumns{
      text_column("name", "layer", kTable, [](const Layer& l) { return l.name; }),
      text_column("type", "type", kTable, [](const Layer& l) { return l.type; }),
      text_column("output", "output", kTable, extents_text),
      number_column("ram", "RAM in use, bytes", kOverlay, &Layer::ram),
      number_column("map_bytes", "its map, bytes", kTable, &Layer::map_bytes),
      number_column("macs", "MACs", kOverlay, &Layer::macs),
      number_column("flash", "flash, bytes", kOverlay, &Layer::flash),
      number_column("instructions", "instructions", kOverlay, &Layer::instructions),
      number_column("weight_bits", "bits of weights", kOverlay, &Layer::weight_bits),
      number_column("bits", "bits of values", kOverlay, &Layer::bits),
      text_column("kernel", "kernel", kOverlay,
                  [](const Layer& l) {
                    return l.form.empty() || l.form == l.kernel ? l.kernel : l.kernel + " " + l.form;
                  }),
      number_column("sqnr_db", "SQNR, dB", kOverlay, &Layer::sqnr_db, 1),
      number_column("own_sqnr_db", "own SQNR, dB", kTable, &Layer::own_sqnr_db, 1),
      number_column("blame", "share of the noise, %", kOverlay, &Layer::blame, 1, 100),
      number_column("clipped", "clipped, %", kTable, &Layer::clipped, 3, 100),
      number_column("threshold", "threshold", kTable, &Layer::threshold, 4),
      number_column("headroom_bits", "free bits of sums", kTable, &Layer::headroom_bits, 1),
  };
  return kColumns;
}

}  // namespace

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "";
  const std::string text = fmt::format("{:.{}f}", std::fabs(value), digits);
  const size_t point = std::min(text.find('.'), text.size());
  constexpr size_t kMostDigits = 15;
  if (point > kMostDigits) return fmt::format("{:.4g}", value);
  const bool is_zero = text.find_first_not_of("0.") == std::string::npos;
  return (value < 0 && !is_zero ? "-" : "") + with_thousands(std::stoll(text.substr(0, point))) +
         text.substr(point);
}

std::string extents_text(const Layer& layer) {
  std::string out;
  for (const int64_t extent : layer.output) out += (out.empty() ? "" : "x") + std::to_string(extent);
  return out;
}

std::string Column::shown_of(const Layer& layer) const {
  if (is_text) return text(layer);
  const std::optional<double> value = number(layer);
  return value ? number_text(factor * *value, digits) : "";
}

std::vector<Column> columns_of(const std::vector<Layer>& layers) {
  std::vector<Column> out;
  for (const Column& column : all_columns())
    if (std::any_of(layers.begin(), layers.end(),
                    [&](const Layer& layer) { return !column.shown_of(layer).empty(); }))
      out.push_back(column);
  return out;
}

}  // namespace n2d2::report
