// Answers: which rows of an output that overlaps its input may several threads compute at once?
// Part of an exported project; may be used without condition.
//
// Where `ordered` is 1 (plane.hpp), output rows overlap input rows whose lifetime ends meanwhile. A group is
// a range of rows in scan order; none overlaps an input row that any of them reads. Its rows come in any
// order. Output and input approach each other at one end of the map only, so elsewhere groups have many rows:
//
//   input                        |0  |1  |2  |3  |        1 x 1, from the first row to the last:
//   output   |0      |1      |2      |3      |            rows 0 and 1 are a group, 2 and 3 are one each
//
// In a rolling buffer a group is one row. Config fields: those of plane.hpp;
// window_rows reads those of conv.hpp. Stack: none of note. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Output row y depends on input rows [y * stride - pad, y * stride - pad + height) that exist.
struct WindowRows {
  int height, stride, pad;
};

// Returns the rows of a convolution's windows.
template <class C>
N2D2_INLINE WindowRows window_rows(const C& c) {
  const WindowRows w = {(c.kernel_h - 1) * c.dilation_y + 1, c.stride_y, c.pad_y};
  return w;
}

// Addresses from the first byte to one past the last one.
struct ByteRange {
  uintptr_t first, end;
};

struct RowGroups {
  Plane src, dst;
  uintptr_t in, out;            // addresses of rows 0
  ptrdiff_t in_size, out_size;  // bytes of an element
  WindowRows window;
  Rows rows;
  int most;  // rows of a group
  bool ordered, bottom_up;

  // Returns the bytes of rows [first, end) of a map, first < end.
  static ByteRange bytes(const Plane& map, uintptr_t start, ptrdiff_t size, int first, int end) {
    const ptrdiff_t row = map.pixel_at(map.w - 1) + map.c;
    const ByteRange r = {start + static_cast<uintptr_t>(map.row_at(first) * size),
                         start + static_cast<uintptr_t>((map.row_at(end - 1) + row) * size)};
    return r;
  }
  // Returns whether output rows [first, first + count) are a group. One more input row counts as read,
  // because some forms multiply a few of its elements by zero.
  bool apart(int first, int count) const {
    if (src.ring != 0 || dst.ring != 0) return false;
    const int from = first * window.stride - window.pad;
    const int until = from + (count - 1) * window.stride + window.height + 1;
    const int y0 = from < 0 ? 0 : from, y1 = smaller(until, src.h);
    if (y0 >= y1) return true;
    const ByteRange read = bytes(src, in, in_size, y0, y1);
    const ByteRange written = bytes(dst, out, out_size, first, first + count);
    return written.end <= read.first || read.end <= written.first;
  }
  // Returns the size of the largest group after the first `done` rows in scan order, done < rows.count.
  N2D2_APART int size(int done) const {
    const int left = rows.count - done;
    if (!ordered) return left;
    int sure = 1, may = smaller(left, most);
    while (sure < may) {
      const int n = sure + (may - sure + 1) / 2;
      if (apart(bottom_up ? rows.first + left - n : rows.first + done, n))
        sure = n;
      else
        may = n - 1;
    }
    return sure;
  }
  // Returns the number of groups; it counts up to `enough` of them.
  int count(int enough) const {
    int n = 0;
    for (int done = 0; done < rows.count && n < enough; ++n) done += size(done);
    return n;
  }
};

template <class C, class In, class Out>
N2D2_INLINE RowGroups row_groups(const C& c, Rows rows, const WindowRows& window, const In* in,
                                 const Out* out) {
  const RowGroups g = {in_plane(c),
                       out_plane(c),
                       reinterpret_cast<uintptr_t>(in),
                       reinterpret_cast<uintptr_t>(out),
                       static_cast<ptrdiff_t>(sizeof(In)),
                       static_cast<ptrdiff_t>(sizeof(Out)),
                       window,
                       rows,
                       rows.count,
                       c.ordered != 0,
                       c.bottom_up != 0};
  return g;
}

#if defined(_OPENMP)
// Microseconds of one thread's work that pay for several threads, and for a group at whose end they wait.
#if defined(N2D2_THREADS_ALWAYS)
enum { kWorkOfThreads = 0, kWorkOfGroup = 0 };
#else
enum { kWorkOfThreads = 8, kWorkOfGroup = 2 };
#endif

// Returns whether a layer with this number of products, `rate` a microsecond and thread, has several threads.
template <class C>
N2D2_INLINE bool has_threads(const C& c, const RowGroups& groups, int64_t products, int rate) {
  if (!has_threads(c)) return false;
  const int64_t left = products - static_cast<int64_t>(kWorkOfThreads) * rate;
  if (left < 0 || !groups.ordered) return left >= 0;
  const int64_t pay = left / (static_cast<int64_t>(rate) * kWorkOfGroup + 1);  // this number of groups pays
  return pay >= groups.rows.count || groups.count(static_cast<int>(pay) + 1) <= pay;
}
#endif

}  // namespace N2D2_EXPORT_NAMESPACE
