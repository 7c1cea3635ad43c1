// Random layers of the kernels for MVE against plain loops, on a bare core and, by the portable form, on
// the PC. Exits with 1 at the first difference, which it prints. N2D2_LAYERS: how many of each kernel.
#include "conv2d_mve.hpp"
#include "depthwise_mve.hpp"
#include "fc_mve.hpp"
#include "mve_layer.hpp"

#if !defined(N2D2_LAYERS)
#define N2D2_LAYERS 200
#endif

namespace n2d2::mve_test {
namespace {

namespace kernels = N2D2_EXPORT_NAMESPACE;

constexpr uint8_t kGuard = 0x5a;
alignas(16) int8_t scratch_memory[16384];

/// Returns scratch at an odd address and sets what lies behind it.
int8_t* scratch_of(int bytes, int odd) {
  std::memset(scratch_memory, kGuard, sizeof scratch_memory);
  std::memset(scratch_memory + odd, 0x77, static_cast<size_t>(bytes));
  return scratch_memory + odd;
}
/// Whether what lies around scratch is untouched.
bool scratch_is_kept(int bytes, int odd) {
  for (int i = 0; i < static_cast<int>(sizeof scratch_memory); ++i)
    if ((i < odd || i >= odd + bytes) && scratch_memory[i] != kGuard) return false;
  return true;
}

/// A memory with the input and the output of a layer in their views.
struct Memory {
  std::vector<uint8_t> bytes;
  std::ptrdiff_t in = 0, out = 0;  // of row 0, pixel 0
};

void set_dense(Config& c) {
  c.in_pixel = c.in_c, c.in_row = c.in_w * c.in_pixel, c.in_ring = c.in_first = c.in_turn = 0;
  c.out_pixel = c.out_c, c.out_row = c.out_w * c.out_pixel, c.out_ring = c.out_first = c.out_turn = 0;
}

std::ptrdiff_t row_at(int y, int row, int ring, int first, int turn) {
  return std::ptrdiff_t{y} * row - (ring > 0 ? std::ptrdiff_t{(y + first) / ring} * turn : 0);
}
std::ptrdiff_t in_at(const Config& c, int y, int x) {
  return row_at(y, c.in_row, c.in_ring, c.in_first, c.in_turn) + std::ptrdiff_t{x} * c.in_pixel;
}
std::ptrdiff_t out_at(const Config& c, int y, int x) {
  return row_at(y, c.out_row, c.out_ring, c.out_first, c.out_turn) + std::ptrdiff_t{x} * c.out_pixel;
}

/// Distances between pixels and rows, and buffers of whole maps that wrap once.
void draw_view(Draw& draw, int w, int h, int c, int& pixel, int& row, int& ring, int& first, int& turn) {
  pixel = c + (draw.one_in(4) ? draw.in(1, 9) : 0);
  row = w * pixel + (draw.one_in(3) ? draw.in(1, 20) : 0);
  if (h > 1 && draw.one_in(4)) ring = h, first = draw.in(1, h - 1), turn = h * row;
}

/// The output shares memory with input rows that no later output row reads.
void overlap(const Config& c, Memory& memory) {
  std::ptrdiff_t apart = c.bottom_up ? -1000000 : 0;  // of the output behind the input
  for (int y = 0; y < c.out_h; ++y) {
    const int low = std::clamp(y * c.stride_y - c.pad_y, 0, c.in_h);
    const int high = std::clamp(y * c.stride_y - c.pad_y + (c.kernel_h - 1) * c.dilation_y + 1, 0, c.in_h);
    if (c.bottom_up)
      apart =
          std::max<std::ptrdiff_t>(apart, std::ptrdiff_t{high} * c.in_row - std::ptrdiff_t{y} * c.out_row);
    else
      apart =
          std::min<std::ptrdiff_t>(apart, std::ptrdiff_t{low} * c.in_row - std::ptrdiff_t{y + 1} * c.out_row);
  }
  memory.in = 64 + std::max<std::ptrdiff_t>(0, -apart);
  memory.out = memory.in + apart;
}

Memory place(const Layer& layer, Draw& draw, bool overlaps) {
  const Config& c = layer.c;
  Memory memory;
  const std::ptrdiff_t in_size = std::ptrdiff_t{c.in_h} * c.in_row,
                       out_size = std::ptrdiff_t{c.out_h} * c.out_row;
  memory.in = 64 + draw.below(4);
  memory.out = memory.in + in_size + 64 + draw.below(4);
  if (overlaps) overlap(c, memory);
  memory.bytes.assign(static_cast<size_t>(std::max(memory.in + in_size, memory.out + out_size) + 64), kGuard);
  // Row 0 of a buffer that wraps is `first` rows behind its start.
  memory.in += std::ptrdiff_t{c.in_first} * c.in_row;
  memory.out += std::ptrdiff_t{c.out_first} * c.out_row;
  for (int y = 0; y < c.in_h; ++y)
    for (int x = 0; x < c.in_w; ++x)
      std::memcpy(&memory.bytes[static_cast<size_t>(memory.in + in_at(c, y, x))],
                  &layer.map[static_cast<size_t>((y * c.in_w + x) * c.in_c)], static_cast<size_t>(c.in_c));
  return memory;
}

template <class In, class Out, class Factor>
bool call(const Layer& layer, const std::vector<Factor>& factors, kernels::Rows rows, Memory& memory,
          int odd) {
  const Config& c = layer.c;
  const In* in = reinterpret_cast<const In*>(memory.bytes.data() + memory.in);
  Out* out = reinterpret_cast<Out*>(memory.bytes.data() + memory.out);
  const bool is_signed = In(-1) < In(1);
  const std::span<const int8_t> weights = layer.weights;
  const std::span<const int32_t> biases = layer.biases;
  if (layer.kind == Kind::Depthwise) {
    const layouts::Channels shape = {c.kernel_w, c.kernel_h, c.out_c};
    const int bytes =
        layouts::scratch_bytes(shape, layouts::Row{c.out_w, c.stride_x, c.dilation_x, c.piece_bytes});
    kernels::depthwise_mve(c, rows, in, out, layouts::pack_weights(shape, weights).data(),
                           layouts::pack_biases(shape, weights, biases, is_signed).data(),
                           layouts::pack_factors(shape, std::span<const Factor>(factors)).data(),
                           scratch_of(bytes, odd));
    return scratch_is_kept(bytes, odd);
  }
  const layouts::Windows shape = {c.out_c, c.window(), c.groups};
  const auto packed = layouts::pack_weights(shape, weights);
  const auto bias = layouts::pack_biases(shape, weights, biases, is_signed);
  const auto factor = layouts::pack_factors(shape, std::span<const Factor>(factors));
  const int bytes = layouts::scratch_bytes(shape, layer.kind == Kind::Fc ? 1 : c.tile_pixels);
  int8_t* const scratch = scratch_of(bytes, odd);
  const auto compute = [&](const auto* stored) {
    if (layer.kind == Kind::Fc)
      kernels::fc_mve(c, rows, in, out, stored, bias.data(), factor.data(), scratch);
    else
      kernels::conv2d_mve(c, rows, in, out, stored, bias.data(), factor.data(), scratch);
  };
  if (layer.narrow)
    compute(kernels::narrow<4, 0>(layouts::narrow_weights(packed).data()));
  else
    compute(packed.data());
  return scratch_is_kept(bytes, odd);
}

void describe(const Layer& layer, const char* types) {
  const Config& c = layer.c;
  print(layer.narrow ? "narrow " : "", name_of(layer.kind), " ", types, ": in ", c.in_h, "x", c.in_w, "x",
        c.in_c, " pixel ", c.in_pixel, " row ", c.in_row, " ring ", c.in_ring, "/", c.in_first, " out ",
        c.out_h, "x", c.out_w, "x", c.out_c, " pixel ", c.out_pixel, " row ", c.out_row, " ring ", c.out_ring,
        "/", c.out_first);
  print(" kernel ", c.kernel_h, "x", c.kernel_w, " stride ", c.stride_y, ",", c.stride_x, " dilation ",
        c.dilation_y, ",", c.dilation_x, " pad ", c.pad_y, ",", c.pad_x, " groups ", c.groups, " bottom_up ",
        c.bottom_up, " borders ", c.border_top, ",", c.border_bottom, ",", c.border_left, ",", c.border_right,
        "\n");
}

/// Computes a layer in calls of some rows each; returns whether all bytes are as expected.
template <class In, class Out, class Factor>
bool agrees(const Layer& layer, const std::vector<Factor>& factors, Draw& draw, const char* types) {
  const Config& c = layer.c;
  const bool straight = c.in_ring == 0 && c.out_ring == 0;
  const bool overlaps = layer.kind != Kind::Fc && straight && draw.one_in(3);
  Memory memory = place(layer, draw, overlaps);
  const std::vector<uint8_t> before = memory.bytes;
  const bool whole = layer.kind == Kind::Fc || draw.one_in(2);
  for (int done = 0, count = 0; done < c.out_h; done += count) {
    count = whole ? c.out_h : std::min(draw.in(1, 3), c.out_h - done);
    const int first = c.bottom_up ? c.out_h - done - count : done;
    if (!call<In, Out, Factor>(layer, factors, {first, count}, memory, draw.in(1, 16))) {
      print("bytes beside the scratch are changed\n");
      describe(layer, types);
      return false;
    }
  }
  const std::vector<Out> expected = plain_output<In, Out, Factor>(layer);
  std::vector<uint8_t> wanted = before;
  for (int y = 0; y < c.out_h; ++y)
    for (int x = 0; x < c.out_w; ++x)
      for (int o = 0; o < c.out_c; ++o)
        wanted[static_cast<size_t>(memory.out + out_at(c, y, x) + o)] =
            static_cast<uint8_t>(expected[static_cast<size_t>((y * c.out_w + x) * c.out_c + o)]);
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] != memory.bytes[i]) {
      print("byte ", static_cast<int64_t>(i) - memory.out, " of the output is ", int{memory.bytes[i]},
            ", not ", int{wanted[i]}, whole ? "" : ", in rows", overlaps ? ", overlapping" : "", "\n");
      describe(layer, types);
      return false;
    }
  return true;
}

bool all_types_agree(Layer& layer, Draw& draw) {
  fill(layer, draw);
  return agrees<uint8_t, uint8_t>(layer, layer.fixed, draw, "u8 u8 fixed") &&
         agrees<int8_t, int8_t>(layer, layer.fixed, draw, "s8 s8 fixed") &&
         agrees<uint8_t, int8_t>(layer, layer.floats, draw, "u8 s8 float") &&
         agrees<int8_t, uint8_t>(layer, layer.floats, draw, "s8 u8 float");
}

/// The map that kernel, stride, padding and output want, or one that is a little smaller or larger.
void set_input(Config& c, Draw& draw) {
  const int h = (c.out_h - 1) * c.stride_y + (c.kernel_h - 1) * c.dilation_y + 1 - c.pad_y;
  const int w = (c.out_w - 1) * c.stride_x + (c.kernel_w - 1) * c.dilation_x + 1 - c.pad_x;
  c.in_h = std::max(1, h - draw.in(-1, 2)), c.in_w = std::max(1, w - draw.in(-1, 2));
}

void draw_layout(Config& c, Draw& draw) {
  set_dense(c);
  if (draw.one_in(2)) return;
  draw_view(draw, c.in_w, c.in_h, c.in_c, c.in_pixel, c.in_row, c.in_ring, c.in_first, c.in_turn);
  draw_view(draw, c.out_w, c.out_h, c.out_c, c.out_pixel, c.out_row, c.out_ring, c.out_first, c.out_turn);
}

Layer draw_conv(Draw& draw) {
  Layer layer;
  Config& c = layer.c;
  layer.kind = Kind::Conv;
  const bool point = draw.one_in(4);
  c.groups = draw.one_in(6) ? draw.in(2, 3) : 1;
  c.in_c = c.groups * (draw.one_in(2) ? draw.in(1, 19) : 16 * draw.in(1, 3));
  c.out_c = c.groups * draw.in(1, 40);
  c.kernel_h = point ? 1 : draw.in(1, 4), c.kernel_w = point ? 1 : draw.in(1, 4);
  c.stride_y = draw.one_in(2) ? 1 : draw.in(1, 3), c.stride_x = draw.one_in(2) ? 1 : draw.in(1, 3);
  if (draw.one_in(6)) c.dilation_y = draw.in(1, 3), c.dilation_x = draw.in(1, 3);
  c.pad_y = point ? 0 : draw.below(c.kernel_h), c.pad_x = point ? 0 : draw.below(c.kernel_w);
  c.out_h = draw.in(1, 7), c.out_w = draw.in(1, 9);
  c.bottom_up = draw.below(2);
  c.tile_pixels = draw.one_in(4) ? 1 : 2;
  set_input(c, draw);
  if (draw.one_in(6)) {
    c.border_top = draw.below(2), c.border_bottom = draw.below(2);
    c.border_left = draw.below(3), c.border_right = draw.below(2);
    if (c.border_top + c.border_bottom > c.out_h) c.border_top = c.border_bottom = 0;
    if (c.border_left + c.border_right > c.out_w) c.border_left = c.border_right = 0;
  }
  draw_layout(c, draw);
  return layer;
}

Layer draw_fc(Draw& draw) {
  Layer layer;
  Config& c = layer.c;
  layer.kind = Kind::Fc;
  c.in_h = draw.one_in(2) ? 1 : draw.in(1, 4), c.in_w = draw.one_in(2) ? 1 : draw.in(1, 4);
  c.in_c = draw.in(1, c.in_h * c.in_w == 1 ? 300 : 50), c.out_c = draw.in(1, c.in_h * c.in_w == 1 ? 60 : 20);
  c.kernel_h = c.in_h, c.kernel_w = c.in_w;
  draw_layout(c, draw);
  c.out_pixel = c.out_row = c.out_c, c.out_ring = c.out_first = c.out_turn = 0;
  return layer;
}

Layer draw_depthwise(Draw& draw) {
  Layer layer;
  Config& c = layer.c;
  layer.kind = Kind::Depthwise;
  c.in_c = draw.one_in(3) ? 8 : draw.one_in(2) ? 16 * draw.in(1, 4) : draw.in(1, 50);
  c.out_c = c.in_c;
  const bool usual = !draw.one_in(3);
  c.kernel_h = usual ? 3 : draw.in(1, 3), c.kernel_w = usual ? 3 : draw.in(1, 4);
  c.stride_y = draw.in(1, usual ? 2 : 3), c.stride_x = draw.in(1, 2);
  if (draw.one_in(6)) c.dilation_y = draw.in(1, 3), c.dilation_x = draw.in(1, kernels::kMveDilation);
  c.pad_y = draw.below(c.kernel_h), c.pad_x = draw.below(c.kernel_w);
  c.out_h = draw.in(1, 5), c.out_w = draw.one_in(3) ? draw.in(20, 50) : draw.in(1, 20);
  c.bottom_up = draw.below(2);
  if (draw.one_in(3)) c.piece_bytes = draw.in(layouts::kLeastPieceBytes, layouts::kMostPieceBytes);
  set_input(c, draw);
  draw_layout(c, draw);
  return layer;
}

/// A config of constants, whose window is a constant, too.
struct Constants {
  static constexpr int in_w = 9, in_h = 7, in_c = 5, in_pixel = 5, in_row = 45, in_ring = 0, in_first = 0,
                       in_turn = 0;
  static constexpr int out_w = 5, out_h = 4, out_c = 5, out_pixel = 5, out_row = 25, out_ring = 0,
                       out_first = 0;
  static constexpr int out_turn = 0, kernel_w = 3, kernel_h = 3, stride_x = 2, stride_y = 2, dilation_x = 1;
  static constexpr int dilation_y = 1, pad_x = 1, pad_y = 1, groups = 1, lo = 0, hi = 255, shift = 32,
                       bottom_up = 0;
  static constexpr int tile_pixels = 2, piece_bytes = layouts::kMostPieceBytes;
  static constexpr int border_top = 0, border_bottom = 0, border_left = 0, border_right = 0;
};

Config members_of_constants() {
  Config c;
  c.in_w = Constants::in_w, c.in_h = Constants::in_h, c.in_c = Constants::in_c;
  c.out_w = Constants::out_w, c.out_h = Constants::out_h, c.out_c = Constants::out_c;
  c.kernel_w = c.kernel_h = 3, c.stride_x = c.stride_y = 2, c.pad_x = c.pad_y = 1;
  set_dense(c);
  return c;
}

bool constants_agree(Kind kind, Draw& draw) {
  Layer layer;
  layer.kind = kind, layer.c = members_of_constants();
  fill(layer, draw);
  const std::vector<uint8_t> expected = plain_output<uint8_t, uint8_t, int32_t>(layer);
  std::vector<uint8_t> out(expected.size(), kGuard);
  const std::span<const int8_t> weights = layer.weights;
  const std::span<const int32_t> biases = layer.biases, factors = layer.fixed;
  const auto pass = [&](const auto& kernel, const auto& shape) {
    const auto packed = layouts::pack_weights(shape, weights);
    const auto bias = layouts::pack_biases(shape, weights, biases, false);
    const auto factor = layouts::pack_factors(shape, factors);
    kernel(layer.map.data(), out.data(), packed.data(), bias.data(), factor.data());
  };
  const kernels::Rows rows = {0, Constants::out_h};
  if (kind == Kind::Depthwise)
    pass([&](auto*... data) { kernels::depthwise_mve(Constants(), rows, data..., scratch_of(4096, 0)); },
         layouts::Channels{3, 3, Constants::out_c});
  else
    pass([&](auto*... data) { kernels::conv2d_mve(Constants(), rows, data..., scratch_of(4096, 0)); },
         layouts::Windows{Constants::out_c, layer.c.window(), 1});
  if (out == expected) return true;
  print(name_of(kind), " of a config of constants differs\n");
  return false;
}

int run() {
  Draw draw(1);
  if (!constants_agree(Kind::Conv, draw) || !constants_agree(Kind::Depthwise, draw)) return 1;
  Layer (*const draws[])(Draw&) = {draw_conv, draw_fc, draw_depthwise};
  for (const auto of_kind : draws)
    for (int i = 0; i < N2D2_LAYERS; ++i) {
      Layer layer = of_kind(draw);
      layer.narrow = layer.kind != Kind::Depthwise && layer.c.groups == 1 && draw.one_in(3);
      if (!all_types_agree(layer, draw)) return 1;
    }
  print(N2D2_LAYERS, " layers of each kernel agree\n");
  return 0;
}

}  // namespace
}  // namespace n2d2::mve_test

int main() {
  return n2d2::mve_test::run();
}
