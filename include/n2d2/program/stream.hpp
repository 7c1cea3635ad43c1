// Can these calls run in turns, and how many rows of each map must be kept?
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// What a region does, seen as one step: the maps that are there before it with the windows that hold for its
/// result, and the map that is there afterwards, the whole of what its calls write to.
struct RegionReads {
  std::vector<std::pair<ViewId, Window>> reads;
  ViewId result = kNone;
  int rows_per_step = 1;
};

/// A map that is made and read in a region alone.
struct Ring {
  ViewId root = kNone;
  int rows = 0;     ///< that are there at a time
  Bytes start = 0;  ///< of the region's rings, where it begins
};

/// A region that can be made, and what it takes.
struct Stream {
  Region region;
  RegionReads reads;
  std::vector<Ring> rings;
  int64_t runs = 0;  ///< calls of kernels in all turns together
};

/// So many rows as slices, the first ones one row longer where they are not all equal. There are as many rows
/// at least.
std::vector<Rows> slices_of(int rows, int slices);

class Members;

/// Regions of a program that has no places; it must outlive them.
class Streams {
 public:
  explicit Streams(const Program& program);
  ~Streams();

  /// The calls [first, end) as a region in which the one that makes most rows makes `step` of them a turn. A
  /// row is made as late as rows that are made of it allow; where two calls read a map, one of them as early
  /// as its inputs are there if that takes fewer bytes. Nothing is computed twice.
  ///
  /// Nothing where that cannot be: unless there are two calls at least, one map alone is needed afterwards,
  /// and every other one that is made here is made of rows, read by windows of rows, free to lie anywhere,
  /// and of one height with all that lies in it; strides of branches must fit to each other, no layer is cut,
  /// and of an input that its source makes here not all rows are kept.
  std::optional<Stream> find(CallId first, CallId end, int step) const;
  /// The calls as a region of tiles, one for each of the slices_of() the result. A map that is made and read
  /// here is there for the calls from its first maker to its last reader alone, a slice of it at a time.
  /// Strides of branches need not fit.
  ///
  /// Nothing, and why, where that cannot be: as for find(), and where the result has fewer rows, or the input
  /// comes row by row.
  std::optional<Stream> tile(CallId first, CallId end, int slices, std::string& why_not) const;
  /// No region that begins here reaches beyond these calls.
  CallId limit(CallId first) const;

 private:
  struct Maps;
  std::string fault_of(CallId first, CallId end) const;
  std::optional<ViewId> result_of(const Members& members, std::string& why_not) const;
  const Program& program_;
  std::unique_ptr<const Maps> maps_;
};

/// Where a ring begins is a multiple of it.
Bytes ring_unit(const Program& program);
/// Returns the bytes of a ring (rolling buffer): its rows, plus the padding that lets it begin at a multiple
/// of its element size wherever the rings of its region are allocated.
Bytes ring_bytes(const Program& program, const Ring& ring);

/// The program with the region, whose maps become rings. No other region has calls of it.
void add_region(Program& program, const Stream& stream);

/// Found by going through the turns of a region. A window reaches down to the end of its map: rows come
/// top-down only.
RegionReads region_reads(const Program& program, const Region& region);

/// Where the scratch of a region's calls begins, behind its rings, and where it ends. They run one after the
/// other.
struct RegionScratch {
  Bytes calls = 0, end = 0;
};
RegionScratch region_scratch(const Program& program, const Region& region);

}  // namespace n2d2::program
