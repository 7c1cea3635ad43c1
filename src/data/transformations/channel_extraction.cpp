// Keeps one channel, of the picture as it is or seen in another colour space.
#include <array>
#include <optional>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

enum class CsChannel { Blue, Green, Red, Gray, Hue, Saturation, Value, Y, Cb, Cr };

}  // namespace

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::CsChannel> {
  static constexpr std::array names{"Blue",       "Green", "Red", "Gray", "Hue",
                                    "Saturation", "Value", "Y",   "Cb",   "Cr"};
};

namespace n2d2::data {

namespace {

struct Extraction {
  std::optional<int> conversion;  // from blue, green, red
  int channel;
};

/// By CsChannel.
constexpr std::array<Extraction, 10> kExtractions{{{std::nullopt, 0},
                                                   {std::nullopt, 1},
                                                   {std::nullopt, 2},
                                                   {cv::COLOR_BGR2GRAY, 0},
                                                   {cv::COLOR_BGR2HSV, 0},
                                                   {cv::COLOR_BGR2HSV, 1},
                                                   {cv::COLOR_BGR2HSV, 2},
                                                   {cv::COLOR_BGR2YCrCb, 0},
                                                   {cv::COLOR_BGR2YCrCb, 2},
                                                   {cv::COLOR_BGR2YCrCb, 1}}};

class ChannelExtraction final : public Transformation {
 public:
  CsChannel channel = CsChannel::Blue;

  template <class V>
  static void fields(V&& v) {
    v("CSChannel", &ChannelExtraction::channel, required, help("channel to keep"));
  }

  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }

  void rename(std::vector<std::string>& channels) const override {
    const auto& extraction = kExtractions[static_cast<size_t>(channel)];
    const auto index = static_cast<size_t>(extraction.channel);
    if (channel == CsChannel::Gray)
      channels = {"Y"};
    else if (!extraction.conversion && index < channels.size())
      channels = {channels[index]};
    else
      channels = {ValueText<CsChannel>::print(channel)};
  }

  void foresee(PictureForm& form) const override { form.channels = 1; }

  void apply(Image& image, Rng&) const override {
    const auto& extraction = kExtractions[static_cast<size_t>(channel)];
    const std::optional<int>& conversion = extraction.conversion;
    const int index = extraction.channel;
    if (channel == CsChannel::Gray && image.channels() == 1) return;
    const int needed = conversion ? 3 : index + 1;
    if (image.channels() < needed)
      fail(fmt::format("CSChannel: {} needs a picture of {} channels, got {}",
                       ValueText<CsChannel>::print(channel), needed, image.text()),
           "a ColorSpaceTransformation with ColorSpace=BGR before this step makes colours of grey");
    with_opencv(*this, image, [&] {
      cv::Mat from = view(image), plane;
      if (conversion && image.channels() == 4) cv::cvtColor(from, from, cv::COLOR_BGRA2BGR);
      if (conversion) cv::cvtColor(from, from, *conversion);
      cv::extractChannel(from, plane, index);
      image = to_image(plane);
    });
  }
};

}  // namespace

void register_channel_extraction(TransformationRegistry& registry);
void register_channel_extraction(TransformationRegistry& registry) {
  registry.add("ChannelExtractionTransformation",
               transformation_type<ChannelExtraction>("ChannelExtractionTransformation", "keep one channel"));
}

}  // namespace n2d2::data
