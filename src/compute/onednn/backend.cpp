#include "../backend.hpp"

#include <array>
#include <string_view>

#include "kernels.hpp"

namespace n2d2::compute {

namespace {

using onednn::Maker;

struct Entry {
  std::string_view type;
  std::unique_ptr<Kernel> (*make)(const Maker&);
};

constexpr std::array kEntries{
    Entry{"BatchNorm", onednn::make_batchnorm},
    Entry{"Concat", onednn::make_concat},
    Entry{"Conv", onednn::make_conv},
    Entry{"Deconv", onednn::make_deconv},
    Entry{"ElemWise", onednn::make_elemwise},
    Entry{"Fc", onednn::make_fc},
    Entry{"LRN", onednn::make_lrn},
    Entry{"LogSoftmax", onednn::make_log_softmax},
    Entry{"Nonlinearity", onednn::make_nonlinearity},
    Entry{"Pool", onednn::make_pool},
    Entry{"Relu", onednn::make_relu},
    Entry{"Saturation", onednn::make_saturation},
    Entry{"Softmax", onednn::make_softmax},
};

class OneDnnBackend final : public KernelMaker {
 public:
  explicit OneDnnBackend(bool times) : engine_(times) {}
  Layout layout() const override { return Layout::Nhwc; }
  std::unique_ptr<Kernel> make(const KernelContext& context) override {
    for (const Entry& entry : kEntries)
      if (entry.type == context.node.op->type())
        if (auto kernel = entry.make({engine_, context})) return kernel;
    return make_operator_kernel(context);
  }
  void reserve_threads(int threads) override { engine_.reserve_threads(threads); }
  double thread_seconds() const override { return engine_.thread_seconds(); }

 private:
  onednn::Engine engine_;
};

}  // namespace

std::unique_ptr<KernelMaker> make_onednn_backend(bool times) {
  return std::make_unique<OneDnnBackend>(times);
}

}  // namespace n2d2::compute
