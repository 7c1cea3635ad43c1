// What does every layer compute of one sample? `-log-outputs` writes it.
#pragma once

#include <cstdint>
#include <string_view>

#include "n2d2/loader/network.hpp"

namespace n2d2::app {

/// Writes the network's input and the outputs of its layers for the n-th Test sample, n from 1 on, into
/// `<folder>_<n>`: an array N,C,H,W (N = 1) a value, in `<name>.npy`, by the names of the graph as it is; of
/// a quantized graph their integers, of the types they have. ConfigError: there is no such sample, or a file
/// cannot be written.
void log_outputs(const loader::Network& net, int64_t n, std::string_view folder);

}  // namespace n2d2::app
