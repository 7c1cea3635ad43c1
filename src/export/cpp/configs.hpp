// Which members does each kernel's config have? Plain structs for the host run; visit() lists the members, and
// the printed form of an exported layer follows from that list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "n2d2/base/text.hpp"
#include "n2d2/export/export_lib.hpp"

namespace n2d2::exporter::cpp {

/// Members of plane.hpp, input side.
struct InPlane {
  int in_w = 0, in_h = 0, in_c = 0;
  std::ptrdiff_t in_pixel = 0, in_row = 0;
  int in_split = 0;
  std::ptrdiff_t in_jump = 0;
  void set_in(const Plane& p) {
    in_w = p.width, in_h = p.height, in_c = p.channels;
    in_pixel = p.pixel, in_row = p.row, in_split = p.split, in_jump = p.jump;
  }
  template <class V>
  void visit_in(V&& v) const {
    v("in_w", in_w), v("in_h", in_h), v("in_c", in_c), v("in_pixel", in_pixel), v("in_row", in_row);
    v("in_split", in_split), v("in_jump", in_jump);
  }
};

struct OutPlane {
  int out_w = 0, out_h = 0, out_c = 0;
  std::ptrdiff_t out_pixel = 0, out_row = 0;
  int out_split = 0;
  std::ptrdiff_t out_jump = 0;
  int bottom_up = 0, ordered = 1;
  void set_order(memory::Scan scan) {
    bottom_up = scan == memory::Scan::BottomUp ? 1 : 0;
    ordered = scan == memory::Scan::Any ? 0 : 1;
  }
  void set_out(const Plane& p) {
    out_w = p.width, out_h = p.height, out_c = p.channels;
    out_pixel = p.pixel, out_row = p.row, out_split = p.split, out_jump = p.jump;
  }
  template <class V>
  void visit_out(V&& v) const {
    v("out_w", out_w), v("out_h", out_h), v("out_c", out_c), v("out_pixel", out_pixel), v("out_row", out_row);
    v("out_split", out_split), v("out_jump", out_jump), v("bottom_up", bottom_up), v("ordered", ordered);
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

template <class Bound>
struct ConvConfig : InPlane, OutPlane, RescaleFields<Bound> {
  int kernel_w = 1, kernel_h = 1, stride_x = 1, stride_y = 1, dilation_x = 1, dilation_y = 1;
  int pad_x = 0, pad_y = 0, groups = 1, parallel = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_in(v), this->visit_out(v), this->visit_rescale(v);
    v("kernel_w", kernel_w), v("kernel_h", kernel_h), v("stride_x", stride_x), v("stride_y", stride_y);
    v("dilation_x", dilation_x), v("dilation_y", dilation_y), v("pad_x", pad_x), v("pad_y", pad_y);
    v("groups", groups), v("parallel", parallel);
  }
};

template <class Bound>
struct FcConfig : InPlane, OutPlane, RescaleFields<Bound> {
  int parallel = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_in(v), this->visit_out(v), this->visit_rescale(v);
    v("parallel", parallel);
  }
};

template <class Bound>
struct PoolConfig : InPlane, OutPlane, RescaleFields<Bound> {
  int pool_w = 1, pool_h = 1, stride_x = 1, stride_y = 1, pad_x = 0, pad_y = 0, count_zeros = 0, parallel = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_in(v), this->visit_out(v), this->visit_rescale(v);
    v("pool_w", pool_w), v("pool_h", pool_h), v("stride_x", stride_x), v("stride_y", stride_y);
    v("pad_x", pad_x), v("pad_y", pad_y), v("count_zeros", count_zeros), v("parallel", parallel);
  }
};

/// scaling.hpp, and the output side of elemwise.hpp and concat.hpp.
template <class Bound>
struct ScalingConfig : InPlane, OutPlane, RescaleFields<Bound> {
  template <class V>
  void visit(V&& v) const {
    this->visit_in(v), this->visit_out(v), this->visit_rescale(v);
  }
};

struct ConfigPrinter {
  ConfigFields fields;
  template <class T>
  void operator()(const char* name, const T& value) {
    if constexpr (std::is_same_v<T, float>) {
      const std::string digits = print_real(value);
      const bool plain = digits.find_first_of(".e") == std::string::npos;
      fields.push_back({name, "float", digits + (plain ? ".0f" : "f")});
    } else {
      fields.push_back({name, "int", std::to_string(value)});
    }
  }
};

template <class Config>
ConfigFields print_config(const Config& config) {
  ConfigPrinter printer;
  config.visit(printer);
  return printer.fields;
}

}  // namespace n2d2::exporter::cpp
