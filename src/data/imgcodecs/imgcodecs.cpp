// OpenCV's readers and writers of pictures as a library of its own, which the program loads
// (files/codecs.hpp).
#include <opencv2/imgcodecs.hpp>

#include "files/codec_functions.hpp"

namespace {

bool encode(const std::string& ending, const cv::Mat& mat, std::vector<unsigned char>& bytes,
            const std::vector<int>& parameters) {
  return cv::imencode(ending, mat, bytes, parameters);
}

cv::Mat decode(const std::vector<unsigned char>& bytes, int mode) {
  return cv::imdecode(bytes, mode);
}

cv::Mat read(const std::string& file, int mode) {
  return cv::imread(file, mode);
}

}  // namespace

extern "C" const n2d2::data::codecs::Functions* n2d2_imgcodecs();
extern "C" const n2d2::data::codecs::Functions* n2d2_imgcodecs() {
  static constexpr n2d2::data::codecs::Functions functions{encode, decode, read};
  return &functions;
}
