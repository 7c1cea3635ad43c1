#include "mat.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <opencv2/imgcodecs.hpp>

#include "n2d2/base/error.hpp"
#include "n2d2/base/read_file.hpp"

#include "cerr_capture.hpp"
#include "codecs.hpp"
#include "jpeg_file.hpp"
#include "picture_orientation.hpp"
#include "picture_size.hpp"
#include "png_file.hpp"
#include "pnm_file.hpp"

namespace n2d2::data {

namespace {

int cv_depth(DataType type) {
  switch (type) {
    case DataType::U8:
      return CV_8U;
    case DataType::I8:
      return CV_8S;
    case DataType::U16:
      return CV_16U;
    case DataType::I16:
      return CV_16S;
    case DataType::I32:
      return CV_32S;
    case DataType::F32:
      return CV_32F;
    case DataType::I64:
      break;
  }
  throw InternalError("pictures of i64 do not exist", __FILE__, __LINE__);
}

DataType data_type(int depth) {
  switch (depth) {
    case CV_8U:
      return DataType::U8;
    case CV_16U:
      return DataType::U16;
    case CV_16S:
      return DataType::I16;
    case CV_32S:
      return DataType::I32;
    default:
      return DataType::F32;
  }
}

constexpr std::array<std::string_view, 14> kPictureExtensions{
    "bmp", "dib", "jpeg", "jpg", "jpe", "jp2", "png", "pbm", "pgm", "ppm", "sr", "ras", "tif", "tiff"};

}  // namespace

cv::Mat view(Image& image) {
  return {image.height(), image.width(), CV_MAKETYPE(cv_depth(image.depth()), image.channels()), image.raw()};
}

cv::Mat view(const Image& image) {
  return {image.height(), image.width(), CV_MAKETYPE(cv_depth(image.depth()), image.channels()),
          const_cast<std::byte*>(image.raw())};
}

Image to_image(const cv::Mat& mat) {
  const int depth = mat.depth() == CV_8S                      ? CV_16S
                    : data_type(mat.depth()) == DataType::F32 ? CV_32F
                                                              : mat.depth();
  Image out(mat.cols, mat.rows, mat.channels(), data_type(depth));
  cv::Mat target = view(out);
  mat.convertTo(target, depth);
  return out;
}

bool is_picture_ending(std::string_view ending) {
  return std::find(kPictureExtensions.begin(), kPictureExtensions.end(), ending) != kPictureExtensions.end();
}

namespace {

constexpr const char* kDamaged = "copy it again, or take it out of the folder";

/// "<file>: <library> says '<text>'; ..."
std::string remark_text(const std::filesystem::path& path, std::string_view library, std::string_view text) {
  return fmt::format("{}: {} says '{}'; the picture is taken as it was decoded", path.string(), library,
                     text);
}

/// The first sentence that OpenCV printed of a file, without its own places: the text behind "error: (...) "
/// and before " in function", or behind "[ WARN:0@0.1] global <file> (<line>) <function> ". Its TIFF reader
/// prints nothing but places.
std::string words_of(std::string_view printed) {
  while (!printed.empty()) {
    const size_t end = std::min(printed.find('\n'), printed.size());
    std::string_view line = printed.substr(0, end);
    printed.remove_prefix(std::min(end + 1, printed.size()));
    const bool is_logged = line.starts_with('[');
    const size_t from = is_logged ? line.find(") ") : line.find("error: (");
    if (from == std::string_view::npos || line.find("OpenCV TIFF") != std::string_view::npos) continue;
    const size_t place = is_logged ? from + 2 : std::min(line.find(')', from), line.size());
    line = line.substr(std::min(line.find(' ', place), line.size() - 1) + 1);
    line = line.substr(0, line.find(" in function"));
    if (const size_t last = line.find_last_not_of(" .\r"); last != std::string_view::npos)
      return std::string(line.substr(0, last + 1));
  }
  return {};
}

/// Whatever OpenCV decodes but JPEG, PNG and PNM. It prints what it finds to std::cerr.
Image decode(const std::filesystem::path& path, bool is_known, std::vector<std::string>* remarks) {
  const CerrCapture printed;
  cv::Mat mat;
  std::string reason = "not a picture, or damaged";
  try {
    if (is_known) mat = codecs::functions().read(path.string(), cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception& e) {
    reason = e.err;
  }
  const std::string words = words_of(printed.text());
  if (mat.empty())
    throw ConfigError(fmt::format("{}: cannot be decoded: {}", path.string(), words.empty() ? reason : words),
                      {}, kDamaged);
  if (remarks != nullptr && !words.empty()) remarks->push_back(remark_text(path, "OpenCV", words));
  return to_image(mat);
}

/// A kind of picture that is decoded without OpenCV, so that what is wrong with a file is heard.
struct OwnDecoder {
  std::string_view library;
  bool (*is_of)(std::string_view start);
  DecodedPicture (*decode)(std::string_view bytes, uint64_t most);
};
constexpr std::array kDecoders{OwnDecoder{"libjpeg", is_jpeg, decode_jpeg},
                               OwnDecoder{"libpng", is_png, decode_png},
                               OwnDecoder{"n2d2", is_pnm, decode_pnm}};

/// Null for a file of another kind.
const OwnDecoder* decoder_of(const std::filesystem::path& path) {
  std::array<char, 8> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  const std::string_view begin(start.data(), static_cast<size_t>(file.gcount()));
  for (const OwnDecoder& decoder : kDecoders)
    if (decoder.is_of(begin)) return &decoder;
  return nullptr;
}

Image decode_by(const OwnDecoder& decoder, const std::filesystem::path& path,
                std::vector<std::string>* remarks) {
  constexpr int64_t kLargest = int64_t{1} << 30;
  std::string bytes;
  try {
    bytes = read_regular_file(path, kLargest);
  } catch (const FileError& error) {
    throw ConfigError(fmt::format("{}: {}", path.string(), error.reason));
  }
  DecodedPicture decoded = decoder.decode(bytes, kMostPixels);
  if (decoded.image.empty())
    throw ConfigError(fmt::format("{}: damaged: {}", path.string(), decoded.damage), {}, kDamaged);
  if (remarks != nullptr && !decoded.remark.empty())
    remarks->push_back(remark_text(path, decoder.library, decoded.remark));
  return std::move(decoded.image);
}

/// By the orientation 2 to 8 of picture_orientation().
Image upright(const Image& image, int orientation) {
  cv::Mat mat = view(image), turned;
  if (is_turned_sideways(orientation))
    cv::transpose(mat, turned);
  else
    turned = mat.clone();
  // By orientation: 0 swaps rows, 1 columns, -1 both.
  constexpr int kNone = 2;
  constexpr std::array kFlips{kNone, kNone, 1, -1, 0, kNone, 1, -1, 0};
  const int flip = kFlips.at(static_cast<size_t>(orientation));
  if (flip != kNone) cv::flip(turned, turned, flip);
  return to_image(turned);
}

}  // namespace

Image read_picture(const std::filesystem::path& path, bool is_upright, std::vector<std::string>* remarks) {
  std::string extension = path.extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!is_picture_ending(extension))
    throw ConfigError(
        fmt::format("{}: no reader for files ending in '{}'", path.string(), path.extension().string()), {},
        "pictures (jpg, png, ppm, ...), arrays (npy, csv, dat, txt, bin) and sounds (wav) are read; leave "
        "other files out with "
        "ValidExtensions or IgnoreMasks");
  try {
    expect_regular_file(path);
  } catch (const FileError& error) {
    throw ConfigError(fmt::format("{}: {}", path.string(), error.reason));
  }
  const std::optional<PictureSize> size = picture_size(path);
  if (size && size->width > 0 && size->height > kMostPixels / size->width)
    throw ConfigError(fmt::format("{}: expected at most {} pixels, the picture has {} x {}", path.string(),
                                  kMostPixels, size->width, size->height),
                      {}, "make it smaller before");
  const OwnDecoder* decoder = size ? decoder_of(path) : nullptr;
  Image image =
      decoder != nullptr ? decode_by(*decoder, path, remarks) : decode(path, size.has_value(), remarks);
  const int orientation = is_upright ? picture_orientation(path) : 1;
  return orientation == 1 ? std::move(image) : upright(image, orientation);
}

void write_png(const Image& image, const std::filesystem::path& file) {
  const EncodedPicture encoded = encode_png(image);
  std::string why = encoded.reason;
  if (why.empty()) {
    std::ofstream out(file, std::ios::binary);
    out.write(encoded.bytes.data(), static_cast<std::streamsize>(encoded.bytes.size()));
    if (out.flush()) return;
    why = "cannot be written";
  }
  throw ConfigError(fmt::format("{}: {}", file.string(), why));
}

}  // namespace n2d2::data
