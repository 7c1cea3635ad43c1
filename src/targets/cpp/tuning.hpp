// Which forms of kernels are the fastest on this machine?
//
// What is timed is what ships: projects are written with forms assigned to layers, compiled as their Makefile
// does it, and run; the time of a layer is that of its cell. One project measures one form of every layer at
// once.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "n2d2/targets/cpp/project.hpp"

#include "tuning_cache.hpp"

namespace n2d2::targets::cpp {

/// A layer that several forms compute.
struct TunedLayer {
  std::string name;
  std::string key;                 ///< what its times depend on: layers of one key are measured once
  std::vector<std::string> forms;  ///< the one that it has by itself first
};

/// Forms by the names of layers.
using Assignment = std::map<std::string, std::string>;

/// Times of a program with these forms, by the names of layers; a layer without a time of its own is not
/// there.
using Measure = std::function<std::map<std::string, TimeRange>(const Assignment&)>;

struct Tuned {
  std::map<std::string, TimedForm> forms;  ///< of layers that were measured
  int measured = 0, known = 0,
      changed = 0;  ///< layers: measured here, known before, in another form than by themselves
};

/// Measures what the cache does not know, adds it there, and picks for each layer the fastest form. One that
/// is not faster in each of its runs than the layer's own form in each of its runs does not count as faster.
Tuned tune(const std::vector<TunedLayer>& layers, Timings& cache, const Measure& measure);

/// Layers that no section asks a form of, that several forms compute, and that have a cell of their own, of a
/// planned network.
std::vector<TunedLayer> layers_to_tune(const program::Program& program, const Parameters& parameters);

/// The cell whose time is that of the layer alone; "": there is none.
std::string cell_of_layer(const program::Program& program, const std::string& layer);

}  // namespace n2d2::targets::cpp
