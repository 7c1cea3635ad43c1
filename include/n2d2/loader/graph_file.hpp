// How is a network one file, its values and its data sections included? `-dump graph` writes it, `n2d2
// net.graph` runs it.
#pragma once

#include <string>
#include <string_view>

#include "n2d2/loader/network.hpp"

namespace n2d2::loader {

///   n2d2 graph 1
///   Seed=1
///   [database] ... [sp] ... [sp.Transformation-1] ...     as in an INI file, without templates, references
///   [target.0]                                            of output 0 of the graph; the keys of its section
///   Section=softmax.Target                                what it is called; graph::escaped_name
///   ---
///   input sp : f32 1x1x24x24                              graph text, every constant in full
///   ...
struct GraphFile {
  /// What stands above the graph.
  config::IniDocument ini;
  graph::Graph graph;
  uint64_t seed = 1;
};

/// The text of such a file. `ini` is the document that the network was built from. ConfigError for a value
/// that no line of an INI file can hold.
std::string graph_file_text(const Network& network, const config::IniDocument& ini);

/// ConfigError with the line of everything that is wrong in the text; `path` is what messages say.
GraphFile parse_graph_file(std::string_view text, const std::string& path);
/// Reads a graph file and parses its text like parse_graph_file().
GraphFile read_graph_file(const std::string& path);

/// The network of a file that was read: nothing learns in it, its constants have their values. `options.seed`
/// is that of the file. Findings as for an INI; a graph that does not go with its data sections is one of
/// them.
Network network(graph::Graph graph, config::IniDocument& ini, const Options& options);

}  // namespace n2d2::loader
