#include "channel_steps.hpp"

#include <algorithm>

#include <opencv2/core.hpp>

#include "files/mat.hpp"
#include "transformation_type.hpp"

namespace n2d2::data {

namespace {

class ChannelSteps final : public Transformation {
 public:
  ChannelSteps(const std::vector<ChannelStep>& steps, int count, Partition partition) : count_(count) {
    N2D2_CHECK(!steps.empty(), "channels without steps");
    std::string text;
    for (const ChannelStep& s : steps) {
      if (!applies(s.step->apply_to(), partition)) continue;
      steps_.push_back(s);
      text += text.empty() ? "" : "; ";
      text += s.channel < 0 ? "every channel: " : fmt::format("channel {}: ", s.channel);
      text += s.step->text();
    }
    const Transformation& last = *steps.back().step;
    TransformationSetup::set(*this, "channels", NoKeys(last.subject(), last.where()), ApplyTo::All, text);
  }

  bool is_channelwise() const override {
    return all([](const Transformation& step) { return step.is_channelwise(); });
  }
  bool is_random() const override {
    return !all([](const Transformation& step) { return !step.is_random(); });
  }
  bool sizes_by_content() const override {
    return !all([](const Transformation& step) { return !step.sizes_by_content(); });
  }
  std::string content() const override {
    std::string out;
    for (const ChannelStep& s : steps_) out += s.step->content();
    return out;
  }

  /// The channels are made alike, so what is known of the first one is known of all.
  void foresee(PictureForm& form) const override {
    const int made = count_ > 0 ? count_ : form.channels;
    if (count_ == 0) form.channels = 1;
    for (const ChannelStep& s : steps_)
      if (s.channel <= 0) s.step->foresee(form);
    form.channels = made;
  }

  void rename(std::vector<std::string>& channels) const override {
    const size_t made = count_ > 0 ? static_cast<size_t>(count_) : channels.size();
    std::vector<std::string> out;
    for (size_t c = 0; c < made; ++c) {
      std::vector<std::string> of_channel = count_ > 0 ? channels : std::vector{channels[c]};
      for (const ChannelStep& s : steps_)
        if (s.channel < 0 || s.channel == static_cast<int>(c)) s.step->rename(of_channel);
      out.push_back(of_channel.size() == 1 ? of_channel.front() : std::to_string(c));
    }
    channels = std::move(out);
  }

  void apply(Image& image, Rng& rng) const override {
    std::vector<Rng> draws;
    for (size_t i = 0; i < steps_.size(); ++i) draws.emplace_back(rng.next(), "channel step");
    std::vector<Image> made;
    std::vector<const Transformation*> makers;
    const int count = count_ > 0 ? count_ : image.channels();
    for (int c = 0; c < count; ++c) {
      Image channel = count_ > 0 ? image : plane(image, c);
      const Transformation* maker = this;
      for (size_t i = 0; i < steps_.size(); ++i) {
        if (steps_[i].channel >= 0 && steps_[i].channel != c) continue;
        maker = steps_[i].step.get();
        Rng draw = draws[i];
        maker->apply(channel, draw);
      }
      if (channel.channels() != 1)
        maker->fail(fmt::format("expected one channel for channel {} of the input, got a picture of {}", c,
                                channel.text()),
                    "a ChannelExtractionTransformation before or after it keeps one");
      if (!made.empty() && (channel.width() != made[0].width() || channel.height() != made[0].height() ||
                            channel.depth() != made[0].depth()))
        maker->fail(fmt::format("channel {} is a picture of {}, channel 0 one of {}", c, channel.text(),
                                made[0].text()),
                    "all channels of the input have one size and one depth");
      made.push_back(std::move(channel));
    }
    image = merged(made);
  }

 private:
  static Image plane(const Image& image, int channel) {
    Image out(image.width(), image.height(), 1, image.depth());
    cv::Mat target = view(out);
    cv::extractChannel(view(image), target, channel);
    return out;
  }

  static Image merged(const std::vector<Image>& channels) {
    std::vector<cv::Mat> planes;
    for (const Image& channel : channels) planes.push_back(view(channel));
    Image out(channels[0].width(), channels[0].height(), static_cast<int>(channels.size()),
              channels[0].depth());
    cv::Mat target = view(out);
    cv::merge(planes, target);
    return out;
  }

  template <class Holds>
  bool all(const Holds& holds) const {
    return std::all_of(steps_.begin(), steps_.end(), [&](const ChannelStep& s) { return holds(*s.step); });
  }

  std::vector<ChannelStep> steps_;
  int count_;
};

}  // namespace

std::unique_ptr<const Transformation> channel_steps(const std::vector<ChannelStep>& steps, int count,
                                                    Partition partition) {
  return std::make_unique<ChannelSteps>(steps, count, partition);
}

}  // namespace n2d2::data
