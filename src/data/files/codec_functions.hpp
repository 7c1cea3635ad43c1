// Which functions does the library of OpenCV's codecs have for the program?
#pragma once

#include <string>
#include <vector>

#include <opencv2/core.hpp>

namespace n2d2::data::codecs {

/// cv::imencode, cv::imdecode and cv::imread. The library's function `n2d2_imgcodecs` returns them.
struct Functions {
  bool (*encode)(const std::string& ending, const cv::Mat& mat, std::vector<unsigned char>& bytes,
                 const std::vector<int>& parameters);
  cv::Mat (*decode)(const std::vector<unsigned char>& bytes, int mode);
  cv::Mat (*read)(const std::string& file, int mode);
};

}  // namespace n2d2::data::codecs
