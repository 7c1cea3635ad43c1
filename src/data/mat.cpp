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

#include "picture_size.hpp"

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

Image read_picture(const std::filesystem::path& path) {
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
  cv::Mat mat;
  std::string reason = "not a picture, or damaged";
  try {
    if (size) mat = cv::imread(path.string(), cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception& e) {
    reason = e.err;
  }
  if (mat.empty()) throw ConfigError(fmt::format("{}: cannot be decoded: {}", path.string(), reason));
  return to_image(mat);
}

void write_png(const Image& image, const std::filesystem::path& file) {
  std::string why;
  try {
    std::vector<uchar> bytes;
    cv::imencode(".png", view(image), bytes);
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (out.flush()) return;
    why = "cannot be written";
  } catch (const cv::Exception& e) {
    why = e.err;
  }
  throw ConfigError(fmt::format("{}: {}", file.string(), why));
}

}  // namespace n2d2::data
