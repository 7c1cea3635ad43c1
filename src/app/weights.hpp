// Where do the weights of a run lie?
#pragma once

#include <string>

#include "n2d2/loader/network.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// Whether every constant came with its values, from ONNX files: none has a filler to start from.
bool brings_weights(const loader::Network& net);

/// The folder of the weights that are tested or exported: what learning leaves, else -w, else
/// what an earlier run has left; "" where they are those of the network file, of a state (-l), or initial
/// values. A network that brings its weights needs no folder: a lone ONNX file has learnt nothing here, an
/// INI may have.
std::string weights_folder(const loader::Network& net, const Options& o);

/// Warns, once for all layers, of BatchNorms of which every stored variance is 0, as before any learning:
/// they divide by sqrt(Epsilon).
void warn_of_variances(const graph::Graph& graph);

}  // namespace n2d2::app
