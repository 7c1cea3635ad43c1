#include "file_grids.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::quantize {

ops::FakeQuantize::Steps reachable_steps(const graph::Node& node, const passes::DeclaredRanges& ranges) {
  const auto& round = *graph::as<ops::FakeQuantize>(node);
  ops::FakeQuantize::Steps out = round.steps(0);
  if (round.zero_point[0] == 0) return out;  // what cannot be reached need not fit
  const Clamp& range = ranges.at(node.inputs.at(0));
  const float step = round.step(0);
  const float lo = std::nearbyint(range.lo / step), hi = std::nearbyint(range.hi / step);
  if (lo > static_cast<float>(out.least))
    out.least = static_cast<int64_t>(std::min(lo, static_cast<float>(out.most)));
  if (hi < static_cast<float>(out.most))
    out.most = static_cast<int64_t>(std::max(hi, static_cast<float>(out.least)));
  return out;
}

bool fits(const ops::FakeQuantize::Steps& steps, const QuantParams& quant) {
  return steps.least >= quant.lowest() && steps.most <= quant.highest();
}

bool asks_for_zero_point(const graph::Node& node, const passes::DeclaredRanges& ranges,
                         const Options& options) {
  const auto* round = graph::as<ops::FakeQuantize>(node);
  if (round == nullptr || round->bits != kBitsOfByte || round->scale.size() != 1 ||
      round->zero_point.size() != 1)
    return false;
  const ops::FakeQuantize::Steps steps = reachable_steps(node, ranges);
  const bool fits_unsigned = options.allow_unsigned && fits(steps, {kBitsOfByte, false, -1, {}});
  return !fits_unsigned && !fits(steps, {kBitsOfByte, true, -1, {}});
}

QuantParams integers_as_in_file(const ops::FakeQuantize& round, const Options& options) {
  QuantParams out{round.bits, round.is_signed || !options.allow_unsigned, -1, {round.step(0)}};
  out.zero_point = static_cast<double>(out.lowest() - round.steps(0).least);
  return out;
}

QuantParams symmetric_integers(const ops::FakeQuantize& round) {
  QuantParams out{round.bits, true, -1, {}};
  const ops::FakeQuantize::Steps steps = round.steps(0);
  const auto share = [](int64_t reached, int64_t held) {
    return static_cast<double>(reached) / static_cast<double>(held);
  };
  const double coarser = std::max(share(steps.least, out.lowest()), share(steps.most, out.highest()));
  out.scale = {static_cast<float>(coarser * static_cast<double>(round.step(0)))};
  return out;
}

}  // namespace n2d2::quantize
