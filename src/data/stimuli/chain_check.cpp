#include "chain_check.hpp"

namespace n2d2::data {

namespace {

/// What is known after a step, and which steps made the size and the channels of it; null: the database.
struct Followed {
  PictureForm form;
  const Transformation* of_size = nullptr;
  const Transformation* of_channels = nullptr;
};

PictureForm after(const Transformation& step, PictureForm form) {
  const PictureForm before = form;
  step.foresee(form);
  if (before.is_known() && !step.sizes_by_content()) {
    Image black(before.width, before.height, before.channels, *before.depth);
    Rng rng(1, "picture to check with");
    step.apply(black, rng);
    form = form_of(black);
  }
  return form;
}

void follow(const Transformation& step, Followed& followed) {
  const PictureForm before = followed.form;
  followed.form = after(step, before);
  if (followed.form.width != before.width || followed.form.height != before.height) followed.of_size = &step;
  if (followed.form.channels != before.channels) followed.of_channels = &step;
}

void report(const Transformation* step, const ProviderOptions& options, const std::string& found,
            const std::string& expected, const char* key, const char* hint, Diagnostics& diagnostics) {
  const std::string message = step == nullptr
                                  ? fmt::format("{} {}: the database has pictures of {}, expected {}",
                                                options.subject, key, found, expected)
                                  : fmt::format("{} makes pictures of {}, {} {} declares {}", step->subject(),
                                                found, options.subject, key, expected);
  diagnostics.error(step == nullptr ? options.where : step->where(), message, hint);
}

std::string channels_text(int channels) {
  return fmt::format("{} channel{}", channels, channels == 1 ? "" : "s");
}

}  // namespace

void check_chain(const std::vector<const Transformation*>& steps, PictureForm form,
                 const ProviderOptions& options, Diagnostics& diagnostics) {
  Followed followed{form};
  for (const Transformation* step : steps) try {
      follow(*step, followed);
    } catch (const ConfigError& error) {
      return diagnostics.add(error);
    }
  const PictureForm& last = followed.form;
  const auto differs = [](int known, int wanted) { return known > 0 && known != wanted; };
  const auto side = [](int known) { return known > 0 ? std::to_string(known) : std::string("?"); };
  if (differs(last.width, options.size.x) || differs(last.height, options.size.y))
    report(followed.of_size, options, fmt::format("{} x {}", side(last.width), side(last.height)),
           fmt::format("{} x {}", options.size.x, options.size.y), "Size",
           "a RescaleTransformation or PadCropTransformation brings them together", diagnostics);
  if (differs(last.channels, options.nb_channels))
    report(followed.of_channels, options, channels_text(last.channels), channels_text(options.nb_channels),
           "NbChannels", "NbChannels or a ColorSpaceTransformation brings them together", diagnostics);
}

}  // namespace n2d2::data
