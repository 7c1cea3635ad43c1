// Which maps lie inside which concatenations?
//
//   a = Concat(x, y)      b = Concat(x, y, z)
//
//   b  [ x .. | y .. | z .. ]      x and y are lanes of a; a, whose parts are a run of b's, is one of b.
//   a  [ x .. | y .. ]
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// From this byte of a pixel of that concatenation on.
struct Lane {
  graph::ValueId concat;
  Bytes offset = 0;
  friend auto operator<=>(const Lane&, const Lane&) = default;
};

/// A value that is no concatenation itself, as a part of one.
struct Part {
  graph::ValueId value;
  Bytes offset = 0, size = 0;  ///< bytes of a pixel
};

class Lanes {
 public:
  struct Rules {
    /// Whether the output of a node is made of parts.
    std::function<bool(const graph::Node&)> is_concat;
    /// Whether a value may lie in place in the output of this node; asked of its inputs and of other
    /// concatenations.
    std::function<bool(graph::ValueId, const graph::Node&)> may_lie;
  };

  /// A value lies in one place only: a concatenation in the first that reads it, else in the smallest of
  /// whose parts its own are a run, as long as no two of them overlap without one holding the other; any
  /// other value in the first concatenation, in this order of the nodes, that reads it.
  Lanes(const graph::Graph& graph, std::span<const graph::NodeId> order, Rules rules);

  /// Nothing for a value that lies in a buffer of its own.
  std::optional<Lane> of(graph::ValueId value) const;
  /// Returns the lane of the bytes of `lane` in the outermost concatenation, which is stored inside no other.
  Lane outermost(Lane lane) const;
  /// Returns the lane of the `size` bytes from `lane` on in the smallest concatenation that holds them.
  Lane innermost(Lane lane, Bytes size) const;
  /// What a value is made of: of concatenations their parts, of any other value the value itself.
  std::vector<Part> parts(graph::ValueId value) const;

 private:
  void nest_operands();
  void nest_runs();
  void lay_inputs();
  void nest(graph::ValueId inner, Lane lane);
  void put(graph::ValueId value, Lane lane);
  bool lies_in(graph::ValueId value, graph::ValueId concat) const;
  Bytes size_of(graph::ValueId value) const;
  template <class Visit>
  void for_inputs(const graph::Node& concat, Visit visit) const;

  /// A concatenation inside another.
  struct Nested {
    graph::ValueId value;
    Bytes offset = 0, size = 0;
  };

  const graph::Graph& graph_;
  Rules rules_;
  std::vector<graph::NodeId> concats_;
  std::map<graph::ValueId, Lane> lanes_;
  std::map<graph::ValueId, std::vector<Nested>> nested_;
};

}  // namespace n2d2::program
