// How many bits have the weights of each layer, and the values that it makes?
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "n2d2/base/fields.hpp"

namespace n2d2 {

/// Widths of one layer; 0: nobody says.
struct LayerWidths {
  int weights = 0, activations = 0;
  friend bool operator==(const LayerWidths&, const LayerWidths&) = default;
};

/// Adds the keys of a section of one layer, in network files and in export parameters, whose struct P has
/// bits, weight_bits and activation_bits.
template <class P, class V>
void add_width_fields(V&& v) {
  constexpr int kFewest = 2, kMost = 16;
  v("NbBits", &P::bits, at_least(kFewest), at_most(kMost),
    help("bits of the layer's weights and of the values that it makes, where they are not those of the "
         "export"));
  v("WeightNbBits", &P::weight_bits, at_least(kFewest), at_most(kMost), help("bits of its weights alone"));
  v("ActivationNbBits", &P::activation_bits, at_least(kFewest), at_most(kMost),
    help("bits of the values that it makes alone"));
}

/// What these keys say: the one of both, unless there is one of its own.
template <class P>
LayerWidths widths_of(const P& keys) {
  const int both = keys.bits.value_or(0);
  return {keys.weight_bits.value_or(both), keys.activation_bits.value_or(both)};
}

/// The keys alone.
struct WidthKeys {
  std::optional<int> bits, weight_bits, activation_bits;

  template <class V>
  static void fields(V&& v) {
    add_width_fields<WidthKeys>(v);
  }
};

/// Widths of a network. held_bits() says which integers hold them: weights of fewer bits than a byte stand in
/// its upper bits, so that biases are finer, and values of fewer bits reach fewer of the steps.
struct Widths {
  /// Layers that `layers` says nothing of have these; depthwise layers, whose weights are few and
  /// sensitive, keep theirs.
  LayerWidths others;
  std::map<std::string, LayerWidths, std::less<>> layers;

  /// What is said of a layer, and is not 0, takes the place of what was said before.
  void set(const std::string& layer, const LayerWidths& widths) {
    LayerWidths& to = layers[layer];
    if (widths.weights > 0) to.weights = widths.weights;
    if (widths.activations > 0) to.activations = widths.activations;
  }

  /// `most` where nobody says.
  int weights(std::string_view layer, bool is_depthwise, int most) const {
    return asked(&LayerWidths::weights, layer, is_depthwise ? 0 : others.weights, most);
  }
  int activations(std::string_view layer, int most) const {
    return asked(&LayerWidths::activations, layer, others.activations, most);
  }

 private:
  int asked(int LayerWidths::*member, std::string_view layer, int other, int most) const {
    const auto found = layers.find(layer);
    const int own = found == layers.end() ? 0 : found->second.*member;
    const int bits = own > 0 ? own : other;
    return bits > 0 ? bits : most;
  }
};

}  // namespace n2d2
