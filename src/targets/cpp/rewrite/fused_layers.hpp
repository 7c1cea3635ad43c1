// Which layers may one call compute slice by slice, and what are its constants?
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "neighbours.hpp"

namespace n2d2::targets::cpp {

/// The one call of a layer, of all its rows, in the order of the graph's axes.
bool is_of(const program::Call& call, std::string_view kernel);

/// One row of biases; inputs and weights of 8 bits.
bool is_of_bytes(const program::Program& program, const program::Call& call);

/// Unsigned, and nobody needs it or asks for a place of it.
bool is_free_between(const program::Program& program, program::ViewId id);

DataType type_of_factors(const program::Program& program, const program::Call& call);

/// The most that divide all of them, and are no more than `most`.
int largest_slice(int channels, int most);

/// The nodes of calls, in their order.
std::vector<graph::NodeId> nodes_of(std::span<const program::Call> calls);

/// Whether these layers are among the candidates.
bool contains(const std::vector<std::vector<graph::NodeId>>& candidates,
              const std::vector<graph::NodeId>& layers);

/// `fused` gets the layers and copies of their constants, none packed. Weights of a layer whose entry in
/// `rows` is not 0 are [rows][channels] and become [channels / slice][rows][slice]. Roles but the last
/// layer's are numbered from 1 on. `slice` divides `channels`.
void take_layers(program::Program& program, std::span<const program::Call> layers,
                 const std::vector<int>& rows, int channels, int slice, program::Call& fused);

}  // namespace n2d2::targets::cpp
