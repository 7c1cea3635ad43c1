// Which members does each kernel's config have? Plain structs for the run in process; visit() lists the
// members, and the printed form of a call follows from that list. Included by sources that are compiled for
// one instruction set:
// nothing here may emit a function.
#pragma once

#include <cstddef>
#include <cstdint>

namespace n2d2::targets::cpp {

/// Members of plane.hpp, input side. P: program::Plane.
struct InPlane {
  int in_w = 0, in_h = 0, in_c = 0;
  std::ptrdiff_t in_pixel = 0, in_row = 0;
  int in_ring = 0, in_first = 0;
  std::ptrdiff_t in_turn = 0;
  template <class P>
  void set_in(const P& p) {
    in_w = p.width, in_h = p.height, in_c = p.channels;
    in_pixel = p.pixel, in_row = p.row;
    in_ring = p.ring, in_first = p.first, in_turn = p.turn;
  }
  template <class V>
  void visit_in(V&& v) const {
    v("in_w", in_w), v("in_h", in_h), v("in_c", in_c), v("in_pixel", in_pixel), v("in_row", in_row);
    v("in_ring", in_ring), v("in_first", in_first), v("in_turn", in_turn);
  }
};

struct OutPlane {
  int out_w = 0, out_h = 0, out_c = 0;
  std::ptrdiff_t out_pixel = 0, out_row = 0;
  int out_ring = 0, out_first = 0;
  std::ptrdiff_t out_turn = 0;
  int bottom_up = 0, ordered = 1;
  template <class P>
  void set_out(const P& p) {
    out_w = p.width, out_h = p.height, out_c = p.channels;
    out_pixel = p.pixel, out_row = p.row;
    out_ring = p.ring, out_first = p.first, out_turn = p.turn;
  }
  template <class V>
  void visit_out(V&& v) const {
    v("out_w", out_w), v("out_h", out_h), v("out_c", out_c), v("out_pixel", out_pixel), v("out_row", out_row);
    v("out_ring", out_ring), v("out_first", out_first), v("out_turn", out_turn), v("bottom_up", bottom_up),
        v("ordered", ordered);
  }
};

/// What every call has.
struct Planes : InPlane, OutPlane {
  template <class V>
  void visit_planes(V&& v) const {
    visit_in(v), visit_out(v);
  }
};

/// Members of rescale.hpp. Bound is int in an integer network, float in a float one.
template <class Bound>
struct RescaleFields {
  Bound lo{}, hi{};
  int shift = 0, factor_step = 0;
  template <class V>
  void visit_rescale(V&& v) const {
    v("lo", lo), v("hi", hi), v("shift", shift), v("factor_step", factor_step);
  }
};

}  // namespace n2d2::targets::cpp
