// How is a graph written down, for people, dumps and goldens?
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "n2d2/graph/graph.hpp"

namespace n2d2::graph {

/// With Values::All every constant is written in full and from_text gives the same graph back; with
/// Values::Hash constants are a hash of their bytes (dumps of large networks).
enum class Values { All, Hash };

///   input data : f32 1x1x4x4
///   constant conv1_weights : f32 2x1x3x3 = 1 0 ...
///   conv1 : f32 1x2x2x2 = Conv(data, conv1_weights) KernelDims="3 3" NbOutputs="2" clamp="0 inf" @ a.ini:12
///   output conv1
/// A name of other characters than letters, digits and `_./:-` stands in quotes, and what is not printable
/// ASCII, `"` or `\` in it is `\xNN`; so are texts of fields. Numbers are the shortest that read back as the
/// same bits.
std::string to_text(const Graph& graph, Values values = Values::Hash);

/// Returns to_text(graph, Values::Hash) with file names without their folders. The text is equal wherever the
/// model is stored.
std::string to_text_without_folders(const Graph& graph);

/// Reads what to_text(graph, Values::All) writes; `first_line` is the line of `file` that the text begins on.
/// ModelError with the line of everything else; lines that depend on a wrong one are skipped.
Graph from_text(std::string_view text, const OperatorRegistry& operators, const std::string& file = "text",
                int first_line = 1);

/// The graph for other tools: "inputs", "outputs" and the "in" and "out" of "nodes", in schedule order, are
/// indices into "values". A constant has its "data" in the order of its bytes, or the "hash" of to_text. A
/// bound that is open is null.
/// What is not UTF-8 in a name is replaced.
std::string to_json(const Graph& graph, Values values = Values::Hash);

/// Every byte but letters, digits and `_./:-` as `\xNN`: a name that any text file can hold.
std::string escaped_name(std::string_view name);
/// The text in which every `\xNN` is its byte; nothing when a `\` begins no such thing.
std::optional<std::string> unescaped(std::string_view text);

}  // namespace n2d2::graph
