// Which buffers live when, how do steps read and write them, and where may they be put?
//
// Bytes and steps, nothing else. A buffer is a map of height x width pixels, rows in order:
//
//        |<------- pixel ------->|
//        [ used ........ | unused ][ used ........ | unused ] ...      one row of `width` pixels, `height`
//        rows
//
// Step t runs as a whole at time t. Lifetimes are half-open: [first, end) in steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace n2d2::memory {

using Bytes = int64_t;
using BufferId = int;  ///< index into Problem::buffers
using MemoryId = int;  ///< index into Problem::memories
using StepId = int;    ///< index into Problem::steps; also the time at which the step runs
inline constexpr int kNone = -1;

/// The nearest multiples of the alignment, also of negative values.
inline Bytes round_down(Bytes value, Bytes alignment) {
  const Bytes rest = value % alignment;
  return value - (rest < 0 ? rest + alignment : rest);
}
inline Bytes round_up(Bytes value, Bytes alignment) {
  return -round_down(-value, alignment);
}

/// Steps first, first + 1, ..., end - 1.
struct Lifetime {
  int first = 0, end = 0;
  bool overlaps(const Lifetime& other) const { return first < other.end && other.first < end; }
  bool covers(const Lifetime& other) const { return first <= other.first && other.end <= end; }
  friend bool operator==(const Lifetime&, const Lifetime&) = default;
};

/// What a step reads of one input while it writes row r of its output, the first one of several (see Step).
/// It is the contract of the kernel.
///   Rows     input rows r*stride - pad ... + extent - 1, clipped to the map;
///            extent = (kernel - 1)*dilation + 1; a negative pad: rows before are read when no row is written
///            yet
///   Element  element i of the input, before element i of any output is written (all these maps have equally
///            many, in equally many rows and pixels)
///   Same     as Element, but the elements of a row in any order: a row of an output is exactly that of the
///            input, byte for byte, or meets none that is read now or later
///   Whole    everything, until the last byte of the last output is written
struct Window {
  enum class Kind { Rows, Element, Whole, Same };
  Kind kind = Kind::Whole;
  int stride = 1, pad = 0, extent = 1;  ///< Rows only, in rows
  friend bool operator==(const Window&, const Window&) = default;
};

struct Read {
  BufferId buffer = kNone;
  Window window;
  friend bool operator==(const Read&, const Read&) = default;
};

/// One operation. It writes its outputs by groups of rows while the windows of the group are still being
/// read.
/// A group is rows_per_step rows of the first output (the last group may have fewer) and the same share of
/// the rows of every other: when the first output has `rows` rows and the group is [from, to) of them, an
/// output of `height` rows gets its rows [from * height / rows, to * height / rows), rounded down. Windows
/// count the rows of the first output.
///
///      writes[0], 6 rows, 2 at a time     writes[1], 3 rows     writes[2], 2 rows
///        0  group 0                         0  group 0            (nothing in group 0)
///        1                                  1  group 1            0  group 1
///        2  group 1                         2  group 2            1  group 2
///        3  ...
///
/// All outputs are written in the same scan. A step without outputs only reads.
struct Step {
  std::string name;
  std::vector<Read> reads;
  std::vector<BufferId> writes;  ///< each once
  Bytes scratch = 0;             ///< private bytes for the duration of the step; content does not matter
  int rows_per_step = 1;         ///< rows of the first output that are computed together
  /// Pixel by pixel: the windows (square, see Window) hold for columns as well, and all outputs have equally
  /// many rows and pixels.
  bool raster_order = false;
  bool overlap = true;     ///< outputs may share bytes with inputs last read here, never with each other
  bool any_order = false;  ///< faster when its rows may come in any order, so when it overlaps no input
  std::vector<MemoryId> scratch_memories;  ///< where the scratch may lie, as Buffer::memories
  friend bool operator==(const Step&, const Step&) = default;
};

/// A fixed place inside another buffer: the lane of a concatenation, or an alias. Offset in bytes from the
/// start of the host; the buffer's own pixel pitch tells how it strides through it.
struct Inside {
  BufferId buffer = kNone;
  Bytes offset = 0;
  friend bool operator==(const Inside&, const Inside&) = default;
};

struct Buffer {
  std::string name;
  Lifetime life;              ///< see derive_lifetimes
  Bytes used = 0, pixel = 0;  ///< 1 <= used <= pixel: bytes of a pixel that carry values, and the pixel pitch
  int width = 1, height = 1;  ///< a one-row signal along x is given as width 1 and height = length
  std::optional<Inside> inside;
  bool keep = false;               ///< its value is wanted after the last step
  std::vector<MemoryId> memories;  ///< where it may lie, best first; empty: anywhere, memory 0 first
  Bytes row() const { return pixel * width; }
  Bytes size() const { return row() * height; }
  friend bool operator==(const Buffer&, const Buffer&) = default;
};

struct Memory {
  std::string name = "ram";
  Bytes capacity = 0;   ///< 0: unlimited
  Bytes alignment = 1;  ///< of its spaces, beside Problem::alignment
  friend bool operator==(const Memory&, const Memory&) = default;
};

/// An instance of the planning problem. A problem without steps is legal: lifetimes say everything then.
struct Problem {
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
  std::vector<Memory> memories{Memory{}};
  Bytes alignment = 1;  ///< every space starts at a multiple of it
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// Every space of the memory starts at a multiple of it: the least common multiple of both alignments.
Bytes alignment_of(const Problem& problem, MemoryId memory);

/// The buffer that holds this one, directly or not; the buffer itself when it is inside nothing.
BufferId root_of(const Problem& problem, BufferId buffer);

/// Number of time steps: the steps, or the latest end of a lifetime if that is later.
int duration(const Problem& problem);

/// Sets the life of every buffer from the steps: from the step that writes it, or from
/// step 0 when none does, to one past its last reader. Reads of a host count for the
/// buffers inside it, writes to those count for the host. A buffer without a reader lives for the step
/// that writes it; one that no step names keeps the life it has. With `keep` every life reaches the end.
/// Changes nothing when there are no steps.
void derive_lifetimes(Problem& problem);

/// A reason why a problem is not well formed.
struct Fault {
  enum class Subject { Problem, Buffer, Step };
  Subject subject = Subject::Problem;
  int index = 0;  ///< of the buffer or step
  std::string text;
};

/// Everything that is wrong with the problem: sizes, names given twice, indices, nesting, lifetimes that are
/// empty or shorter than the steps and `keep` demand, bytes written twice, memories that do not exist. Empty:
/// well formed.
std::vector<Fault> faults(const Problem& problem);

}  // namespace n2d2::memory
