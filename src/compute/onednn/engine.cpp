#include "engine.hpp"

#include <limits>

#include <omp.h>
#include <time.h>

#include "n2d2/base/parallel.hpp"

namespace n2d2::compute::onednn {

namespace {

/// Processor seconds of the calling thread: time in which it waits for a core does not count.
double thread_clock() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

SingleThread::SingleThread() : previous_((max_threads(), omp_get_max_threads())) {
  omp_set_num_threads(1);
}

SingleThread::~SingleThread() {
  omp_set_num_threads(previous_);
}

Engine::Engine(bool times) : cpu_(dnnl::engine::kind::cpu, 0), times_(times) {}

void Engine::reserve_threads(int threads) {
  while (lanes_.size() < static_cast<size_t>(threads)) {
    lanes_.emplace_back();
    lanes_.back().stream = dnnl::stream(cpu_);
  }
}

double Engine::thread_seconds() const {
  double sum = 0;
  for (const Lane& lane : lanes_) sum += lane.seconds;
  return sum;
}

Engine::Prepared& Engine::prepare(const Primitive& primitive, std::initializer_list<Argument> arguments,
                                  Lane& lane) const {
  const auto found = lane.prepared.find(primitive.primitive.get());
  if (found != lane.prepared.end()) return found->second;
  Prepared prepared;
  prepared.primitive = primitive.primitive;
  const auto add = [&](int id, const memory::desc& desc) {
    prepared.memories.emplace_back(desc, cpu_, nullptr);
    prepared.list.push_back({id, prepared.memories.back().get()});
  };
  for (const Argument& argument : arguments) add(argument.id, *argument.desc);
  if (primitive.scratch_bytes > 0)
    add(DNNL_ARG_SCRATCHPAD, memory::desc({static_cast<int64_t>(primitive.scratch_bytes)},
                                          memory::data_type::u8, memory::format_tag::x));
  return lane.prepared.emplace(primitive.primitive.get(), std::move(prepared)).first->second;
}

void Engine::run(const Primitive& primitive, std::initializer_list<Argument> arguments, int thread) {
  const SingleThread single;
  Lane& lane = lanes_.at(static_cast<size_t>(thread));
  if (lane.scratch.bytes() < static_cast<int64_t>(primitive.scratch_bytes))
    lane.scratch = Tensor(Shape{static_cast<int64_t>(primitive.scratch_bytes)}, DataType::U8);
  Prepared& prepared = prepare(primitive, arguments, lane);
  size_t i = 0;
  for (const Argument& argument : arguments)
    prepared.memories[i++].set_data_handle(const_cast<void*>(argument.data));
  if (primitive.scratch_bytes > 0) prepared.memories[i].set_data_handle(lane.scratch.raw());

  const double start = times_ ? thread_clock() : 0;
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive.primitive.get(), lane.stream.get(),
                             static_cast<int>(prepared.list.size()), prepared.list.data()),
      "a primitive failed");
  if (times_) lane.seconds += thread_clock() - start;
}

dnnl::primitive_attr attributes(const std::optional<Clamp>& clamp) {
  dnnl::primitive_attr out;
  out.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (!clamp) return out;
  dnnl::post_ops after;
  if (clamp->lo == 0 && clamp->hi == std::numeric_limits<float>::infinity())
    after.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  else
    after.append_eltwise(1, dnnl::algorithm::eltwise_clip,
                         std::max(clamp->lo, std::numeric_limits<float>::lowest()),
                         std::min(clamp->hi, std::numeric_limits<float>::max()));
  out.set_post_ops(after);
  return out;
}

memory::desc map_desc(const Shape& sample, int64_t count) {
  return {{count, sample.c(), sample.h(), sample.w()}, memory::data_type::f32, memory::format_tag::nhwc};
}

memory::desc plain_desc(const memory::dims& dims) {
  memory::dims strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
  return {dims, memory::data_type::f32, strides};
}

memory::desc any_desc(const memory::dims& dims) {
  return {dims, memory::data_type::f32, memory::format_tag::any};
}

Tensor buffer_for(const memory::desc& desc) {
  return Tensor(Shape{static_cast<int64_t>(desc.get_size() / sizeof(float))});
}

void rethrow(const dnnl::error& error, const graph::Node& node) {
  throw ModelError(fmt::format("{}: oneDNN: {} (status {})", graph::subject(node), error.message,
                               static_cast<int>(error.status)),
                   node.origin);
}

std::vector<int64_t> counts_of(const Batch& batch) {
  if (batch.samples == 0) return {};
  std::vector<int64_t> counts{batch.count(0)};
  const int64_t last = batch.count(batch.blocks() - 1);
  if (last != counts[0]) counts.push_back(last);
  return counts;
}

}  // namespace n2d2::compute::onednn
