#include "array_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>

#include "n2d2/base/error.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2::data {

namespace {

constexpr int64_t kMostElements = int64_t{1} << 31, kMostSamples = 1 << 22;
constexpr std::string_view kMagic = "\x93NUMPY";

/// By ElementType.
constexpr std::array<int64_t, 9> kBytes{0, 1, 1, 2, 2, 4, 8, 4, 8};

int64_t bytes_of_type(ElementType type) {
  return kBytes[static_cast<size_t>(type)];
}

/// Product; -1 for an extent below 1 and from kMostElements on.
template <class T>
int64_t product(const std::vector<T>& extents) {
  int64_t out = 1;
  for (const int64_t extent : extents) {
    if (extent < 1 || extent >= kMostElements || out > kMostElements / extent) return -1;
    out *= extent;
  }
  return out < kMostElements ? out : -1;
}

template <class T>
std::vector<int64_t> without_ones(const std::vector<T>& extents) {
  std::vector<int64_t> out;
  for (const int64_t extent : extents)
    if (extent != 1) out.push_back(extent);
  return out;
}

template <class T>
std::string text_of(const std::vector<T>& extents) {
  std::vector<std::string> words;
  for (const auto extent : extents) words.push_back(std::to_string(extent));
  return join(words, " ");
}

/// What stands behind `'key':` in the head of a .npy, up to `end`; "" when it is not there.
std::string_view entry(std::string_view head, std::string_view key, std::string_view end) {
  const std::string wanted = fmt::format("'{}':", key);
  const size_t at = head.find(wanted);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = trim(head.substr(at + wanted.size()));
  const size_t stop = rest.find(end, 1);
  return stop == std::string_view::npos ? std::string_view() : rest.substr(0, stop + end.size());
}

/// "'<f4'": the type and whether its bytes are turned round.
std::pair<ElementType, bool> element_type(std::string_view quoted) {
  constexpr std::array<std::string_view, 9> kCodes{"", "u1", "i1", "u2", "i2", "i4", "i8", "f4", "f8"};
  if (quoted.size() != 5 || quoted.front() != '\'') return {ElementType::None, false};
  const char order = quoted[1];
  const auto found = std::find(kCodes.begin() + 1, kCodes.end(), quoted.substr(2, 2));
  if (found == kCodes.end() || std::string_view("<>=|").find(order) == std::string_view::npos)
    return {ElementType::None, false};
  return {static_cast<ElementType>(found - kCodes.begin()), order == '>'};
}

/// "(10, 3, 32, 32)"; nothing when it is no list of integers.
std::optional<std::vector<int64_t>> extents_of(std::string_view text) {
  if (text.size() < 2 || text.front() != '(') return std::nullopt;
  std::vector<int64_t> out;
  for (const std::string& item : split(std::string(text.substr(1, text.size() - 2)), ',')) {
    if (trim(item).empty()) continue;
    const auto value = parse_whole(trim(item));
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

}  // namespace

bool is_sample_shape(const std::vector<int>& shape) {
  return shape.size() == 3 && product(shape) > 0;
}

bool is_array_ending(std::string_view ending) {
  return ending == "npy" || ending == "csv" || ending == "bin";
}

ArrayFile::ArrayFile(std::filesystem::path path, const ArrayFormat& format) : path_(std::move(path)) {
  try {
    expect_regular_file(path_);
  } catch (const FileError& error) {
    fail(error.reason);
  }
  std::string ending = path_.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending == ".npy")
    open_npy(format);
  else if (ending == ".csv" || ending == ".dat" || ending == ".txt")
    open_csv(format);
  else
    open_bin(format);
  if (count_ > kMostSamples)
    fail(fmt::format("expected at most {} samples in a file, found {}", with_thousands(kMostSamples),
                     with_thousands(count_)));
}

void ArrayFile::fail(const std::string& message, const std::string& hint) const {
  throw ConfigError(fmt::format("{}: {}", path_.string(), message), {}, hint);
}

void ArrayFile::open_npy(const ArrayFormat& format) {
  std::ifstream in(path_, std::ios::binary);
  std::array<char, 12> start{};
  in.read(start.data(), start.size());
  const int version = start[6];
  if (!in || std::string_view(start.data(), kMagic.size()) != kMagic || version < 1 || version > 3)
    fail("no .npy file: expected the head of one of version 1, 2 or 3");
  const auto byte = [&](size_t at) { return int64_t{static_cast<unsigned char>(start[at])}; };
  const int64_t before = version == 1 ? 10 : 12;
  const int64_t length = byte(8) | byte(9) << 8 | (version == 1 ? 0 : byte(10) << 16 | byte(11) << 24);
  constexpr int64_t kLongestHead = 1 << 16;
  if (length > kLongestHead)
    fail(fmt::format("expected a head of at most {} bytes, it has {}", kLongestHead, length));
  std::string head(static_cast<size_t>(length), '\0');
  in.seekg(before);
  in.read(head.data(), length);
  if (!in) fail("cut short in its head");
  head_bytes_ = before + length;
  const std::string_view type = entry(head, "descr", "'");
  std::tie(type_, is_swapped_) = element_type(type);
  if (type_ == ElementType::None)
    fail(fmt::format("expected elements of u1, i1, u2, i2, i4, i8, f4 or f8, got {}",
                     type.empty() ? "others" : std::string(type)),
         "'astype(numpy.float32)' makes such an array");
  if (entry(head, "fortran_order", ",") != "False,")
    fail("expected rows of elements (fortran_order False)", "'numpy.ascontiguousarray' makes such an array");
  const auto dims = extents_of(entry(head, "shape", ")"));
  if (!dims) fail("its head has no shape");
  take_npy_shape(*dims, format);
  check_bytes();
}

void ArrayFile::take_npy_shape(const std::vector<int64_t>& dims, const ArrayFormat& format) {
  const int64_t all = product(dims);
  if (all < 0)
    fail(fmt::format("expected extents >= 1 of fewer than 2^31 elements, found {}", text_of(dims)));
  if (format.shape.empty()) {
    if (dims.size() > 4) fail(fmt::format("expected N C H W, C H W, H W or W, found {}", text_of(dims)));
    const auto extent = [&](size_t from_last) {
      return dims.size() > from_last ? static_cast<int>(dims[dims.size() - 1 - from_last]) : 1;
    };
    width_ = extent(0), height_ = extent(1), channels_ = extent(2);
    count_ = dims.size() == 4 ? dims[0] : 1;
    return;
  }
  channels_ = format.shape[0], height_ = format.shape[1], width_ = format.shape[2];
  const int64_t elements = product(format.shape);
  const std::vector<int> pixels{height_, width_, channels_};
  const auto take = [&](const std::vector<int64_t>& sample, int64_t count) {
    const auto found = without_ones(sample);
    const bool fits_planes = found == without_ones(format.shape) || found.size() <= 1;
    const bool fits_pixels = found == without_ones(pixels) || found.size() <= 1;
    has_pixels_ = fits_pixels && (format.channels_last || !fits_planes) && !format.any_extents;
    if (product(sample) == elements && (fits_planes || fits_pixels || format.any_extents)) count_ = count;
    return count_ > 0;
  };
  if (!take(dims, 1) && (dims.empty() || !take({dims.begin() + 1, dims.end()}, dims[0])))
    fail(fmt::format(
             "expected samples of {} (channels, height, width) or {} (height, width, channels), found {}",
             text_of(format.shape), text_of(pixels), text_of(dims)),
         "'numpy.transpose' changes the order of axes");
}

void ArrayFile::open_csv(const ArrayFormat& format) {
  constexpr int64_t kLargest = int64_t{1} << 28;
  std::string text;
  try {
    text = read_text_file(path_, kLargest);
  } catch (const FileError& error) {
    fail(error.reason);
  }
  size_t columns = 0;
  int line = 0;
  for (std::string_view rest = text; !rest.empty();) {
    ++line;
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string row(rest.substr(0, std::min(end, rest.find('#'))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::replace_if(
        row.begin(), row.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
    const std::vector<std::string> found = words(row);
    if (found.empty()) continue;
    if (columns != 0 && found.size() != columns)
      fail(fmt::format("line {}: expected {} numbers as in the lines before, got {}", line, columns,
                       found.size()));
    columns = found.size();
    height_ = static_cast<int>(numbers_.size() / columns + 1);
    for (const std::string& word : found) {
      const auto value = parse_real(word);
      if (!value) fail(fmt::format("line {}: expected numbers, got '{}'", line, word));
      numbers_.push_back(static_cast<float>(*value));
    }
  }
  if (numbers_.empty()) fail("no number in it");
  type_ = ElementType::Float32;
  width_ = static_cast<int>(columns);
  count_ = 1;
  if (format.shape.empty()) return;
  const auto all = static_cast<int64_t>(numbers_.size());
  const int64_t elements = product(format.shape);
  channels_ = format.shape[0], height_ = format.shape[1], width_ = format.shape[2];
  has_pixels_ = format.channels_last;
  count_ = all / elements;
  if (all % elements != 0)
    fail(fmt::format("expected samples of {} numbers ({}), found {} numbers", elements, text_of(format.shape),
                     all));
}

void ArrayFile::open_bin(const ArrayFormat& format) {
  if (format.type == ElementType::None || format.shape.empty())
    fail("what its elements are, and how many are a sample, must be said",
         "SampleType=float32 and SampleShape=<channels> <height> <width>; -sample-type for an ONNX file "
         "alone");
  type_ = format.type;
  channels_ = format.shape[0], height_ = format.shape[1], width_ = format.shape[2];
  has_pixels_ = format.channels_last;
  const int64_t sample = product(format.shape) * bytes_of_type(type_);
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(path_));
  count_ = bytes / sample;
  if (count_ < 1 || bytes % sample != 0)
    fail(fmt::format("expected samples of {} bytes ({} of {}), the file has {}", sample,
                     text_of(format.shape), ValueText<ElementType>::print(type_), bytes));
}

void ArrayFile::check_bytes() const {
  const int64_t wanted = head_bytes_ + count_ * channels_ * height_ * width_ * bytes_of_type(type_);
  const auto found = static_cast<int64_t>(std::filesystem::file_size(path_));
  if (found != wanted) fail(fmt::format("its head asks for {} bytes, the file has {}", wanted, found));
}

/// The elements of a sample as they stand in the file, bytes in the order of this machine.
std::vector<char> ArrayFile::bytes_of(int64_t index) const {
  const int64_t each = bytes_of_type(type_), size = int64_t{channels_} * height_ * width_ * each;
  std::vector<char> bytes(static_cast<size_t>(size));
  std::ifstream in(path_, std::ios::binary);
  in.seekg(head_bytes_ + index * size);
  in.read(bytes.data(), size);
  if (!in) fail("cannot be read, or is shorter than it was");
  if (is_swapped_)
    for (auto at = bytes.begin(); at != bytes.end(); at += each) std::reverse(at, at + each);
  return bytes;
}

template <class From, class To>
void ArrayFile::fill(int64_t index, Image& image) const {
  image = Image(width_, height_, channels_, data_type_of<To>());
  const std::vector<char> bytes = bytes_of(index);
  const auto to = image.span<To>();
  const size_t pixels = static_cast<size_t>(width_) * static_cast<size_t>(height_);
  const auto channels = static_cast<size_t>(channels_);
  for (size_t c = 0; c < channels; ++c)
    for (size_t i = 0; i < pixels; ++i) {
      From value;
      const size_t at = has_pixels_ ? i * channels + c : c * pixels + i;
      std::memcpy(&value, bytes.data() + at * sizeof(From), sizeof(From));
      const To kept = static_cast<To>(value);
      if constexpr (std::is_floating_point_v<From>) {
        if (!std::isfinite(kept)) fail(fmt::format("sample {} holds a number that is not finite", index));
      } else if (static_cast<From>(kept) != value) {
        fail(fmt::format("sample {} holds {}, expected integers of 32 bits", index, value));
      }
      to[i * channels + c] = kept;
    }
}

Image ArrayFile::image(int64_t index) const {
  N2D2_CHECK(index >= 0 && index < count_, "sample {} of {}", index, count_);
  Image out;
  if (!numbers_.empty()) {
    out = Image(width_, height_, channels_, DataType::F32);
    const size_t pixels = static_cast<size_t>(width_) * static_cast<size_t>(height_);
    const auto channels = static_cast<size_t>(channels_);
    const float* from = numbers_.data() + static_cast<size_t>(index) * pixels * channels;
    for (size_t c = 0; c < channels; ++c)
      for (size_t i = 0; i < pixels; ++i) {
        const float value = from[has_pixels_ ? i * channels + c : c * pixels + i];
        if (!std::isfinite(value)) fail(fmt::format("sample {} holds a number that is not finite", index));
        out.span<float>()[i * channels + c] = value;
      }
    return out;
  }
  switch (type_) {
    case ElementType::UInt8:
      fill<uint8_t, uint8_t>(index, out);
      break;
    case ElementType::Int8:
      fill<int8_t, int8_t>(index, out);
      break;
    case ElementType::UInt16:
      fill<uint16_t, uint16_t>(index, out);
      break;
    case ElementType::Int16:
      fill<int16_t, int16_t>(index, out);
      break;
    case ElementType::Int32:
      fill<int32_t, int32_t>(index, out);
      break;
    case ElementType::Int64:
      fill<int64_t, int32_t>(index, out);
      break;
    case ElementType::Float64:
      fill<double, float>(index, out);
      break;
    default:
      fill<float, float>(index, out);
  }
  return out;
}

}  // namespace n2d2::data
