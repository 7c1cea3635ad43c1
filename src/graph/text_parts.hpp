// How are names, texts and constants written where a graph is written?
#pragma once

#include <string>
#include <string_view>

#include "n2d2/tensor/tensor.hpp"

namespace n2d2::graph {

/// `"`, `\` and every byte that is not printable ASCII as `\xNN`.
std::string escaped(std::string_view text);
/// A name as it stands in graph text: as it is, or escaped in quotes.
std::string name_text(std::string_view name);
/// Returns a hash of the tensor's bytes as 16 hexadecimal digits.
std::string hash_text(const Tensor& tensor);

}  // namespace n2d2::graph
