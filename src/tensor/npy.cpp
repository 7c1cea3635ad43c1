#include "n2d2/tensor/npy.hpp"

namespace n2d2 {

namespace {

const char* descr(DataType type) {
  switch (type) {
    case DataType::F32:
      return "<f4";
    case DataType::I8:
      return "|i1";
    case DataType::U8:
      return "|u1";
    case DataType::I16:
      return "<i2";
    case DataType::U16:
      return "<u2";
    case DataType::I32:
      return "<i4";
    case DataType::I64:
      return "<i8";
  }
  return "";
}

}  // namespace

std::string npy(const Tensor& tensor) {
  const Tensor rows = tensor.layout() == Layout::Nchw ? tensor : to_layout(tensor, Layout::Nchw);
  std::string shape;
  for (const int64_t extent : rows.shape().dims()) shape += fmt::format("{}, ", extent);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr(rows.dtype()), shape);
  constexpr size_t kStart = 10, kAlignment = 64;  // magic, version, length of the header
  header.append(kAlignment - (kStart + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  return out.append(static_cast<const char*>(rows.raw()), static_cast<size_t>(rows.bytes()));
}

}  // namespace n2d2
