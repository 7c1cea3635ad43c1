#include "n2d2/base/fields.hpp"

namespace n2d2::detail {

std::string bounds_text(const FieldInfo& info) {
  std::string out;
  if (info.min) out += fmt::format(" >= {}", *info.min);
  if (info.max) out += fmt::format("{} <= {}", info.min ? " and" : "", *info.max);
  return out;
}

std::optional<KeyText> find_geometry(const FieldInfo& info, const Dims& defaults, const KeySource& source) {
  const std::string base(info.geometry);
  for (const char* suffix : {"Dims", "", "Size"})
    if (auto found = source.find(base + suffix)) return found;
  const auto absent = [&](int value) { return info.required ? "?" : std::to_string(value); };
  for (const auto& [suffix_x, suffix_y] : {std::pair{"X", "Y"}, std::pair{"Width", "Height"}}) {
    const auto x = source.find(base + suffix_x);
    const auto y = source.find(base + suffix_y);
    if (!x && !y) continue;
    return KeyText{(x ? x->text : absent(defaults.x)) + " " + (y ? y->text : absent(defaults.y)),
                   x ? x->where : y->where};
  }
  return std::nullopt;
}

}  // namespace n2d2::detail
