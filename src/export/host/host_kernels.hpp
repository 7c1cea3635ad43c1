// How does the framework call the kernels that ship? Through one table per instruction set, picked at start.
#pragma once

#include <span>
#include <vector>

#include "n2d2/tensor/data_type.hpp"

#include "../cpp/configs.hpp"

namespace n2d2::exporter::host {

/// Element types of a call. Weights and sums follow from the input (int8/int32, int16/int64, float).
struct Types {
  DataType in = DataType::U8, out = DataType::U8;
  /// Factors are int32 multipliers (fixed-point) instead of floats.
  bool fixed_point = false;
};

struct Arrays {
  const void* in = nullptr;
  void* out = nullptr;
  const void* weights = nullptr;
  const void* biases = nullptr;
  const void* factors = nullptr;
};

/// One input of a sum: elemwise.hpp's config of an operand. Factor is int32_t or float.
template <class Factor>
struct OperandConfig : cpp::InPlane {
  Factor multiplier{};
  int is_signed = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_in(v);
    v("multiplier", multiplier), v("is_signed", is_signed);
  }
};

struct ConcatConfig : cpp::InPlane, cpp::OutPlane {
  int out_offset = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_in(v), this->visit_out(v);
    v("out_offset", out_offset);
  }
};

struct PaddingConfig : cpp::InPlane, cpp::OutPlane {
  int left = 0, top = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_in(v), this->visit_out(v);
    v("left", left), v("top", top);
  }
};

struct ReshapeConfig : cpp::InPlane, cpp::OutPlane {
  template <class V>
  void visit(V&& v) const {
    this->visit_in(v), this->visit_out(v);
  }
};

/// The kernels of export/CPP/kernels compiled for one instruction set. Every variant gives the same bytes.
struct Kernels {
  const char* isa;
  void (*conv2d)(const cpp::ConvConfig<int>&, Types, const Arrays&);
  void (*conv2d_float)(const cpp::ConvConfig<float>&, const Arrays&);
  void (*conv2d_depthwise)(const cpp::ConvConfig<int>&, Types, const Arrays&);
  void (*conv2d_depthwise_float)(const cpp::ConvConfig<float>&, const Arrays&);
  void (*fc)(const cpp::FcConfig<int>&, Types, const Arrays&);
  void (*fc_float)(const cpp::FcConfig<float>&, const Arrays&);
  void (*max_pool)(const cpp::PoolConfig<int>&, Types, const Arrays&);
  void (*max_pool_float)(const cpp::PoolConfig<float>&, const Arrays&);
  void (*average_pool)(const cpp::PoolConfig<int>&, Types, const Arrays&);
  void (*average_pool_float)(const cpp::PoolConfig<float>&, const Arrays&);
  void (*scaling)(const cpp::ScalingConfig<int>&, Types, const Arrays&);
  void (*scaling_float)(const cpp::ScalingConfig<float>&, const Arrays&);
  void (*sum)(const cpp::ScalingConfig<int>&, Types, std::span<const OperandConfig<int32_t>>,
              std::span<const void* const>, void* out);
  void (*sum_float)(const cpp::ScalingConfig<float>&, std::span<const OperandConfig<float>>,
                    std::span<const void* const>, void* out);
  void (*concat_part)(const ConcatConfig&, Types, const Arrays&);
  void (*pad_map)(const PaddingConfig&, Types, const Arrays&);
  void (*reshape_copy)(const ReshapeConfig&, Types, const Arrays&);
};

/// Throws InternalError: a binding asked for element types or a number of operands that no kernel takes.
[[noreturn]] void no_kernel(Types types);

/// Inputs that sum can take in process (and so in an export).
inline constexpr size_t kMaxOperands = 8;

/// The best variant this machine runs; `N2D2_HOST_ISA` (baseline, avx2, avx512) asks for a lower one.
const Kernels& kernels();
/// Every variant this machine runs.
std::vector<const Kernels*> all_kernels();

}  // namespace n2d2::exporter::host
