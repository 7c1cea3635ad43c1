#include "n2d2/quantize/options.hpp"

#include "n2d2/quantize/clipping.hpp"

namespace n2d2::quantize {

namespace {

void check_bits(int bits, Diagnostics& diagnostics) {
  if (bits >= 2 && bits <= 16) return;
  std::string hint;
  if (bits == 1) hint = "one signed bit has no full scale (2^0 - 1 = 0)";
  if (bits >= 17 && bits <= 32) hint = "more than 16 bits are not supported yet";
  diagnostics.error({}, fmt::format("-nbbits: expected 2 to 16 for an integer network, got {}", bits), hint);
}

}  // namespace

void check(const Options& options) {
  Diagnostics diagnostics;
  check_bits(options.bits, diagnostics);
  if (options.widths.others.weights != 0) check_bits(options.widths.others.weights, diagnostics);
  const auto check_clipping = [&](const auto& find) {
    try {
      find();
    } catch (const ConfigError& error) {
      diagnostics.add(error);
    }
  };
  check_clipping([&] { weight_clipping(options.weight_clipping); });
  check_clipping([&] { clipping(options.activation_clipping, "-act-clipping-mode"); });
  if (!(options.quantile > 0 && options.quantile <= 1))
    diagnostics.error({}, fmt::format("-act-quantile-value: expected a number > 0 and <= 1, got '{}'",
                                      print_real(options.quantile)));
  diagnostics.finish<ConfigError>();
}

RescaleMode rescale_mode(std::string_view text) {
  if (text == "Fixed-point") return RescaleMode::FixedPoint32;
  RescaleMode mode{};
  if (ValueText<RescaleMode>::parse(text, mode)) return mode;
  throw ConfigError(fmt::format("-act-rescaling-mode: expected {} or Fixed-point, got '{}'",
                                ValueText<RescaleMode>::kind(), text));
}

}  // namespace n2d2::quantize
