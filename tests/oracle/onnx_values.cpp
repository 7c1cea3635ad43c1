#include "oracle/onnx_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <onnx/onnx_pb.h>

namespace n2d2::oracle {

namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;
using Ints = std::vector<int64_t>;

int64_t count(const Ints& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

template <class T>
void raw(const TensorProto& tensor, Array& out) {
  for (int64_t i = 0; i < count(out.dims); ++i) {
    T x;
    std::memcpy(&x, tensor.raw_data().data() + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    out.v.push_back(static_cast<double>(x));
  }
}

Array constant(const TensorProto& tensor) {
  Array out{{tensor.dims().begin(), tensor.dims().end()}, {}};
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      raw<float>(tensor, out);
      break;
    case TensorProto::INT8:
      raw<int8_t>(tensor, out);
      break;
    case TensorProto::UINT8:
      raw<uint8_t>(tensor, out);
      break;
    case TensorProto::INT32:
      raw<int32_t>(tensor, out);
      break;
    case TensorProto::INT64:
      raw<int64_t>(tensor, out);
      break;
    default:
      throw std::runtime_error("oracle: type of " + tensor.name());
  }
  return out;
}

/// Element of an array under the indices of a larger one, as NumPy broadcasts.
double broadcast(const Array& a, const Ints& dims, int64_t index) {
  int64_t at = 0, stride = 1;
  for (size_t back = 0; back < dims.size(); ++back) {
    const int64_t extent = dims[dims.size() - 1 - back], i = index % extent;
    index /= extent;
    if (back >= a.dims.size()) continue;
    const int64_t own = a.dims[a.dims.size() - 1 - back];
    if (own != 1) at += i * stride;
    stride *= own;
  }
  return a.v.at(static_cast<size_t>(at));
}

Array zip(const Array& a, const Array& b, const std::function<double(double, double)>& f) {
  Array out{a.dims.size() >= b.dims.size() ? a.dims : b.dims, {}};
  for (size_t back = 1; back <= std::min(a.dims.size(), b.dims.size()); ++back)
    out.dims[out.dims.size() - back] = std::max(a.dims[a.dims.size() - back], b.dims[b.dims.size() - back]);
  for (int64_t i = 0; i < count(out.dims); ++i)
    out.v.push_back(f(broadcast(a, out.dims, i), broadcast(b, out.dims, i)));
  return out;
}

Array each(const Array& a, const std::function<double(double)>& f) {
  Array out = a;
  std::transform(a.v.begin(), a.v.end(), out.v.begin(), f);
  return out;
}

class Runner {
 public:
  Runner(const ::onnx::ModelProto& model, const Arrays& inputs, const Arrays& given)
      : model_(model), seen_(inputs), given_(given) {}

  Arrays run() {
    for (const TensorProto& tensor : model_.graph().initializer()) {
      seen_[tensor.name()] = constant(tensor);
      types_[tensor.name()] = tensor.data_type();
    }
    for (const NodeProto& node : model_.graph().node()) {
      node_ = &node;
      const Array value = compute(node.op_type());
      const std::string& name = node.output(0);
      made_[name] = value;
      const auto found = given_.find(name);
      seen_[name] = found == given_.end() ? value : found->second;
    }
    return made_;
  }

 private:
  bool has(int slot) const { return slot < node_->input_size() && !node_->input(slot).empty(); }
  const Array& in(int slot = 0) const { return seen_.at(node_->input(slot)); }
  double scalar(int slot, double missing) const { return has(slot) ? in(slot).v.at(0) : missing; }
  const ::onnx::AttributeProto* find(const std::string& name) const {
    for (const auto& attribute : node_->attribute())
      if (attribute.name() == name) return &attribute;
    return nullptr;
  }
  int64_t integer(const std::string& name, int64_t missing) const {
    const auto* found = find(name);
    return found != nullptr ? found->i() : missing;
  }
  double real(const std::string& name, double missing) const {
    const auto* found = find(name);
    return found != nullptr ? static_cast<double>(found->f()) : missing;
  }
  Ints integers(const std::string& name, const Ints& missing) const {
    const auto* found = find(name);
    return found != nullptr ? Ints{found->ints().begin(), found->ints().end()} : missing;
  }

  Array compute(const std::string& type) const {
    if (type == "Conv") return conv();
    if (type == "Gemm") return gemm();
    if (type == "MaxPool" || type == "AveragePool" || type == "GlobalAveragePool") return pool(type);
    if (type == "Concat") return concat();
    if (type == "Pad") return pad();
    if (type == "Flatten") return {{in().dims[0], count(in().dims) / in().dims[0]}, in().v};
    if (type == "Reshape") return reshape();
    if (type == "Softmax") return softmax();
    if (type == "BatchNormalization") return batchnorm();
    if (type == "QuantizeLinear" || type == "DequantizeLinear") return linear(type == "QuantizeLinear");
    if (type == "Add") return zip(in(0), in(1), std::plus<>());
    if (type == "Sub") return zip(in(0), in(1), std::minus<>());
    if (type == "Mul") return zip(in(0), in(1), std::multiplies<>());
    if (type == "Div") return zip(in(0), in(1), std::divides<>());
    if (type == "Sum") return sum();
    return pointwise(type);
  }

  Array pointwise(const std::string& type) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (type == "Identity" || type == "Dropout") return in();
    if (type == "Relu") return each(in(), [](double x) { return std::max(x, 0.0); });
    if (type == "Round") return each(in(), [](double x) { return std::nearbyint(x); });
    if (type == "Floor") return each(in(), [](double x) { return std::floor(x); });
    if (type == "LeakyRelu") {
      const double alpha = real("alpha", 0.01);
      return each(in(), [&](double x) { return x < 0 ? alpha * x : x; });
    }
    if (type == "Clip") {
      const double lo = scalar(1, -kInfinity), hi = scalar(2, kInfinity);
      return each(in(), [&](double x) { return std::min(std::max(x, lo), hi); });
    }
    throw std::runtime_error("oracle: operator " + type);
  }

  Array sum() const {
    Array out = in();
    for (int i = 1; i < node_->input_size(); ++i) out = zip(out, in(i), std::plus<>());
    return out;
  }

  /// Scales along an axis, or one; the type of the zero point bounds the integers.
  Array linear(bool quantizes) const {
    Array out = in();
    const Array& scale = in(1);
    const int64_t axis = integer("axis", 1);
    int64_t inner = 1;
    for (size_t i = static_cast<size_t>(axis) + 1; i < out.dims.size(); ++i) inner *= out.dims[i];
    const double zero = has(2) ? in(2).v.at(0) : 0;  // one for all, or zeros
    const bool is_unsigned = has(2) && types_.at(node_->input(2)) == TensorProto::UINT8;
    for (int64_t i = 0; i < count(out.dims); ++i) {
      double& x = out.v[static_cast<size_t>(i)];
      const double s = scale.dims.empty()
                           ? scale.v[0]
                           : scale.v.at(static_cast<size_t>(i / inner % out.dims[static_cast<size_t>(axis)]));
      x = quantizes ? std::clamp(std::nearbyint(x / s) + zero, is_unsigned ? 0.0 : -128.0,
                                 is_unsigned ? 255.0 : 127.0)
                    : (x - zero) * s;
    }
    return out;
  }

  /// Calls f(output, input or -1, tap) for each tap of each output of one plane.
  template <class F>
  static void window(const Ints& in, const Ints& out, const Ints& kernel, const Ints& stride,
                     const Ints& dilation, const Ints& pads, F f) {
    for (int64_t oy = 0; oy < out[0]; ++oy)
      for (int64_t ox = 0; ox < out[1]; ++ox)
        for (int64_t ky = 0; ky < kernel[0]; ++ky)
          for (int64_t kx = 0; kx < kernel[1]; ++kx) {
            const int64_t y = oy * stride[0] + ky * dilation[0] - pads[0];
            const int64_t x = ox * stride[1] + kx * dilation[1] - pads[1];
            const bool inside = y >= 0 && y < in[0] && x >= 0 && x < in[1];
            f(oy * out[1] + ox, inside ? y * in[1] + x : -1, ky * kernel[1] + kx);
          }
  }

  static Ints outputs(const Ints& in, const Ints& kernel, const Ints& stride, const Ints& dilation,
                      const Ints& pads) {
    Ints out;
    for (size_t i = 0; i < 2; ++i)
      out.push_back((in[i] + pads[i] + pads[i + 2] - (kernel[i] - 1) * dilation[i] - 1) / stride[i] + 1);
    return out;
  }

  Array conv() const {
    const Array &x = in(), &w = in(1);
    const int64_t group = integer("group", 1), channels = w.dims[1], outs = w.dims[0];
    const Ints kernel{w.dims[2], w.dims[3]}, size{x.dims[2], x.dims[3]};
    const Ints stride = integers("strides", {1, 1}), dilation = integers("dilations", {1, 1});
    const Ints pads = integers("pads", {0, 0, 0, 0});
    const Ints to = outputs(size, kernel, stride, dilation, pads);
    const int64_t pixels = size[0] * size[1], out_pixels = to[0] * to[1], taps = kernel[0] * kernel[1];
    Array y{{x.dims[0], outs, to[0], to[1]}, {}};
    for (int64_t n = 0; n < x.dims[0]; ++n)
      for (int64_t o = 0; o < outs; ++o) {
        std::vector<double> plane(static_cast<size_t>(out_pixels),
                                  has(2) ? in(2).v.at(static_cast<size_t>(o)) : 0);
        for (int64_t c = 0; c < channels; ++c) {
          const int64_t from = (n * x.dims[1] + o / (outs / group) * channels + c) * pixels;
          window(size, to, kernel, stride, dilation, pads, [&](int64_t out, int64_t at, int64_t tap) {
            if (at >= 0)
              plane[static_cast<size_t>(out)] += x.v[static_cast<size_t>(from + at)] *
                                                 w.v[static_cast<size_t>((o * channels + c) * taps + tap)];
          });
        }
        y.v.insert(y.v.end(), plane.begin(), plane.end());
      }
    return y;
  }

  Array pool(const std::string& type) const {
    const Array& x = in();
    const Ints size{x.dims[2], x.dims[3]};
    const bool global = type == "GlobalAveragePool", is_max = type == "MaxPool";
    const Ints kernel = global ? size : integers("kernel_shape", {});
    const Ints stride = integers("strides", {1, 1}), pads = integers("pads", {0, 0, 0, 0});
    const Ints to = outputs(size, kernel, stride, {1, 1}, pads);
    const bool counts = integer("count_include_pad", 0) != 0;
    Array y{{x.dims[0], x.dims[1], to[0], to[1]}, {}};
    for (int64_t p = 0; p < x.dims[0] * x.dims[1]; ++p) {
      const auto pixels = static_cast<size_t>(to[0] * to[1]);
      std::vector<double> best(pixels, -std::numeric_limits<double>::infinity()), sum(pixels, 0),
          n(pixels, 0);
      window(size, to, kernel, stride, {1, 1}, pads, [&](int64_t out, int64_t at, int64_t) {
        const auto o = static_cast<size_t>(out);
        n[o] += at >= 0 || counts ? 1 : 0;
        if (at < 0) return;
        const double value = x.v[static_cast<size_t>(p * size[0] * size[1] + at)];
        best[o] = std::max(best[o], value);
        sum[o] += value;
      });
      for (size_t o = 0; o < pixels; ++o) y.v.push_back(is_max ? best[o] : sum[o] / n[o]);
    }
    return y;
  }

  Array gemm() const {
    const Array &a = in(), &b = in(1);
    if (integer("transB", 0) != 1 || integer("transA", 0) != 0) throw std::runtime_error("oracle: Gemm");
    const int64_t rows = a.dims[0], inner = a.dims[1], outs = b.dims[0];
    Array y{{rows, outs}, {}};
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t o = 0; o < outs; ++o) {
        double sum = has(2) ? in(2).v.at(static_cast<size_t>(o)) : 0;
        for (int64_t i = 0; i < inner; ++i)
          sum += a.v[static_cast<size_t>(r * inner + i)] * b.v[static_cast<size_t>(o * inner + i)];
        y.v.push_back(sum);
      }
    return y;
  }

  Array concat() const {
    const auto axis = static_cast<size_t>(integer("axis", 0));
    Array y{in().dims, {}};
    y.dims[axis] = 0;
    int64_t before = 1;
    for (size_t i = 0; i < axis; ++i) before *= y.dims[i];
    for (int i = 0; i < node_->input_size(); ++i) y.dims[axis] += in(i).dims[axis];
    for (int64_t b = 0; b < before; ++b)
      for (int i = 0; i < node_->input_size(); ++i) {
        const int64_t block = count(in(i).dims) / before;
        y.v.insert(y.v.end(), in(i).v.begin() + b * block, in(i).v.begin() + (b + 1) * block);
      }
    return y;
  }

  Array pad() const {
    const Array& x = in();
    const std::vector<double>& p = in(1).v;
    const auto at = [&](size_t i) { return static_cast<int64_t>(p.at(i)); };
    Array y{{x.dims[0], x.dims[1], x.dims[2] + at(2) + at(6), x.dims[3] + at(3) + at(7)}, {}};
    for (int64_t plane = 0; plane < x.dims[0] * x.dims[1]; ++plane)
      for (int64_t r = 0; r < y.dims[2]; ++r)
        for (int64_t c = 0; c < y.dims[3]; ++c) {
          const int64_t sr = r - at(2), sc = c - at(3);
          const bool inside = sr >= 0 && sr < x.dims[2] && sc >= 0 && sc < x.dims[3];
          y.v.push_back(inside ? x.v[static_cast<size_t>((plane * x.dims[2] + sr) * x.dims[3] + sc)]
                               : scalar(2, 0));
        }
    return y;
  }

  Array reshape() const {
    Array y{{}, in().v};
    for (size_t i = 0; i < in(1).v.size(); ++i)
      y.dims.push_back(in(1).v[i] == 0 ? in().dims.at(i) : static_cast<int64_t>(in(1).v[i]));
    return y;
  }

  Array softmax() const {
    const auto axis = static_cast<size_t>(integer("axis", -1));
    Array y = in();
    const int64_t extent = y.dims.at(axis);
    int64_t inner = 1;
    for (size_t i = axis + 1; i < y.dims.size(); ++i) inner *= y.dims[i];
    for (int64_t o = 0; o < count(y.dims) / extent; ++o) {
      const int64_t first = o / inner * extent * inner + o % inner;
      double sum = 0;
      for (int64_t i = 0; i < extent; ++i) sum += std::exp(y.v[static_cast<size_t>(first + i * inner)]);
      for (int64_t i = 0; i < extent; ++i) {
        double& x = y.v[static_cast<size_t>(first + i * inner)];
        x = std::exp(x) / sum;
      }
    }
    return y;
  }

  Array batchnorm() const {
    Array y = in();
    const int64_t channels = y.dims[1], inner = count(y.dims) / y.dims[0] / channels;
    for (int64_t i = 0; i < count(y.dims); ++i) {
      const auto c = static_cast<size_t>(i / inner % channels);
      double& x = y.v[static_cast<size_t>(i)];
      x = in(1).v[c] * (x - in(3).v[c]) / std::sqrt(in(4).v[c] + real("epsilon", 1e-5)) + in(2).v[c];
    }
    return y;
  }

  const ::onnx::ModelProto& model_;
  const NodeProto* node_ = nullptr;
  Arrays seen_, made_;
  std::map<std::string, int> types_;
  const Arrays& given_;
};

}  // namespace

Arrays run_onnx(const ::onnx::ModelProto& model, const Arrays& inputs, const Arrays& given) {
  return Runner(model, inputs, given).run();
}

}  // namespace n2d2::oracle
