#include "stimuli.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace n2d2::targets::cpp {

namespace {

template <class T>
std::string value_text(T value) {
  if constexpr (std::is_same_v<T, float>)
    return fmt::format("{:.9g}", value);
  else
    return std::to_string(value);
}

template <class T>
std::string dump_of(const Tensor& nchw) {
  const Shape& s = nchw.shape();
  const T* values = nchw.data<T>();
  std::string out;
  for (int64_t c = 0; c < s.c(); ++c) {
    out += fmt::format("{}:\n", c);
    for (int64_t y = 0; y < s.h(); ++y) {
      for (int64_t x = 0; x < s.w(); ++x) out += (x > 0 ? " " : "") + value_text(*values++);
      out += "\n";
    }
    out += "\n";
  }
  return out;
}

std::string little_endian(int32_t value) {
  const auto bits = static_cast<uint32_t>(value);
  std::string out;
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((bits >> shift) & 0xff);
  return out;
}

void append(const Tensor& values, std::string& out) {
  out.append(static_cast<const char*>(values.raw()), static_cast<size_t>(values.bytes()));
}

/// The picture row by row, then what is wanted of each target: classes, or the elements of the picture, plane
/// by plane.
std::string netpbm(const PlannedNetwork& network, const Stimulus& stimulus) {
  const Tensor values = input_values(network, stimulus.input);
  const Shape& s = values.shape();
  const int bits = network.options.bits;
  std::string out = fmt::format("{}\n{} {}\n{}\n", s.c() > 1 ? "P6" : "P5", s.w(), s.h(),
                                bits > 0 && bits <= 8 ? 255 : 65535);
  append(to_layout(values, Layout::Nhwc), out);
  const std::vector<Output>& targets = network.program().outputs;
  for (size_t t = 0; t < targets.size(); ++t) {
    if (targets[t].is_data)
      append(to_layout(values, Layout::Nchw), out);
    else
      for (const int32_t cls : stimulus.expected.at(t)) out += little_endian(cls);
  }
  return out;
}

struct ValueStatistics {
  double min = std::numeric_limits<double>::infinity(), max = -min, sum = 0;
  int64_t count = 0;
  void add(const Tensor& input) {
    for (const float v : input.span()) {
      min = std::min<double>(min, v);
      max = std::max<double>(max, v);
      sum += v;
    }
    count += input.elements();
  }
};

}  // namespace

std::string stimulus_name(size_t index, size_t count, int64_t channels) {
  size_t digits = 0;
  for (size_t limit = 1; limit < count; limit *= 10) ++digits;
  return fmt::format("env{:0{}}.{}", index, std::max<size_t>(digits, 1), channels > 1 ? "ppm" : "pgm");
}

std::string dump_text(const Tensor& tensor) {
  const Tensor nchw = to_layout(tensor, Layout::Nchw);
  switch (nchw.dtype()) {
    case DataType::F32:
      return dump_of<float>(nchw);
    case DataType::I8:
      return dump_of<int8_t>(nchw);
    case DataType::U8:
      return dump_of<uint8_t>(nchw);
    case DataType::I16:
      return dump_of<int16_t>(nchw);
    case DataType::U16:
      return dump_of<uint16_t>(nchw);
    case DataType::I32:
      return dump_of<int32_t>(nchw);
    case DataType::I64:
      return dump_of<int64_t>(nchw);
  }
  return {};
}

void write_stimuli(const PlannedNetwork& network, std::span<const Stimulus> stimuli,
                   exporter::FileTree& tree) {
  const int64_t channels = network.input_type().shape.c();
  std::string list, link;
  ValueStatistics statistics;
  for (size_t i = 0; i < stimuli.size(); ++i) {
    const std::string path = "stimuli/" + stimulus_name(i, stimuli.size(), channels);
    tree.write(path, netpbm(network, stimuli[i]));
    list += path + "\n";
    link += path + " " + stimuli[i].name + "\n";
    statistics.add(stimuli[i].input);
  }
  tree.write("stimuli.list", list);
  tree.write("stimuli.link", link);
  if (stimuli.empty()) return;
  tree.write("stimuli_stats/stimuli.log",
             fmt::format("stimuli {}\nsize {}\nmin {}\nmax {}\nmean {}\n", stimuli.size(),
                         network.input_type().shape.text(), statistics.min, statistics.max,
                         statistics.sum / static_cast<double>(statistics.count)));
}

}  // namespace n2d2::targets::cpp
