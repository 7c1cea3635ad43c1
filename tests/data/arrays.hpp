// Files of numbers for tests.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace n2d2::data {

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

/// A .npy of version 1.
inline std::string npy(const std::string& type, const std::string& shape, const std::string& bytes,
                       const std::string& fortran = "False") {
  std::string head =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, fortran, shape);
  while ((10 + head.size() + 1) % 64 != 0) head += ' ';
  head += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(head.size() & 0xFF) +
         static_cast<char>(head.size() >> 8) + head + bytes;
}

}  // namespace n2d2::data
