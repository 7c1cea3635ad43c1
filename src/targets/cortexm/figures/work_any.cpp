#include <array>

#include "work.hpp"

namespace n2d2::targets::cortexm {

namespace {

/// What kernels in plain loops over pixels, taps and channels do.
namespace plain_loops {

enum Term { kCall, kRows, kPixels, kTaps, kBlocks, kOutputs, kRuns, kProducts, kTerms };
constexpr std::array<std::string_view, kTerms> kNames{"call",           "rows",    "pixels", "taps",
                                                      "blocks of taps", "outputs", "runs",   "products"};
constexpr int kBlock = 16;

void add(const CallShape& s, program::Rows rows, Work& w) {
  w[kCall] += 1, w[kRows] += rows.count;
  const bool is_by_channel = s.is_depthwise || s.groups == 1;
  const int per_output = s.is_depthwise ? 1 : s.in_c / s.groups;
  for (int oy = rows.first; oy < rows.first + rows.count; ++oy) {
    const double inside = s.rows_inside(oy);
    double taps = 0;
    for (int ox = 0; ox < s.out_w; ++ox) taps += inside * s.columns_inside(ox);
    w[kPixels] += s.out_w, w[kTaps] += taps * s.inputs;
    w[kBlocks] += taps * s.inputs * parts_of(is_by_channel ? s.in_c : per_output, kBlock);
    w[kOutputs] += static_cast<double>(s.out_w) * s.out_c;
    w[kRuns] += s.out_w * inside * s.out_c, w[kProducts] += taps * per_output * s.out_c * s.inputs;
  }
}

}  // namespace plain_loops

constexpr WorkOf kAny{"", plain_loops::kNames, plain_loops::add};

}  // namespace

const WorkOf& work_of_any() {
  return kAny;
}

const WorkOf& work_of(std::string_view kernel) {
  for (const auto& of_family : {work_of_dsp(), work_of_mve(), work_of_scalar()})
    for (const WorkOf& work : of_family)
      if (work.kernel == kernel) return work;
  return work_of_any();
}

}  // namespace n2d2::targets::cortexm
