// Which layer types are there, and what does each of them read?
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/fields.hpp"

namespace n2d2::loader {

struct LayerType {
  std::string_view name;
  /// Several inputs become one by concatenation; else, but for ElemWise, one input only.
  bool concatenates = true;
  /// Key prefixes of the solvers of its parameters: "WeightsSolver", "BiasSolver" ...; empty: nothing to
  /// learn.
  std::vector<std::string_view> solvers, fillers;
  /// Channel mapping keys mean something.
  bool mapped = false;
};

/// Null when the type is not supported.
const LayerType* find_layer_type(std::string_view name);
/// Entries keep their places.
const std::deque<LayerType>& supported_layer_types();

/// A key that the reference knows and that changes the meaning, but that is not supported: anything but its
/// neutral text is an error "not supported yet".
struct UnsupportedKey {
  std::string_view key;
  Place place = Place::Section;
  /// Text that means the same as leaving it out; empty: any text is an error.
  std::string_view neutral = {};
};
/// Returns the unsupported keys of a layer type, including the keys that every layer type has.
std::vector<UnsupportedKey> unsupported_keys(std::string_view type);
/// Returns the unsupported keys of a layer of an ONNX file. Includes the keys that only layers of an INI file
/// support.
std::vector<UnsupportedKey> unsupported_onnx_keys(std::string_view type);
/// A layer type of the reference that is not supported, and what a network can do without it.
struct UnsupportedType {
  std::string_view name, hint;
};
/// Sorted by name.
std::span<const UnsupportedType> unsupported_layer_types();

/// Whether a key of a layer or of its ConfigSection belongs to the neurons, synapses and devices of spike
/// models.
bool is_spike_key(std::string_view key);

/// Keys an INI writer may use in the layer section and in the config sections of a layer, every spelling of
/// geometry and the parameters of default solvers and fillers included.
struct KnownKeys {
  std::vector<std::string> section, config;
};
KnownKeys known_keys(std::string_view type);

}  // namespace n2d2::loader
