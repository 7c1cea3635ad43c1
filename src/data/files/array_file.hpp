// Which samples does a file of numbers hold? .npy, .csv, .bin.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/fields.hpp"
#include "n2d2/data/image.hpp"

namespace n2d2::data {

/// Elements of a file; None where the file says it itself.
enum class ElementType { None, UInt8, Int8, UInt16, Int16, Int32, Int64, Float32, Float64 };

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::ElementType> {
  static constexpr std::array names{"",      "uint8", "int8",    "uint16", "int16",
                                    "int32", "int64", "float32", "float64"};
};

namespace n2d2::data {

/// What a file does not say about its samples.
struct ArrayFormat {
  /// Element type of a .bin file, which needs it. The elements of the file are little-endian.
  ElementType type = ElementType::None;
  /// Channels, height, width of a sample; empty: as the file has it. A .bin needs it.
  std::vector<int> shape;
  /// Samples of this shape are H,W,C in the file; a .npy is C,H,W where its extents fit that order alone.
  bool channels_last = false;
  /// A .npy may have any extents of as many elements, in the order of the file.
  bool any_extents = false;
};

/// Whether these are channels, height and width of fewer than 2^31 elements.
bool is_sample_shape(const std::vector<int>& shape);

/// Whether files that end in this (lower case, without dot) hold numbers.
bool is_array_ending(std::string_view ending);

/// One or more samples, each C,H,W in the file, or H,W,C as ArrayFormat says.
///   .npy  of N,C,H,W; C,H,W; H,W; W. With a shape: one sample, or N behind each other, whose extents other
///         than 1 are those
///         of the shape, or of the shape as H,W,C, or whose elements lie in one row.
///   .csv  (also .dat, .txt) numbers between ',', ';', blanks; '#' starts a comment. One sample of one
///         channel, a line a row; with a shape:
///         as many as there are numbers for.
///   .bin  nothing but elements.
class ArrayFile {
 public:
  /// Reads the head of the file, of a .csv all of it. ConfigError "<path>: ..." for what is no such file.
  ArrayFile(std::filesystem::path path, const ArrayFormat& format);

  int64_t size() const { return count_; }
  /// Rows of interleaved channels; int64 that fit become int32, float64 float32. May be called from several
  /// threads.
  /// ConfigError when the file has changed, for a number that is not finite or does not fit.
  Image image(int64_t index) const;

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;
  void open_npy(const ArrayFormat& format);
  void open_csv(const ArrayFormat& format);
  void open_bin(const ArrayFormat& format);
  void take_npy_shape(const std::vector<int64_t>& dims, const ArrayFormat& format);
  void check_bytes() const;
  std::vector<char> bytes_of(int64_t index) const;
  template <class From, class To>
  void fill(int64_t index, Image& image) const;

  std::filesystem::path path_;
  ElementType type_ = ElementType::None;
  bool is_swapped_ = false;
  /// Samples are H,W,C in the file.
  bool has_pixels_ = false;
  int channels_ = 1, height_ = 1, width_ = 1;
  int64_t count_ = 0, head_bytes_ = 0;
  /// All numbers of a .csv file. Empty for other files.
  std::vector<float> numbers_;
};

}  // namespace n2d2::data
