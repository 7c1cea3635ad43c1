// How is one oneDNN primitive run on one thread, with memory the caller owns?
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "n2d2/tensor/tensor.hpp"

#include "../kernel.hpp"

namespace n2d2::compute::onednn {

using dnnl::memory;

/// While it lives, oneDNN makes and runs primitives with one thread on the calling thread (its OpenMP runtime
/// asks the thread it is called from), whatever the machine has.
class SingleThread {
 public:
  SingleThread();
  ~SingleThread();
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;

 private:
  int previous_;
};

/// A primitive with the size of the scratch memory it wants from the caller.
struct Primitive {
  dnnl::primitive primitive;
  size_t scratch_bytes = 0;
  explicit operator bool() const { return static_cast<bool>(primitive); }
};

template <class P>
Primitive make_primitive(const typename P::primitive_desc& description) {
  return {P(description), description.scratchpad_desc().get_size()};
}

/// Memory of an argument DNNL_ARG_... of a primitive.
struct Argument {
  int id;
  const memory::desc* desc;
  const void* data;
};

/// The CPU engine, with a stream, scratch memory and a clock for each thread.
class Engine {
 public:
  /// `times`: counts thread_seconds().
  explicit Engine(bool times);
  const dnnl::engine& cpu() const { return cpu_; }
  void reserve_threads(int threads);
  /// Runs to the end on the calling thread, which is number `thread`. A primitive always gets the same
  /// arguments with the same descriptions, in the same order; only their data may change.
  void run(const Primitive& primitive, std::initializer_list<Argument> arguments, int thread);
  /// Processor seconds inside primitives, summed over threads.
  double thread_seconds() const;

 private:
  /// The memory objects of a primitive's arguments, made at its first run on a thread; later runs only say
  /// where the data lies. Holds the primitive, so that no other one can come to lie at its address.
  struct Prepared {
    dnnl::primitive primitive;
    std::vector<memory> memories;
    std::vector<dnnl_exec_arg_t> list;
  };
  struct alignas(64) Lane {
    dnnl::stream stream;
    Tensor scratch;
    double seconds = 0;
    std::unordered_map<dnnl_primitive_t, Prepared> prepared;
  };
  Prepared& prepare(const Primitive& primitive, std::initializer_list<Argument> arguments, Lane& lane) const;
  dnnl::engine cpu_;
  bool times_;
  std::vector<Lane> lanes_;
};

/// Attributes of every primitive: scratch memory from the caller, and the clamp after the operation.
dnnl::primitive_attr attributes(const std::optional<Clamp>& clamp = {});

/// `count` samples of N,C,H,W float32, channels last.
memory::desc map_desc(const Shape& sample, int64_t count);
/// Float32 in the order of the dimensions.
memory::desc plain_desc(const memory::dims& dims);
/// Float32 in the format the library likes best.
memory::desc any_desc(const memory::dims& dims);
/// A zeroed buffer as large as the description says, padding of its format included.
Tensor buffer_for(const memory::desc& desc);

/// The library's error with the node in front.
[[noreturn]] void rethrow(const dnnl::error& error, const graph::Node& node);

/// What a kernel keeps for each block size it has met (the full one and shorter last ones).
template <class T>
class PerCount {
 public:
  template <class Make>
  T& get(int64_t count, Make&& make) {
    const auto it = entries_.find(count);
    return it != entries_.end() ? it->second : entries_.emplace(count, make(count)).first->second;
  }
  T& at(int64_t count) { return entries_.at(count); }

 private:
  std::map<int64_t, T> entries_;
};

/// The block sizes of a batch: the full one, the shorter last one, or both.
std::vector<int64_t> counts_of(const Batch& batch);

}  // namespace n2d2::compute::onednn
