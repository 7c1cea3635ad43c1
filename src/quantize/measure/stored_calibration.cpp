#include "n2d2/quantize/stored_calibration.hpp"

#include <charconv>

#include "n2d2/base/random.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/graph/integer_form.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::quantize {

namespace {

constexpr std::string_view kMagic = "n2d2 calibration 1";
constexpr std::string_view kConstant = "constant";
constexpr const char* kHint = "without '-calib-reload', '-calib' measures again";

std::string hash_text(std::string_view bytes) {
  return fmt::format("{:016x}", hash_bytes(bytes));
}

void print(std::string& out, const Histogram& histogram) {
  out += fmt::format("histogram {} {} {}", histogram.min(), histogram.max(), histogram.bins());
  for (int64_t i = 0; i < histogram.bins(); ++i)
    if (const uint64_t count = histogram.counts()[static_cast<size_t>(i)])
      out += fmt::format(" {} {}", i, count);
  out += '\n';
}

void print(std::string& out, const Statistics& s) {
  out += fmt::format("range {} {} {} {} {} {}\n", s.min, s.max, s.smallest, s.count, s.sum, s.sum_of_squares);
  for (const auto* of_channel : {&s.channel_sums, &s.channel_squares, &s.channel_peaks, &s.channel_peak_sums,
                                 &s.channel_peak_squares}) {
    out += "channels";
    for (const double x : *of_channel) out += fmt::format(" {}", x);
    out += '\n';
  }
  if (s.histogram)
    print(out, *s.histogram);
  else
    out += "no histogram\n";
}

template <class T>
std::string line_of(std::string_view head, const std::vector<T>& numbers) {
  std::string out(head);
  for (const T x : numbers) out += fmt::format(" {}", x);
  return out + '\n';
}

template <class Take>
void print(const Take& take, std::string_view reading, const graph::Graph& graph, const Ranges& ranges) {
  take(fmt::format("{} {} {}\n", reading, ranges.samples, ranges.values.size()));
  if (!ranges.constant_samples.empty()) take(line_of(kConstant, ranges.constant_samples));
  for (const auto& [id, statistics] : ranges.values) {
    std::string lines = "value " + graph::escaped_name(graph.value(id).name) + '\n';
    print(lines, statistics);
    take(lines);
  }
}

template <class Take>
void print(const Take& take, const Rounding& rounding) {
  take(fmt::format("rounding {}\n", rounding.layers.size()));
  for (const RoundedLayer& layer : rounding.layers) {
    take(fmt::format("layer {} {} {} {} {} {}\n", graph::escaped_name(layer.name), layer.bits,
                     layer.biases.size(), layer.nearest, layer.chosen, layer.improved));
    take(line_of("scales", layer.scales));
    take(line_of("biases", layer.biases));
    const size_t row = layer.integers.size() / layer.biases.size();
    for (size_t first = 0; first < layer.integers.size(); first += row) {
      std::string line = "weights ";
      for (size_t i = first; i < first + row; ++i)
        line += fmt::format("{:02x}", static_cast<uint8_t>(layer.integers[i]));
      take(line + '\n');
    }
  }
}

/// Name of the setting where that is the one of the options.
constexpr std::string_view kAsAsked = "as_asked";

std::string line_of(const ChosenSetting& setting) {
  const std::string name = setting.name.empty() ? std::string(kAsAsked) : setting.name;
  std::string out = fmt::format("setting {} {} {}\n", graph::escaped_name(name), setting.activation_clipping,
                                setting.effort);
  for (const TriedSetting& tried : setting.tried)
    out +=
        fmt::format("tried {} {}\n",
                    graph::escaped_name(tried.name.empty() ? std::string(kAsAsked) : tried.name), tried.snr);
  if (!setting.widths) return out;
  out += fmt::format("widths {}\n", setting.widths->size());
  for (const auto& [layer, widths] : *setting.widths)
    out += fmt::format("width {} {} {}\n", graph::escaped_name(layer), widths.weights, widths.activations);
  return out;
}

/// Reads line by line; what is not as to_text() writes it ends with a ConfigError that names the line.
class CalibrationReader {
 public:
  CalibrationReader(const graph::Graph& graph, std::string_view text, const std::string& where)
      : graph_(graph), rest_(text), where_(where) {}

  [[noreturn]] void fail(const std::string& expected) const {
    throw ConfigError(fmt::format("calibration: expected {}", expected), {where_, line_}, kHint);
  }

  std::string_view line() {
    const size_t end = rest_.find('\n');
    ++line_;
    if (end == std::string_view::npos) fail("a whole line, found the end of the file");
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }

  /// The words behind the first one of a line, which must be `head`.
  std::vector<std::string> words(std::string_view head) {
    std::vector<std::string> found = split(line(), ' ');
    if (found.empty() || found.front() != head) fail(fmt::format("'{}'", head));
    found.erase(found.begin());
    return found;
  }

  template <class T>
  T number(const std::string& word) const {
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size())
      fail(fmt::format("a number, found '{}'", word));
    return value;
  }

  std::vector<std::pair<std::string, std::string>> origin() {
    std::vector<std::pair<std::string, std::string>> out;
    for (std::string_view next = line(); next != "origin ends"; next = line()) {
      const size_t colon = next.find(": ");
      if (colon == std::string_view::npos) fail("'name: value' or 'origin ends'");
      out.emplace_back(next.substr(0, colon), next.substr(colon + 2));
    }
    return out;
  }

  Ranges ranges(std::string_view reading) {
    const auto head = words(reading);
    if (head.size() != 2) fail("how many samples and values");
    Ranges out;
    out.samples = number<int64_t>(head[0]);
    if (next_is(kConstant))
      for (const std::string& word : words(kConstant)) {
        out.constant_samples.push_back(number<int64_t>(word));
        if (const int64_t n = out.constant_samples.back(); n < 0 || n >= out.samples)
          fail(fmt::format("a sample below {}", out.samples));
      }
    for (auto values = number<uint64_t>(head[1]); values > 0; --values) {
      const auto name = words("value");
      const auto text = name.size() == 1 ? graph::unescaped(name[0]) : std::nullopt;
      const auto id = text ? graph_.find_value(*text) : std::nullopt;
      if (!id || graph_.value(*id).is_constant() || out.values.contains(*id))
        fail("a value of the network that is not there yet");
      out.values.emplace(*id, statistics(static_cast<size_t>(graph_.value(*id).type.shape.c())));
    }
    for (const graph::ValueId id : graph_.values())
      if (!graph_.value(id).is_constant() && !out.values.contains(id))
        fail(fmt::format("value '{}'", graph_.value(id).name));
    return out;
  }

  Rounding rounding() {
    const auto head = words("rounding");
    if (head.size() != 1) fail("how many layers");
    Rounding out;
    for (auto layers = number<uint64_t>(head[0]); layers > 0; --layers) out.layers.push_back(rounded_layer());
    return out;
  }

  ChosenSetting chosen() {
    const auto found = words("setting");
    if (found.size() != 3) fail("a setting, its clipping and its effort");
    ChosenSetting out;
    const auto name = graph::unescaped(found[0]);
    if (!name) fail("a setting");
    if (*name != kAsAsked) out.name = *name;
    out.activation_clipping = found[1];
    out.effort = number<int>(found[2]);
    while (next_is("tried ")) out.tried.push_back(tried());
    if (next_is("widths ")) out.widths = widths();
    return out;
  }

  bool next_is(std::string_view head) const { return rest_.starts_with(head); }
  bool at_end() const { return rest_.empty(); }

 private:
  TriedSetting tried() {
    const auto found = words("tried");
    if (found.size() != 2) fail("a setting that was tried, and its dB");
    const auto name = graph::unescaped(found[0]);
    if (!name) fail("a setting");
    return {*name == kAsAsked ? "" : *name, number<double>(found[1])};
  }

  std::map<std::string, LayerWidths, std::less<>> widths() {
    const auto head = words("widths");
    if (head.size() != 1) fail("how many layers");
    std::map<std::string, LayerWidths, std::less<>> out;
    for (auto layers = number<uint64_t>(head[0]); layers > 0; --layers) {
      const auto found = words("width");
      if (found.size() != 3) fail("a layer, and bits of its weights and of its values");
      const auto name = graph::unescaped(found[0]);
      if (!name || !graph_.find_node(*name) || out.contains(*name)) fail("a layer that is not there yet");
      const LayerWidths widths{bits(found[1]), bits(found[2])};
      out.emplace(*name, widths);
    }
    return out;
  }

  int bits(const std::string& word) const {
    const int found = number<int>(word);
    if (found != 0 && (found < kFewestBits || found > kMostBits))
      fail(fmt::format("0, or {} to {} bits, found '{}'", kFewestBits, kMostBits, word));
    return found;
  }

  Statistics statistics(size_t channels) {
    const auto range = words("range");
    if (range.size() != 6) fail("six numbers");
    Statistics s;
    s.min = number<double>(range[0]);
    s.max = number<double>(range[1]);
    s.smallest = number<double>(range[2]);
    s.count = number<uint64_t>(range[3]);
    s.sum = number<double>(range[4]);
    s.sum_of_squares = number<double>(range[5]);
    for (auto* of_channel : {&s.channel_sums, &s.channel_squares, &s.channel_peaks, &s.channel_peak_sums,
                             &s.channel_peak_squares}) {
      for (const std::string& word : words("channels")) of_channel->push_back(number<double>(word));
      if (of_channel->size() != channels) fail(fmt::format("numbers of {} channels", channels));
    }
    if (next_is("no histogram\n"))
      line();
    else
      s.histogram = histogram();
    return s;
  }

  RoundedLayer rounded_layer() {
    const auto head = words("layer");
    if (head.size() != 6) fail("a layer, its bits, outputs, errors and outputs that improved");
    const auto name = graph::unescaped(head[0]);
    const auto id = name ? graph_.find_node(*name) : std::nullopt;
    const bool is_weighted = id && graph::integer_form(graph_, graph_.node(*id)).weighted;
    if (!is_weighted) fail("a layer with weights");
    const Shape& shape = graph_.value(graph_.node(*id).inputs.at(1)).type.shape;
    RoundedLayer out;
    out.name = *name;
    out.bits = number<int>(head[1]);
    out.nearest = number<double>(head[3]), out.chosen = number<double>(head[4]);
    out.improved = number<int64_t>(head[5]);
    if (out.bits < 2 || out.bits > kBitsOfByte || number<int64_t>(head[2]) != shape[0])
      fail(fmt::format("at most {} bits, and {} outputs", kBitsOfByte, shape[0]));
    const auto outputs = static_cast<size_t>(shape[0]);
    for (const std::string& word : words("scales")) out.scales.push_back(number<float>(word));
    if (out.scales.size() != 1 && out.scales.size() != outputs) fail("a scale, or one an output");
    for (const std::string& word : words("biases")) out.biases.push_back(number<float>(word));
    if (out.biases.size() != outputs) fail(fmt::format("biases of {} outputs", outputs));
    for (size_t o = 0; o < outputs; ++o) {
      const auto bytes = words("weights");
      const auto row = static_cast<size_t>(shape.elements()) / outputs;
      if (bytes.size() != 1 || bytes[0].size() != 2 * row) fail(fmt::format("{} weights", row));
      for (size_t i = 0; i < row; ++i) out.integers.push_back(byte(bytes[0].substr(2 * i, 2)));
    }
    return out;
  }

  int8_t byte(const std::string& digits) const {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + 2, value, 16);
    if (error != std::errc{} || end != digits.data() + 2) fail(fmt::format("a byte, found '{}'", digits));
    return static_cast<int8_t>(static_cast<uint8_t>(value));
  }

  Histogram histogram() {
    const auto found = words("histogram");
    if (found.size() < 3 || found.size() % 2 == 0) fail("limits, the number of bins, and bins with counts");
    const auto min = number<double>(found[0]), max = number<double>(found[1]);
    const auto bins = number<int64_t>(found[2]);
    if (!(min < max) || bins < 1 || bins > kMostBins) fail("limits and bins of a histogram");
    Histogram out(min, max, bins);
    for (size_t i = 3; i < found.size(); i += 2) {
      const auto bin = number<int64_t>(found[i]);
      if (bin < 0 || bin >= bins) fail(fmt::format("a bin below {}", bins));
      out.insert(out.centre(bin), number<uint64_t>(found[i + 1]));
    }
    return out;
  }

  static constexpr int64_t kMostBins = 65536;
  static constexpr int kFewestBits = 2, kMostBits = 16;
  const graph::Graph& graph_;
  std::string_view rest_;
  std::string where_;
  int line_ = 0;
};

/// The text without its last line, which must be the hash of it.
std::string_view checked(std::string_view text, const std::string& where) {
  const size_t last = text.size() < 2 ? std::string_view::npos : text.rfind('\n', text.size() - 2);
  const std::string_view before = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  if (!text.starts_with(std::string(kMagic) + '\n'))
    throw ConfigError(fmt::format("calibration: expected '{}' in the first line", kMagic), {where, 1}, kHint);
  if (text.substr(before.size()) != "hash " + hash_text(before) + '\n')
    throw ConfigError("calibration: the file is cut or was changed, its hash is not that of its lines",
                      {where, 0}, kHint);
  return before.substr(kMagic.size() + 1);
}

using Origin = std::vector<std::pair<std::string, std::string>>;

void compare(const Origin& found, const Origin& expected, const std::string& where) {
  Diagnostics findings;
  const auto value_of = [](const Origin& origin, const std::string& name) {
    for (const auto& [key, value] : origin)
      if (key == name) return "'" + value + "'";
    return std::string("nothing");
  };
  for (const auto& [name, value] : expected)
    if (value_of(found, name) != "'" + value + "'")
      findings.error({where, 0},
                     fmt::format("calibration: {}: measured with {}, now it is '{}'", name,
                                 value_of(found, name), value),
                     kHint);
  for (const auto& [name, value] : found)
    if (value_of(expected, name) == "nothing")
      findings.error({where, 0},
                     fmt::format("calibration: {}: measured with '{}', now there is nothing", name, value),
                     kHint);
  findings.finish<ConfigError>();
}

}  // namespace

std::string fingerprint(const graph::Graph& graph) {
  std::string kept;
  const std::string text = graph::to_text_without_folders(graph);
  for (const std::string& line : split(text, '\n')) kept += line.substr(0, line.rfind(" @ ")) + '\n';
  return hash_text(kept);
}

void print(const graph::Graph& graph, const StoredCalibration& calibration,
           const std::function<void(std::string_view)>& sink) {
  uint64_t hash = hash_bytes({});
  const auto take = [&](const std::string& lines) {
    hash = hash_bytes(lines, hash);
    sink(lines);
  };
  take(std::string(kMagic) + '\n');
  for (const auto& [name, value] : calibration.origin) take(fmt::format("{}: {}\n", name, value));
  take("origin ends\n");
  if (calibration.before) print(take, "before", graph, *calibration.before);
  print(take, "ranges", graph, calibration.ranges);
  if (calibration.rounding) print(take, *calibration.rounding);
  if (calibration.chosen) take(line_of(*calibration.chosen));
  sink(fmt::format("hash {:016x}\n", hash));
}

std::string to_text(const graph::Graph& graph, const StoredCalibration& calibration) {
  std::string out;
  print(graph, calibration, [&](std::string_view lines) { out += lines; });
  return out;
}

StoredCalibration stored_calibration(const graph::Graph& graph, std::string_view text,
                                     const std::string& where, const Origin& expected) {
  const std::string_view lines = checked(text, where);
  CalibrationReader reader(graph, lines, where);
  StoredCalibration out;
  out.origin = reader.origin();
  compare(out.origin, expected, where);
  if (reader.next_is("before ")) out.before = reader.ranges("before");
  out.ranges = reader.ranges("ranges");
  if (reader.next_is("rounding ")) out.rounding = reader.rounding();
  if (reader.next_is("setting ")) out.chosen = reader.chosen();
  if (!reader.at_end()) reader.fail("nothing more");
  return out;
}

}  // namespace n2d2::quantize
