// What is done, in which order, where in memory? The one value that is planned, validated, run in process,
// checked and printed.
//
// A call is one kernel at work on rows of its outputs. A view says where the rows of one map lie, a constant
// holds what a kernel reads beside its maps:
//
//   calls:      conv1(env -> a)  conv2(a -> b)  sum(a, b -> c)        in order of execution
//   views:      env  a  b  c                                          places in the memories, shared in time
//   constants:  conv1's weights, biases, factors ...                  packed by the kernel that reads them
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/memory/plan.hpp"

namespace n2d2::program {

using memory::Bytes;
using ViewId = int;      ///< index into Program::views
using ConstantId = int;  ///< index into Program::constants
using CallId = int;      ///< index into Program::calls
using RegionId = int;    ///< index into Program::regions
inline constexpr int kNone = -1;
inline constexpr Bytes kScratchAlignment = 4;  ///< of the sums of a loop nest

class Kernel;

/// Rows [first, first + count) of a call's outputs; count -1: all from `first` on.
struct Rows {
  int first = 0, count = -1;
  friend bool operator==(const Rows&, const Rows&) = default;
};

/// Where a view begins: row 0, pixel 0, channel 0.
struct Place {
  memory::MemoryId memory = 0;
  Bytes offset = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// The rows of one map: h rows of w pixels of c elements. Pixel x of row y starts
///
///     place.offset + y * row + x * pixel - (ring > 0 ? (y + first) / ring * turn : 0)
///
/// bytes after the start of its memory. With a ring the rows wrap: a buffer that wraps does so once, by
/// any turn; a ring of `ring` rows that many more rows pass through has turn = ring * row, so that row y lies
/// at place (y + first) % ring.
///
/// A one-row map is a column here (h = its width, w = 1), so that its pixels are what rows are elsewhere;
/// calls whose maps are not all of one row see it through a second view that is one row.
struct View {
  std::string name;      ///< unique; of the layer that makes it
  graph::ValueId value;  ///< the value whose map, or a range of whose channels, it is
  DataType type = DataType::F32;
  int h = 1, w = 1, c = 1;
  Bytes pixel = 0, row = 0;  ///< pitches
  /// Inside another view, at this many bytes from its start: a lane of a concatenation, another name, or a
  /// map in its frame.
  ViewId host = kNone;
  Bytes inside = 0;
  bool keep = false;                       ///< its values are wanted after the last call
  std::vector<memory::MemoryId> memories;  ///< where it may lie, best first; empty: anywhere
  bool outside = false;  ///< in the caller's packed network input, from byte 0 on; never placed
  std::optional<Place> place;
  int ring = 0, first = 0;
  Bytes turn = 0;
  /// Only while this region runs are there rows of it, `ring` of them at a time; they lie `inside` bytes
  /// after the start of its rings, or of the host.
  RegionId region = kNone;
  /// A map between the steps of a loop nest, `inside` bytes behind the first multiple of kScratchAlignment in
  /// the scratch of the call. `ring` of its rows are there at a time.
  bool in_scratch = false;

  Bytes element() const { return size_bytes(type); }
  Bytes used() const { return c * element(); }  ///< bytes of a pixel that carry values
  /// Bytes from the start of row 0 to that of a row.
  Bytes row_at(int y) const { return y * row - (ring > 0 ? (y + first) / ring * turn : 0); }
};

/// What a kernel reads of one input while it writes row r of its outputs: memory::Window.
using memory::Window;

/// What a kernel promises about the order of its reads and writes; the planner derives every margin from it.
/// Rows are those of the views.
struct Contract {
  std::vector<Window> windows;  ///< of each data input
  int rows_per_step = 1;        ///< rows that are computed together
  bool raster_order = false;    ///< pixel by pixel
  Bytes scratch = 0;            ///< private bytes during the call
  Bytes state = 0;              ///< private bytes from before the first call of a run to its end
  /// Knows nothing of rows: it runs as a whole, its maps are pixels at one pitch (none wraps), and all of
  /// them have bytes of their own (none is a lane).
  bool opaque = false;
  bool any_order = false;  ///< faster when the order of its rows is free
  /// Row y of its output is made of row y - 1 of it, too, and may lie there: of running sums one row is there
  /// at a time. Such a call runs in a region that streams alone, top-down.
  bool accumulates = false;
  int64_t macs_again = 0;  ///< multiply-accumulates of all its rows that it does more than once
};

/// How the integers of an array of bytes are stored: fields of 8, 4, 2 or 1 bits.
struct Storage {
  int bits = 8;
  bool is_odd = false;  ///< fields count from the lowest integer, whose highest lower bit is 1
  bool is_narrow() const { return bits < 8; }
  friend bool operator==(const Storage&, const Storage&) = default;
};

/// An array of the program, in the order in which its kernel reads it.
struct Constant {
  std::string role;  ///< "weights", "biases", "factors"
  std::shared_ptr<const Tensor> data;
  bool is_bias = false;  ///< small, once an output: biases, factors
  /// Packed copy of `data`, in the order that the forms of the kernel for some instruction sets read. Null:
  /// all forms read `data`.
  std::shared_ptr<const Tensor> packed = nullptr;
  /// How a program stores `data` or `packed`, both of which hold whole bytes.
  Storage storage = {};
  /// The bytes that a program stores for `data` if `storage` is narrow, of a kernel with an order of fields
  /// of its own. Null: fields of neighbours share a byte (export/CPP/kernels/narrow.hpp).
  std::shared_ptr<const Tensor> fields = nullptr;
  /// Equal parts of `data`, one for each slice of the channels of a loop nest; 1: every slice reads all of
  /// it.
  int slices = 1;
};

/// One kernel at work, or the source: the first call of a program whose input comes row by row
/// (MemorySettings::stream_input), which has the caller make rows of the input. Its kernel is
/// source_kernel(); it is of no node and no cell.
///
/// A loop nest is a call that runs others, its steps, in two loops. No map between the layers is there as a
/// whole: the outer loop makes the rows that a row of the output is made of, again where the row before
/// needed them, too; the inner one makes a slice of their channels at a time and adds its products to 32-bit
/// sums.
///
///     for each row of the output
///       clear the sums
///       for each slice of the channels
///         steps but the last one      conv2d, conv2d_depthwise, conv2d_sums
///       the last step                 requantize
struct Call {
  const Kernel* kernel = nullptr;  ///< never null in a program
  std::string form = {};           ///< of the kernel; "": the one that it has by itself
  graph::NodeId node;
  std::vector<ViewId> in, out;
  std::vector<ConstantId> constants;
  Rows rows;
  memory::Scan scan = memory::Scan::TopDown;
  Contract contract;
  bool overlap = true;    ///< outputs may share bytes with inputs last read here
  bool parallel = false;  ///< several threads pay
  bool turned = false;    ///< all maps have one row: widths are heights here
  std::optional<Place> scratch, state;
  std::string suffix;  ///< tells apart the calls of one node
  /// A loop nest has steps, and no constants of its own; the last two steps are of its node. A call without
  /// steps is no loop nest.
  std::vector<Call> steps = {};
  int slices = 1;  ///< of the channels of the maps between the steps

  bool is_source() const;
  bool is_loop_nest() const { return !steps.empty(); }
};

/// How many of its rows a call has made after turn t of a region: (t * rows + lead) / every, rounded down,
/// but none less than 0 and none more than there are.
struct Pace {
  int rows = 1, every = 1, lead = 0;
  /// In a region of tiles, the rows of each turn instead, some of them made in the turn before, too. Together
  /// they are all rows; neither firsts nor ends go back.
  std::vector<Rows> tiles = {};

  int done(int turn, int height) const;
  /// Returns the rows that the call makes in the turn; `height` is the number of rows of its output.
  Rows in(int turn, int height) const;
  /// Returns those rows of in() that no earlier turn made.
  Rows added(int turn, int height) const;
  friend bool operator==(const Pace&, const Pace&) = default;
};

/// Calls that follow each other and run in turns, each making some rows a turn, top-down: of the maps between
/// them only the rows are kept that later rows are made of.
///
///     turn     0     1     2     3           conv1 leads by the rows that the window of conv2 reaches down
///     conv1    0 1   2     3     4   ...
///     conv2          0     1     2   ...
///
/// Or in tiles: a turn makes a slice of the result of nothing but what it makes itself, and makes rows again
/// for that.
///
///     turn     0        1         2
///     conv1    0 1 2    1 2 3 4   3 4 5
///     conv2    0 1      2 3       4 5
struct Region {
  CallId first = 0;         ///< of calls that follow each other, one for each pace
  std::vector<Pace> paces;  ///< of its calls
  int turns = 0;
  Bytes rings = 0;                              ///< bytes of its maps' rows, beside each other
  std::vector<memory::MemoryId> memories = {};  ///< where they may lie, best first; empty: anywhere
  std::optional<Place> place;                   ///< of the rings
  bool is_tiled() const { return !paces.empty() && !paces.front().tiles.empty(); }
  CallId end() const { return first + static_cast<CallId>(paces.size()); }
  bool has(CallId call) const { return first <= call && call < end(); }
  friend bool operator==(const Region&, const Region&) = default;
};

/// A node of the graph as the program has it: its calls stand together, none where others write its output.
struct Cell {
  graph::NodeId node;
  std::string name;        ///< of the node
  std::string identifier;  ///< unique C identifier
  std::vector<CallId> calls;
  std::vector<ViewId> outputs;  ///< the whole maps
  /// Unique C identifiers of them: the first one's is the cell's own, those of a part are its layers'.
  std::vector<std::string> output_identifiers = {};
};

/// A value that leaves the program.
struct Output {
  graph::ValueId value;
  int classes = 0;
  bool is_data = false;  ///< no classes are wanted of it, but the input of the program (DataAsTarget)
};

/// What the program takes of one memory.
struct Memory {
  std::string name;
  Bytes capacity = 0;  ///< 0: unlimited
  Bytes alignment = 1;
  Bytes peak = 0, lower_bound = 0;
};

struct Program {
  graph::Graph graph;
  std::vector<Output> outputs;
  std::vector<View> views;
  std::map<graph::ValueId, ViewId> maps;  ///< of each activation, the view that is the whole of it
  std::vector<Constant> constants;
  std::vector<Call> calls;
  std::vector<Region> regions;  ///< ascending, none in another
  std::vector<Cell> cells;
  std::vector<Memory> memories;
  Bytes alignment = 1;  ///< every place is a multiple of it

  graph::ValueId input() const { return graph.inputs().at(0); }
  const View& view(ViewId id) const { return views.at(static_cast<size_t>(id)); }
  const Call& call(CallId id) const { return calls.at(static_cast<size_t>(id)); }
  const Constant& constant(ConstantId id) const { return constants.at(static_cast<size_t>(id)); }
  /// The first of these whose role begins with a word. InternalError when there is none.
  const Constant& constant(std::span<const ConstantId> ids, std::string_view role) const;
  /// The region that runs it; null: it runs by itself.
  const Region* region_of(CallId call) const;
  const graph::Node& node(const Call& call) const { return graph.node(call.node); }
  /// Returns the name of the node of the call; for the source, the name of the input.
  const std::string& name_of(const Call& call) const {
    return call.is_source() ? view(call.out.at(0)).name : node(call).name;
  }
  /// The view that it lies in, directly or through others; itself where it lies in none.
  ViewId root_of(ViewId id) const {
    while (view(id).host != kNone) id = view(id).host;
    return id;
  }
  /// Whether it is the other, or lies in it, directly or through others.
  bool lies_in(ViewId inner, ViewId outer) const {
    while (inner != kNone && inner != outer) inner = view(inner).host;
    return inner != kNone;
  }
  /// A map of larger elements than what it lies in: that is a frame, which nothing else lies in.
  bool is_in_frame(ViewId id) const {
    const ViewId host = view(id).host;
    return host != kNone && view(host).element() < view(id).element();
  }
  /// The whole map of a value.
  const View& map_of(graph::ValueId value) const { return view(maps.at(value)); }
  bool input_in_arena() const { return !map_of(input()).outside; }
  /// Whether the first call is the source.
  bool streams_input() const { return !calls.empty() && calls.front().is_source(); }
};

}  // namespace n2d2::program
