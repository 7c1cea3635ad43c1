// How does OpenCV encode and decode pictures?
//
// Its library brings GDAL and 110 others, and loading them takes five times as long as all else that happens
// before main(). So the program is not linked with it: the first call loads it.
#pragma once

#include <string>
#include <vector>

#include <opencv2/core.hpp>

namespace n2d2::data::codecs {

/// cv::imencode, cv::imdecode and cv::imread. They throw cv::Exception, and a ConfigError where the library
/// is missing.
bool encode(const std::string& ending, const cv::Mat& mat, std::vector<unsigned char>& bytes,
            const std::vector<int>& parameters = {});
cv::Mat decode(const std::vector<unsigned char>& bytes, int mode);
cv::Mat read(const std::string& file, int mode);

}  // namespace n2d2::data::codecs
