// How do numbers become the bytes of a message, and numbers again?
#pragma once

#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "n2d2/cluster/cluster.hpp"

namespace n2d2::cluster {

/// Numbers one after the other, as this machine stores them: ranks are of one kind (Cluster::check).
class Writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(std::as_bytes(std::span(&value, 1)));
  }
  /// Their number, then the values.
  template <class T>
  void put_all(std::span<const T> values) {
    put<uint64_t>(values.size());
    append(std::as_bytes(values));
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  void append(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  Bytes bytes_;
};

/// Reads what a Writer has put, in the same order. InternalError at the end of the bytes.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    T out;
    std::memcpy(&out, take(sizeof(T)).data(), sizeof(T));
    return out;
  }
  template <class T>
  std::vector<T> get_all() {
    const auto count = get<uint64_t>();
    N2D2_CHECK(count <= bytes_.size(), "a message of {} values has {} bytes left", count, bytes_.size());
    std::vector<T> out(count);
    const std::span<const std::byte> bytes = take(count * sizeof(T));
    if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }

 private:
  std::span<const std::byte> take(size_t count) {
    N2D2_CHECK(count <= bytes_.size(), "a message of another rank ends {} bytes early",
               count - bytes_.size());
    const std::span<const std::byte> taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  std::span<const std::byte> bytes_;
};

}  // namespace n2d2::cluster
