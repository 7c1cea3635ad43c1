#include "n2d2/tensor/tensor.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <sys/mman.h>

namespace n2d2 {

namespace {
constexpr size_t kAlignment = 64, kHugePage = size_t{2} << 20;

/// A block of at least so many bytes. Large ones lie on huge pages where the system has them: loops over a
/// whole batch are bound by memory, and small pages overflow the translation caches.
std::byte* allocate_block(size_t bytes) {
  const size_t alignment = bytes >= 2 * kHugePage ? kHugePage : kAlignment;
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  auto* block = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
#ifdef MADV_HUGEPAGE
  if (block != nullptr && alignment == kHugePage) ::madvise(block, rounded, MADV_HUGEPAGE);
#endif
  return block;
}

/// Moves whole elements of `size` bytes; [n][a][b] becomes [n][b][a].
void transpose_inner(const std::byte* src, std::byte* dst, int64_t n, int64_t a, int64_t b, int64_t size) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < a; ++j)
      for (int64_t k = 0; k < b; ++k)
        std::memcpy(dst + ((i * b + k) * a + j) * size, src + ((i * a + j) * b + k) * size,
                    static_cast<size_t>(size));
}
}  // namespace

int64_t Shape::elements() const {
  int64_t count = 1;
  for (const int64_t d : dims_) {
    N2D2_CHECK(d >= 0, "negative extent in shape {}", text());
    if (d > 0 && count > std::numeric_limits<int32_t>::max() / d)
      throw ModelError(fmt::format("tensor of shape {}: more than 2^31 - 1 elements", text()));
    count *= d;
  }
  return count;
}

Shape Shape::with_batch(int64_t n) const {
  Shape out = *this;
  N2D2_CHECK(out.rank() > 0, "a scalar has no batch");
  out[0] = n;
  return out;
}

std::string Shape::text() const {
  std::string out;
  for (const int64_t d : dims_) out += (out.empty() ? "" : "x") + std::to_string(d);
  return out.empty() ? "scalar" : out;
}

Tensor::Tensor(Shape shape, DataType dtype, Layout layout)
    : shape_(std::move(shape)), dtype_(dtype), layout_(layout), elements_(shape_.elements()) {
  allocate();
  if (elements_ > 0) std::memset(data_.get(), 0, static_cast<size_t>(bytes()));
}

Tensor::Tensor(const Tensor& other)
    : shape_(other.shape_), dtype_(other.dtype_), layout_(other.layout_), elements_(other.elements_) {
  allocate();
  if (elements_ > 0) std::memcpy(data_.get(), other.data_.get(), static_cast<size_t>(bytes()));
}

Tensor& Tensor::operator=(const Tensor& other) {
  if (this != &other) *this = Tensor(other);
  return *this;
}

Tensor Tensor::from(Shape shape, std::vector<float> values) {
  Tensor out(std::move(shape));
  N2D2_CHECK(static_cast<size_t>(out.elements()) == values.size(), "{} values for shape {}", values.size(),
             out.shape().text());
  std::copy(values.begin(), values.end(), out.data<float>());
  return out;
}

void Tensor::allocate() {
  if (elements_ == 0) return;
  data_.reset(allocate_block(static_cast<size_t>(bytes())));
  if (!data_) throw ModelError(fmt::format("out of memory for a tensor of shape {}", shape_.text()));
}

void Tensor::check_type(DataType wanted) const {
  N2D2_CHECK(wanted == dtype_, "tensor of {} read as {}", to_string(dtype_), to_string(wanted));
}

void Tensor::fill(float value) {
  std::fill_n(data<float>(), elements_, value);
}

void Tensor::reshape(Shape shape) {
  N2D2_CHECK(shape.elements() == elements_, "reshape of {} to {}", shape_.text(), shape.text());
  shape_ = std::move(shape);
}

Tensor to_layout(const Tensor& tensor, Layout layout) {
  if (tensor.layout() == layout) return tensor;
  const Shape& s = tensor.shape();
  Tensor out(s, tensor.dtype(), layout);
  const int64_t pixels = s.h() * s.w();
  const auto* src = static_cast<const std::byte*>(tensor.raw());
  auto* dst = static_cast<std::byte*>(out.raw());
  if (layout == Layout::Nhwc)
    transpose_inner(src, dst, s.n(), s.c(), pixels, size_bytes(tensor.dtype()));
  else
    transpose_inner(src, dst, s.n(), pixels, s.c(), size_bytes(tensor.dtype()));
  return out;
}

}  // namespace n2d2
