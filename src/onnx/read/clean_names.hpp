// Which names does a file bring that nobody else should have to deal with?
#pragma once

#include <cstdint>
#include <string>

namespace onnx {
class GraphProto;
}

namespace n2d2::onnx {

/// Gives tensors and nodes whose name has control characters or more than 200 bytes another one: '_' for each
/// control character, the beginning of what is long, and a number behind it where a tensor has that name
/// already. Returns how many names changed. The order of names in the file decides which number each gets.
/// Names of branches inside the graph are those of the graph.
int64_t clean_names(::onnx::GraphProto& graph);
/// The name without control characters, and the beginning of one that is long.
std::string cleaned_name(std::string name);

}  // namespace n2d2::onnx
