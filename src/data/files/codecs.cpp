#include "codecs.hpp"

#include <dlfcn.h>
#include <opencv2/imgcodecs.hpp>

#include "n2d2/base/error.hpp"

namespace n2d2::data::codecs {

namespace {

[[noreturn]] void fail(const char* reason) {
  throw ConfigError(fmt::format("OpenCV's codecs of pictures cannot be loaded: {}", reason), {},
                    "install the package of OpenCV that has them: on Debian, libopencv-imgcodecs406");
}

/// Stays loaded until the process ends.
void* library() {
  static void* const handle = [] {
    void* const found = ::dlopen(N2D2_CODECS, RTLD_NOW | RTLD_LOCAL);
    return found != nullptr ? found : (fail(::dlerror()), nullptr);
  }();
  return handle;
}

/// The function of this type with this name, as the Itanium ABI mangles it.
template <class Function>
Function* function(const char* mangled) {
  void* const found = ::dlsym(library(), mangled);
  if (found == nullptr) fail(::dlerror());
  return reinterpret_cast<Function*>(found);
}

}  // namespace

bool encode(const std::string& ending, const cv::Mat& mat, std::vector<unsigned char>& bytes,
            const std::vector<int>& parameters) {
  static auto* const imencode = function<decltype(cv::imencode)>(
      "_ZN2cv8imencodeERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_11_InputArrayE"
      "RSt6vectorIhSaIhEERKSB_IiSaIiEE");
  return imencode(ending, mat, bytes, parameters);
}

cv::Mat decode(const std::vector<unsigned char>& bytes, int mode) {
  static auto* const imdecode =
      function<cv::Mat(cv::InputArray, int)>("_ZN2cv8imdecodeERKNS_11_InputArrayEi");
  return imdecode(bytes, mode);
}

cv::Mat read(const std::string& file, int mode) {
  static auto* const imread =
      function<decltype(cv::imread)>("_ZN2cv6imreadERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEi");
  return imread(file, mode);
}

}  // namespace n2d2::data::codecs
