#include "text_line.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "n2d2/base/text.hpp"
#include "n2d2/graph/text.hpp"

namespace n2d2::graph {

namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr size_t kMostShown = 60;
/// Widths of QuantParams: sums are of 63 bits, activations unsigned of 16.
constexpr int kMostBits = 63, kMostUnsignedBits = 32;

std::string_view next_word(std::string_view& text) {
  const size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  const size_t end = std::min(text.find_first_of(kBlanks, first), text.size());
  const std::string_view word = text.substr(first, end - first);
  text.remove_prefix(end);
  return word;
}

template <class T>
void read_as(const Line& line, std::string_view text, Tensor& tensor) {
  for (T& element : tensor.span<T>()) {
    const std::string_view word = next_word(text);
    if constexpr (std::is_same_v<T, float>) {
      element = line.finite(word);
    } else {
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), element);
      if (error != std::errc() || end != word.data() + word.size())
        line.fail("an integer of " + to_string(tensor.dtype()), word);
    }
  }
}

/// "zero 127.5" at the end of the words, which are taken away.
double take_zero_point(const Line& line, std::vector<std::string>& parts) {
  const size_t count = parts.size();
  if (count < 2 || parts[count - 2] != "zero") return 0;
  const auto zero = parse_real(parts.back());
  if (!zero || !std::isfinite(*zero)) line.fail("a finite zero point", parts.back());
  parts.resize(count - 2);
  return *zero;
}

QuantParams parse_quant(const Line& line, std::vector<std::string> parts) {
  const double zero_point = take_zero_point(line, parts);
  if (parts.size() < 3) line.fail("bits, sign and axis", join(parts, " "));
  QuantParams quant{line.integer<int>(parts[0]), parts[1] == "signed", line.integer<int>(parts[2]), {}};
  quant.zero_point = zero_point;
  if (!quant.is_signed && parts[1] != "unsigned") line.fail("signed or unsigned", parts[1]);
  const int most = quant.is_signed ? kMostBits : kMostUnsignedBits;
  if (quant.bits < 2 || quant.bits > most) line.fail(fmt::format("2 to {} bits", most), parts[0]);
  size_t i = 3;
  for (; i < parts.size() && parts[i] != "of"; ++i) {
    quant.scale.push_back(line.finite(parts[i]));
    // Weights of an output may be those of its negative, axis -1 is a value's.
    if (quant.axis < 0 && !(quant.scale.back() > 0)) line.fail("a scale above 0", parts[i]);
    if (quant.scale.back() == 0) line.fail("a scale other than 0", parts[i]);
  }
  for (++i; i < parts.size(); ++i) {
    const auto threshold = parse_real(parts[i]);
    quant.threshold.push_back(threshold.value_or(0));
    const size_t at = quant.threshold.size() - 1;
    const bool is_negative = at < quant.scale.size() && quant.scale[at] < 0;
    if (is_negative ? !(quant.threshold[at] < 0) : !(quant.threshold[at] > 0))
      line.fail(is_negative ? "a threshold below 0, as its scale is" : "a threshold above 0", parts[i]);
  }
  if (!quant.threshold.empty() && quant.threshold.size() != quant.scale.size())
    line.fail(fmt::format("{} thresholds", quant.scale.size()), fmt::format("{}", quant.threshold.size()));
  return quant;
}

void check_scales(const Line& line, const QuantParams& quant, const Shape& shape) {
  if (quant.axis < -1 || quant.axis >= static_cast<int>(shape.rank()))
    line.fail(fmt::format("an axis of -1 to {}", static_cast<int>(shape.rank()) - 1),
              std::to_string(quant.axis));
  const int64_t wanted = quant.axis < 0 ? 1 : shape[static_cast<size_t>(quant.axis)];
  if (static_cast<int64_t>(quant.scale.size()) != wanted)
    line.fail(fmt::format("{} scales", wanted), fmt::format("{}", quant.scale.size()));
}

}  // namespace

void Line::fail(const std::string& expected, std::string_view found) const {
  std::string shown(found.substr(0, kMostShown));
  if (found.size() > kMostShown) shown += "...";
  throw ModelError(fmt::format("graph text: expected {}, got '{}'", expected, shown), where_);
}

bool Line::skip(std::string_view word) {
  if (!text_.starts_with(word)) return false;
  text_.remove_prefix(word.size());
  return true;
}

void Line::expect(std::string_view mark, const std::string& expected) {
  if (!skip(mark)) fail(expected, text_);
}

std::string_view Line::until(std::string_view mark, const std::string& expected) {
  const size_t at = text_.find(mark);
  if (at == std::string_view::npos) fail(expected, text_);
  const std::string_view head = trim(text_.substr(0, at));
  text_.remove_prefix(at + mark.size());
  return head;
}

std::string Line::quoted() {
  text_.remove_prefix(1);
  const size_t end = text_.find('"');
  if (end == std::string_view::npos) fail("a closing '\"'", text_);
  const std::string_view inside = text_.substr(0, end);
  text_.remove_prefix(end + 1);
  auto text = unescaped(inside);
  if (!text) fail("'\\xNN' after '\\'", inside);
  return std::move(*text);
}

std::string Line::name(std::string_view mark) {
  text_.remove_prefix(std::min(text_.find_first_not_of(kBlanks), text_.size()));
  if (text_.starts_with('"')) return quoted();
  const std::string_view name = trim(text_.substr(0, text_.find(mark)));
  text_.remove_prefix(std::min(text_.find(mark), text_.size()));
  return std::string(name);
}

std::vector<std::string> Line::arguments() {
  std::vector<std::string> out;
  while (true) {
    text_.remove_prefix(std::min(text_.find_first_not_of(kBlanks), text_.size()));
    if (out.empty() && skip(")")) return out;
    if (text_.starts_with('"')) {
      out.push_back(quoted());
    } else {
      const size_t end = text_.find_first_of(",)");
      out.emplace_back(trim(text_.substr(0, end)));
      text_.remove_prefix(std::min(end, text_.size()));
    }
    if (skip(")")) return out;
    expect(",", "')' after the inputs");
  }
}

std::map<std::string, std::string> Line::fields() {
  std::map<std::string, std::string> fields;
  for (text_ = trim(text_); !text_.empty() && !text_.starts_with("@ "); text_ = trim(text_)) {
    const size_t equals = text_.find("=\"");
    if (equals == std::string_view::npos) fail("Name=\"value\"", text_);
    const std::string name(trim(text_.substr(0, equals)));
    text_.remove_prefix(equals + 1);
    if (!fields.emplace(name, quoted()).second) fail("each field once", name);
  }
  return fields;
}

SourceLocation Line::origin() {
  if (!skip("@ ")) return {};
  std::string file;
  if (text_.starts_with('"')) {
    file = quoted();
    expect(":", "file:line");
  } else {
    const size_t colon = text_.rfind(':');
    if (colon == std::string_view::npos) fail("file:line", text_);
    file = text_.substr(0, colon);
    text_.remove_prefix(colon + 1);
  }
  return {std::move(file), integer<int>(rest())};
}

std::string_view Line::rest() {
  return trim(std::exchange(text_, {}));
}

float Line::number(std::string_view text) const {
  if (text == "inf") return std::numeric_limits<float>::infinity();
  if (text == "-inf") return -std::numeric_limits<float>::infinity();
  return finite(text);
}

float Line::finite(std::string_view text) const {
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    fail("a finite number", text);
  return value;
}

TensorType parse_type(const Line& line, std::string_view text) {
  TensorType type;
  std::string_view quant;
  if (const size_t at = text.find("quant("); at != std::string_view::npos) {
    quant = text.substr(at + 6);
    if (!quant.ends_with(')')) line.fail("')' after quant(", text);
    quant.remove_suffix(1);
    text = trim(text.substr(0, at));
  }
  const auto parts = words(text);
  if (parts.size() < 2 || parts.size() > 3 || !ValueText<DataType>::parse(parts[0], type.dtype))
    line.fail("type and shape", text);
  std::vector<int64_t> dims;
  for (const std::string& d : split(parts[1], 'x')) dims.push_back(line.integer<int64_t>(d));
  for (const int64_t d : dims)
    if (d < 1) line.fail("extents >= 1", parts[1]);
  type.shape = Shape(std::move(dims));
  (void)type.shape.elements();  // ModelError when they are too many
  if (parts.size() > 2 && !ValueText<Layout>::parse(parts[2], type.layout))
    line.fail("nchw or nhwc", parts[2]);
  if (quant.empty()) return type;
  type.quant = parse_quant(line, words(quant));
  check_scales(line, *type.quant, type.shape);
  return type;
}

int64_t count_words(std::string_view text) {
  int64_t count = 0;
  while (!next_word(text).empty()) ++count;
  return count;
}

void read_elements(const Line& line, std::string_view text, Tensor& tensor) {
  switch (tensor.dtype()) {
    case DataType::F32:
      return read_as<float>(line, text, tensor);
    case DataType::I8:
      return read_as<int8_t>(line, text, tensor);
    case DataType::U8:
      return read_as<uint8_t>(line, text, tensor);
    case DataType::I16:
      return read_as<int16_t>(line, text, tensor);
    case DataType::U16:
      return read_as<uint16_t>(line, text, tensor);
    case DataType::I32:
      return read_as<int32_t>(line, text, tensor);
    case DataType::I64:
      return read_as<int64_t>(line, text, tensor);
  }
}

}  // namespace n2d2::graph
