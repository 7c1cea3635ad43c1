// Converts between colour spaces; grey becomes colour.
#include <algorithm>
#include <array>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

enum class ColorSpace {
  BGR,
  RGB,
  HSV,
  HLS,
  YCrCb,
  CIELab,
  CIELuv,
  RGB_to_BGR,
  RGB_to_HSV,
  RGB_to_HLS,
  RGB_to_YCrCb,
  RGB_to_CIELab,
  RGB_to_CIELuv,
  HSV_to_BGR,
  HSV_to_RGB,
  HLS_to_BGR,
  HLS_to_RGB,
  YCrCb_to_BGR,
  YCrCb_to_RGB,
  CIELab_to_BGR,
  CIELab_to_RGB,
  CIELuv_to_BGR,
  CIELuv_to_RGB
};

}  // namespace

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::ColorSpace> {
  static constexpr std::array names{
      "BGR",           "RGB",           "HSV",           "HLS",           "YCrCb",        "CIELab",
      "CIELuv",        "RGB_to_BGR",    "RGB_to_HSV",    "RGB_to_HLS",    "RGB_to_YCrCb", "RGB_to_CIELab",
      "RGB_to_CIELuv", "HSV_to_BGR",    "HSV_to_RGB",    "HLS_to_BGR",    "HLS_to_RGB",   "YCrCb_to_BGR",
      "YCrCb_to_RGB",  "CIELab_to_BGR", "CIELab_to_RGB", "CIELuv_to_BGR", "CIELuv_to_RGB"};
};

namespace n2d2::data {

namespace {

/// cv::cvtColor code from three channels, by ColorSpace; the first two also take grey and alpha.
constexpr std::array<int, 23> kCodes{-1,
                                     cv::COLOR_BGR2RGB,
                                     cv::COLOR_BGR2HSV,
                                     cv::COLOR_BGR2HLS,
                                     cv::COLOR_BGR2YCrCb,
                                     cv::COLOR_BGR2Lab,
                                     cv::COLOR_BGR2Luv,
                                     cv::COLOR_RGB2BGR,
                                     cv::COLOR_RGB2HSV,
                                     cv::COLOR_RGB2HLS,
                                     cv::COLOR_RGB2YCrCb,
                                     cv::COLOR_RGB2Lab,
                                     cv::COLOR_RGB2Luv,
                                     cv::COLOR_HSV2BGR,
                                     cv::COLOR_HSV2RGB,
                                     cv::COLOR_HLS2BGR,
                                     cv::COLOR_HLS2RGB,
                                     cv::COLOR_YCrCb2BGR,
                                     cv::COLOR_YCrCb2RGB,
                                     cv::COLOR_Lab2BGR,
                                     cv::COLOR_Lab2RGB,
                                     cv::COLOR_Luv2BGR,
                                     cv::COLOR_Luv2RGB};

class ColorSpaceStep final : public Transformation {
 public:
  ColorSpace space = ColorSpace::BGR;

  template <class V>
  static void fields(V&& v) {
    v("ColorSpace", &ColorSpaceStep::space, required, help("colour space of the result"));
  }

  bool is_channelwise() const override { return space == ColorSpace::BGR || space == ColorSpace::RGB; }

  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }

  void rename(std::vector<std::string>& channels) const override {
    if (!is_channelwise()) {
      const std::string name = ValueText<ColorSpace>::print(space);
      channels.clear();
      for (const char* number : {"0", "1", "2"}) channels.push_back(name + "." + number);
    } else if (channels.size() == 1) {
      channels.assign(3, channels.front());
    } else {
      channels.resize(3);
      if (space == ColorSpace::RGB) std::reverse(channels.begin(), channels.end());
    }
  }

  void foresee(PictureForm& form) const override { form.channels = 3; }

  void apply(Image& image, Rng&) const override {
    int code = kCodes[static_cast<size_t>(space)];
    const bool plain = space == ColorSpace::BGR || space == ColorSpace::RGB;
    if (plain && image.channels() == 1)
      code = cv::COLOR_GRAY2BGR;
    else if (plain && image.channels() == 4)
      code = space == ColorSpace::BGR ? cv::COLOR_BGRA2BGR : cv::COLOR_BGRA2RGB;
    else if (image.channels() != 3)
      fail(fmt::format("ColorSpace: {} needs a picture of {} channels, got {}",
                       ValueText<ColorSpace>::print(space), plain ? "1, 3 or 4" : "3", image.text()),
           plain ? ""
                 : "a ColorSpaceTransformation with ColorSpace=BGR before this step makes colours of grey");
    if (code < 0) return;
    with_opencv(*this, image, [&] {
      cv::Mat out;
      cv::cvtColor(view(image), out, code);
      image = to_image(out);
    });
  }
};

}  // namespace

void register_color_space(TransformationRegistry& registry);
void register_color_space(TransformationRegistry& registry) {
  registry.add("ColorSpaceTransformation", transformation_type<ColorSpaceStep>(
                                               "ColorSpaceTransformation", "convert between colour spaces"));
}

}  // namespace n2d2::data
