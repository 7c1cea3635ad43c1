#include "n2d2/data/pixel_table.hpp"

#include <algorithm>
#include <string>

#include "files/to_planes.hpp"

namespace n2d2::data {

namespace {

/// What the trailing steps make of a row of 256 pixels, in which channel `varied` counts and all others are
/// 0.
Tensor after(std::span<const Transformation* const> steps, int channels, int varied,
             const InputMapping& mapping) {
  Image image(PixelTable::kValues, 1, channels);
  const auto pixels = image.span<uint8_t>();
  for (int v = 0; v < PixelTable::kValues; ++v)
    pixels[static_cast<size_t>(v * channels + varied)] = static_cast<uint8_t>(v);
  Rng unused(1, "pixel table");
  for (const Transformation* step : steps) step->apply(image, unused);
  Tensor out(Shape{1, image.channels(), 1, PixelTable::kValues});
  to_planes(image, mapping, out.data<float>());
  return out;
}

bool is_constant(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [&](float x) { return x == values.front(); });
}

std::vector<std::string> first_names(int channels) {
  if (channels == 1) return {"Y"};
  if (channels == 3) return {"B", "G", "R"};
  if (channels == 4) return {"B", "G", "R", "A"};
  std::vector<std::string> out;
  for (int c = 0; c < channels; ++c) out.push_back(std::to_string(c));
  return out;
}

/// Where the channels of the picture stand among those that are given: colours come as red, green, blue.
std::vector<int> places(std::vector<std::string>& names) {
  const std::vector<std::string> wanted{"R", "G", "B"};
  std::vector<int> out;
  const bool is_color = names.size() == 3 && std::is_permutation(names.begin(), names.end(), wanted.begin());
  for (size_t c = 0; c < names.size(); ++c)
    out.push_back(is_color
                      ? static_cast<int>(std::find(wanted.begin(), wanted.end(), names[c]) - wanted.begin())
                      : static_cast<int>(c));
  if (is_color) names = wanted;
  return out;
}

/// The number of at most 15 decimal digits that `derived` is but for rounding.
double as_written(double derived) {
  return std::stod(fmt::format("{:.15g}", derived));
}

/// The numbers of a step that only shifts and scales floats, and changes them.
void take_standardization(const Transformation& step, const Image& sample, PixelTable& table) {
  std::vector<MapStep> forms;
  try {
    forms = step.map_steps({sample.width(), sample.height(), sample.channels(), sample.depth()});
  } catch (const ConfigError&) {  // the step has no such form
    return;
  }
  const auto* affine = forms.size() == 1 ? std::get_if<AffineStep>(&forms.front()) : nullptr;
  if (affine == nullptr) return;
  const auto is_one = [](double factor) { return factor == 1; };
  const auto is_zero = [](double x) { return x == 0; };
  if (std::ranges::any_of(affine->factors, is_zero)) return;
  if (std::ranges::all_of(affine->factors, is_one) && std::ranges::all_of(affine->shifts, is_zero)) return;
  for (size_t c = 0; c < affine->factors.size(); ++c) {
    table.mean.push_back(as_written(0 - affine->shifts[c] / affine->factors[c]));
    table.deviation.push_back(as_written(1 / affine->factors[c]));
  }
}

}  // namespace

PixelTable pixel_table(std::span<const Transformation* const> steps, Image picture,
                       const ProviderOptions& options) {
  size_t trailing = steps.size();
  while (trailing > 0 && steps[trailing - 1]->is_channelwise()) --trailing;
  PixelTable table;
  table.reason.clear();
  table.channels = first_names(picture.channels());
  Rng unused(1, "pixel table");
  for (size_t i = 0; i < trailing; ++i) {
    steps[i]->apply(picture, unused);
    steps[i]->rename(table.channels);
  }
  if (picture.depth() != DataType::U8) {
    const std::string step = trailing > 0 ? steps[trailing - 1]->subject() : "the database";
    table.reason = fmt::format("pictures are {} after {}, expected bytes", picture.text(), step);
    if (picture.depth() == DataType::F32 && trailing + 1 == steps.size() &&
        input_mapping(options).levels == 0)
      take_standardization(*steps[trailing], picture, table);
    return table;
  }
  const std::vector<int> place = places(table.channels);
  const auto pixels = std::as_const(picture).span<uint8_t>();
  table.picture.resize(pixels.size());
  for (size_t i = 0; i < pixels.size(); i += place.size())
    for (size_t c = 0; c < place.size(); ++c)
      table.picture[i + static_cast<size_t>(place[c])] = pixels[i + c];
  for (int varied = 0; varied < picture.channels(); ++varied) {
    const Tensor seen = after(steps.subspan(trailing), picture.channels(), varied, input_mapping(options));
    if (varied == 0) {
      table.values = seen;
      table.source.assign(static_cast<size_t>(seen.shape().c()), place[0]);
    }
    for (int64_t c = 0; c < seen.shape().c(); ++c) {
      const auto row =
          seen.span<float>().subspan(static_cast<size_t>(c * PixelTable::kValues), PixelTable::kValues);
      if (is_constant(row)) continue;
      table.source[static_cast<size_t>(c)] = place[static_cast<size_t>(varied)];
      std::copy(row.begin(), row.end(), table.values.data<float>() + c * PixelTable::kValues);
    }
  }
  return table;
}

}  // namespace n2d2::data
