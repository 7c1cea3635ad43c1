// Which values of a network can have a zero point, and which inputs have a use for one?
#pragma once

#include <optional>
#include <string>

#include "n2d2/graph/graph.hpp"
#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/options.hpp"
#include "n2d2/tensor/pixel_table.hpp"

namespace n2d2::quantize {

/// What may be between a value and those that compute with its zero point: layers that only move integers;
/// concatenations, too, all of whose branches have the same zero point; layers that add zeros, too, which
/// will be borders of real 0.
enum class Through { Moves, Concats, Paddings };

/// Why `zero` may not stand for 0 in a value; "": everything that reads it folds a zero point into its biases
/// (IntegerForm::inside_sums), its table or what its sums start from (Rescale::start), computes with it
/// (IntegerForm::reads_zeros, integers alone) or with differences, also behind FakeQuantize and what
/// `through` names.
std::string refuses_zero_point(const graph::Graph& graph, graph::ValueId value, double zero,
                               Through through = Through::Moves);

/// Whether such a layer can make integers with a zero point, which is an integer: in its biases, its table or
/// what its sums start from.
bool makes_zero_point(const graph::IntegerForm& form);

/// The grid that all channels of the table are on, but for float's rounding; none: there is no table, a
/// channel has a scale or an offset of its own, or is no line.
std::optional<ByteGrid> byte_grid(const PixelTable& table);

/// What all bytes of a picture make of the inputs of a network: their ranges, without a sample.
Ranges ranges_of_bytes(const graph::Graph& graph, const ByteGrid& grid);

}  // namespace n2d2::quantize
