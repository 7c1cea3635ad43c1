// Does every text either give a number that prints and reads back the same, or a ConfigError?
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "n2d2/base/text.hpp"

#include "expression.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using n2d2::config::Number;
  try {
    const Number number =
        n2d2::config::evaluate_expression(std::string_view(reinterpret_cast<const char*>(data), size));
    const std::string text = n2d2::config::print_number(number);
    if (const auto* whole = std::get_if<int64_t>(&number)) {
      if (n2d2::parse_integer(text) != *whole) std::abort();
    } else if (n2d2::parse_real(text) != std::get<double>(number)) {
      std::abort();
    }
  } catch (const n2d2::ConfigError&) {
    return 0;
  }
  return 0;
}
