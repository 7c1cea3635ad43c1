// Answers: does a kernel give the outputs of a layer, and writes it nothing else?
#pragma once

#include <vector>

#include "scalar_layer.hpp"

// Number of random layers; whether layers of networks are counted, with limits that hold for -O2.
#if !defined(N2D2_LAYERS)
#define N2D2_LAYERS 400
#endif
#if !defined(N2D2_COUNTS)
#define N2D2_COUNTS 0
#endif

namespace n2d2::scalar_test {

/// Calls the kernel for bands of rows in scan order.
template <class Packed>
void run_in_bands(Draw& draw, const Layer& l, Packed& packed, uint8_t* out) {
  const uint8_t* in = l.memory.data() + l.from.start();
  const int most = draw.one_in(2) ? l.c.out_h : draw.in(1, l.c.out_h);
  uint8_t* to = out + l.to.start();
  for (int done = 0; done < l.c.out_h; done += most) {
    const int count = most < l.c.out_h - done ? most : l.c.out_h - done;
    const int first = l.c.bottom_up ? l.c.out_h - done - count : done;
    const auto* signed_in = reinterpret_cast<const int8_t*>(in);
    auto* signed_to = reinterpret_cast<int8_t*>(to);
    if (l.signed_in && l.signed_out)
      packed.run(l, first, count, signed_in, signed_to);
    else if (l.signed_in)
      packed.run(l, first, count, signed_in, to);
    else if (l.signed_out)
      packed.run(l, first, count, in, signed_to);
    else
      packed.run(l, first, count, in, to);
  }
}

inline void print_layer(const Layer& l, int number) {
  const LayerConfig& c = l.c;
  print("layer ", number, ": in ", c.in_h, " x ", c.in_w, " x ", c.in_c, ", ring ", c.in_ring, " pixel ",
        c.in_pixel);
  print(", out ", c.out_h, " x ", c.out_w, " x ", c.out_c, ", kernel ", c.kernel_h, " x ", c.kernel_w);
  print(", stride ", c.stride_y, " ", c.stride_x, ", pad ", c.pad_y, " ", c.pad_x, ", dilation ",
        c.dilation_y, " ");
  print(c.dilation_x, ", groups ", c.groups, ", bottom-up ", c.bottom_up, ", signed ");
  print(l.signed_in ? 1 : 0, " ", l.signed_out ? 1 : 0, ", shift ", c.shift, "\n");
}

/// Prints the first difference.
template <class Packed>
bool is_equal(Draw& draw, const Layer& l, Packed& packed, int number) {
  constexpr uint8_t kUntouched = 0x5b;
  std::vector<uint8_t> out(static_cast<size_t>(l.to.bytes()), kUntouched);
  run_in_bands(draw, l, packed, out.data());
  for (int y = 0; y < l.c.out_h; ++y)
    for (int x = 0; x < l.c.out_w; ++x)
      for (int o = 0; o < l.c.out_c; ++o) {
        uint8_t& byte = out[static_cast<size_t>(l.to.at(y, x, o))];
        const int got = l.signed_out ? static_cast<int8_t>(byte) : byte, wanted = l.output(y, x, o);
        if (got != wanted) {
          print_layer(l, number);
          print("output ", y, " ", x, " ", o, " is ", got, ", not ", wanted, "; sum ", l.sum(y, x, o), "\n");
          return false;
        }
        byte = kUntouched;
      }
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i] != kUntouched) {
      print_layer(l, number);
      print("byte ", static_cast<int>(i), " is written\n");
      return false;
    }
  return true;
}

}  // namespace n2d2::scalar_test
