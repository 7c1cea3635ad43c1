#include "pnm_file.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace n2d2::data {

namespace {

constexpr const char* kEnds = "the file ends before the picture does";
constexpr int64_t kMostOfBytes = 255, kMostOfWords = 65535;

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class PnmReader {
 public:
  explicit PnmReader(std::string_view bytes) : bytes_(bytes), kind_(bytes[1] - '0') {}

  DecodedPicture read(uint64_t most) {
    DecodedPicture out;
    const auto width = number(), height = number();
    const auto largest = has_bits() ? std::optional<int64_t>(1) : number();
    if (width && height && largest) {
      if (*width < 1 || *height < 1 || *largest < 1 || *largest > kMostOfWords)
        damage_ = "its size or its largest value is out of range";
      else if (static_cast<uint64_t>(*height) > most / static_cast<uint64_t>(*width))
        damage_ = "its size is not the one of its header";
    }
    if (damage_ == nullptr) {
      largest_ = *largest;
      Image image(static_cast<int>(*width), static_cast<int>(*height), has_colours() ? 3 : 1,
                  largest_ > kMostOfBytes ? DataType::U16 : DataType::U8);
      read_pixels(image);
      if (damage_ == nullptr) out.image = std::move(image);
    }
    if (damage_ != nullptr) out.damage = damage_;
    return out;
  }

 private:
  bool has_bits() const { return kind_ == 1 || kind_ == 4; }
  bool has_colours() const { return kind_ == 3 || kind_ == 6; }
  bool is_binary() const { return kind_ >= 4; }

  void fail(const char* why) {
    if (damage_ == nullptr) damage_ = why;
  }

  /// Passes blanks, and comments, which go to the end of their line.
  void skip_blanks() {
    while (at_ < bytes_.size() && (is_blank(bytes_[at_]) || bytes_[at_] == '#'))
      at_ = bytes_[at_] == '#' ? std::min(bytes_.find_first_of("\n\r", at_), bytes_.size()) : at_ + 1;
  }

  /// A number, and the character behind it.
  std::optional<int64_t> number() {
    skip_blanks();
    if (at_ == bytes_.size()) return fail(kEnds), std::nullopt;
    if (!is_digit(bytes_[at_])) return fail("it has another character where a number is"), std::nullopt;
    int64_t value = 0;
    for (; at_ < bytes_.size() && is_digit(bytes_[at_]); ++at_) {
      value = value * 10 + (bytes_[at_] - '0');
      if (value > std::numeric_limits<int>::max()) return fail("a number in it is too large"), std::nullopt;
    }
    at_ = std::min(at_ + 1, bytes_.size());
    return value;
  }

  /// A bit as a digit of its own: nothing has to be between two.
  int64_t digit() {
    skip_blanks();
    if (at_ == bytes_.size()) return fail(kEnds), 0;
    if (!is_digit(bytes_[at_])) return fail("it has another character where a bit is"), 0;
    return bytes_[at_++] - '0';
  }

  void read_pixels(Image& image) {
    const size_t width = static_cast<size_t>(image.width()) * static_cast<size_t>(image.channels());
    for (size_t y = 0; y < static_cast<size_t>(image.height()) && damage_ == nullptr; ++y) {
      if (image.depth() == DataType::U16)
        read_row(image.span<uint16_t>().subspan(y * width, width));
      else if (has_bits())
        read_bits(image.span<uint8_t>().subspan(y * width, width));
      else
        read_row(image.span<uint8_t>().subspan(y * width, width));
    }
  }

  void read_bits(std::span<uint8_t> row) {
    const std::string_view packed = is_binary() ? take((row.size() + 7) / 8) : std::string_view();
    for (size_t x = 0; x < row.size() && damage_ == nullptr; ++x) {
      const int64_t bit =
          is_binary() ? (static_cast<unsigned char>(packed[x / 8]) >> (7 - x % 8)) & 1 : digit();
      row[x] = bit != 0 ? 0 : 255;
    }
  }

  template <class T>
  void read_row(std::span<T> row) {
    const std::string_view stored = is_binary() ? take(row.size() * sizeof(T)) : std::string_view();
    for (size_t i = 0; i < row.size() && damage_ == nullptr; ++i)
      row[i] = is_binary() ? binary_value<T>(stored, i) : text_value<T>();
    if (!has_colours() || damage_ != nullptr) return;
    for (size_t i = 0; i < row.size(); i += 3) std::swap(row[i], row[i + 2]);
  }

  template <class T>
  static T binary_value(std::string_view stored, size_t i) {
    const auto byte = [&](size_t at) { return static_cast<unsigned char>(stored[at]); };
    if constexpr (sizeof(T) == 1) return byte(i);
    return static_cast<T>(byte(2 * i) * 256 + byte(2 * i + 1));
  }

  template <class T>
  T text_value() {
    const int64_t value = std::min(number().value_or(0), largest_);
    return static_cast<T>(sizeof(T) == 1 ? value * kMostOfBytes / largest_ : value);
  }

  std::string_view take(size_t count) {
    if (count > bytes_.size() - at_) return fail(kEnds), std::string_view();
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  std::string_view bytes_;
  int kind_;
  size_t at_ = 2;
  int64_t largest_ = 1;
  const char* damage_ = nullptr;
};

}  // namespace

bool is_pnm(std::string_view bytes) {
  return bytes.size() >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' && is_blank(bytes[2]);
}

DecodedPicture decode_pnm(std::string_view bytes, uint64_t most) {
  return PnmReader(bytes).read(most);
}

}  // namespace n2d2::data
