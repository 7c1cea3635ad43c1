#pragma once

// Answers: in which order do the kernels for MVE (Cortex-M55, M85) read weights, biases and factors?
//
// The orders are those that the headers of export/CPP_CortexM/kernels describe: conv2d_mve.hpp and
// fc_mve.hpp (windows), depthwise_mve.hpp (channels). Every function is pure.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace n2d2::targets::cortexm::mve {

/// Weights [outputs][window] of a convolution (window: kernel_h * kernel_w * in_c / groups, channels last)
/// or of a fully connected layer.
struct Windows {
  int outputs, window, groups;

  int outputs_of_group() const { return outputs / groups; }
};

/// Returns the packed weights: [groups][outputs / 4][window / 16][4][16], filled up with zeros.
std::vector<int8_t> pack_weights(const Windows& shape, std::span<const int8_t> weights);

/// Whether weights may be stored in 4 bits (tile_narrow_mve.hpp): they are of one group and multiples of
/// 16, no -128 shares its byte with a negative one, and neither biases nor sums need more than 32 bits.
bool may_be_narrow(const Windows& shape, std::span<const int8_t> weights, std::span<const int32_t> biases);

/// Returns packed weights that may be narrow in the order of tile_narrow_mve.hpp: [outputs / 4][window /
/// 16][2][16].
std::vector<uint8_t> narrow_weights(std::span<const int8_t> packed);

/// Returns the biases of whole groups of 4 outputs: [rows][groups][outputs], from [rows][outputs]. For
/// unsigned inputs, each is larger by 128 times the sum of its weights, modulo 2^32.
std::vector<int32_t> pack_biases(const Windows& shape, std::span<const int8_t> weights,
                                 std::span<const int32_t> biases, bool inputs_are_signed);

/// Returns a factor for each packed output, from [outputs] or [1].
std::vector<float> pack_factors(const Windows& shape, std::span<const float> factors);
std::vector<int32_t> pack_factors(const Windows& shape, std::span<const int32_t> factors);

/// Returns the bytes of scratch of conv2d_mve with tiles of 1 or 2 pixels, and of fc_mve (1), at any
/// address.
int scratch_bytes(const Windows& shape, int tile_pixels);

/// Weights [kernel_h][kernel_w][channels] of a depthwise convolution.
struct Channels {
  int kernel_w, kernel_h, channels;
};

/// Returns the packed weights, biases and factors: blocks of 16 channels, each [4][4] or [4][4][16].
std::vector<int8_t> pack_weights(const Channels& shape, std::span<const int8_t> weights);
std::vector<int32_t> pack_biases(const Channels& shape, std::span<const int8_t> weights,
                                 std::span<const int32_t> biases, bool inputs_are_signed);
std::vector<float> pack_factors(const Channels& shape, std::span<const float> factors);
std::vector<int32_t> pack_factors(const Channels& shape, std::span<const int32_t> factors);

/// A row of a depthwise convolution: pixels of the output, pixels between windows and between taps, and
/// bytes of scratch for a piece of it.
struct Row {
  int pixels, stride, dilation, piece_bytes;
};
constexpr int kMostPieceBytes = 2240, kLeastPieceBytes = 896;

/// Returns the bytes of scratch of depthwise_mve, at any address, wherever its maps are stored.
int scratch_bytes(const Channels& shape, const Row& row);

/// Returns why fixed-point factors of a shift have no equal with shift 32; empty: `at_shift_32` makes them.
/// The kernels compute (sum * factor + 2^31) >> 32.
std::string not_at_shift_32(std::span<const int32_t> factors, int shift);
std::vector<int32_t> at_shift_32(std::span<const int32_t> factors, int shift);

}  // namespace n2d2::targets::cortexm::mve
