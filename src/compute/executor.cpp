#include "n2d2/compute/executor.hpp"

#include <algorithm>
#include <numeric>

#include "n2d2/base/parallel.hpp"
#include "n2d2/cluster/shards.hpp"

#include "backend.hpp"
#include "buffer.hpp"
#include "check_inputs.hpp"
#include "lane_plan.hpp"
#include "node_clock.hpp"
#include "samples.hpp"
#include "stages.hpp"

namespace n2d2::compute {

namespace {

std::unique_ptr<KernelMaker> make_backend(const ExecutorOptions& options) {
  return options.backend == Backend::Reference ? make_reference_backend()
                                               : make_onednn_backend(options.time_primitives);
}

}  // namespace

struct Executor::Impl {
  Impl(const graph::Graph& g, ExecutorOptions o);

  const graph::Graph& graph;
  ExecutorOptions options;
  std::unique_ptr<KernelMaker> backend;
  std::vector<Item> items;
  std::vector<Stage> forward_stages;
  int64_t samples = 0, before = 0, whole = 0;  // of this rank, of the ranks before, of all
  uint64_t step = 0;
  bool descends = false;

  // Indexed by ValueId. A value has no buffer when it lies in the memory of the lanes.
  LanePlan in_lanes;
  std::vector<Buffer> values, gradients;
  /// Whose buffer holds the gradient of a value: its own, or that of the output it was computed from in
  /// place.
  std::vector<int> gradient_place;
  std::vector<bool> has_gradient, depends_on_learnt;
  std::vector<Tensor> constant_gradients;
  bool ran_backward = false;
  /// What one thread needs for a step: pointers to the data, gradients that are added to others, values of
  /// its block, and seconds spent in the observer.
  struct alignas(64) Lane {
    std::vector<const float*> in, out, d_out;
    std::vector<float*> target;
    std::vector<float> spare;
    Tensor values;
    double observing = 0;
  };
  std::vector<Lane> lanes;
  ForwardTime time;
  NodeClock clock;
  int64_t backward_samples = 0;

  Buffer& gradient_of(int value) { return gradients[gradient_place[value]]; }
  const Buffer& gradient_of(int value) const { return gradients[gradient_place[value]]; }
  const graph::Value& value_at(graph::ValueId id) const { return graph.value(id); }
  bool is_parameter(const Item& item, size_t slot) const { return item.context.is_parameter(slot); }

  void add_item(graph::NodeId id);
  const cluster::Cluster& cluster() const { return *options.cluster; }
  bool is_shared() const { return options.training && !cluster().is_alone(); }
  Batch batch(int64_t block) const { return {samples, step, block, before, whole}; }
  const Tensor& input_batch(const Tensor& input, Tensor& converted) const;
  void reserve_lanes();
  float* place_of(graph::ValueId id, const Block& block);
  void load_input(const Tensor& input, const Block& block);
  void show(graph::ValueId id, const Block& block, const Observer& observer);
  template <class F>
  void for_blocks(int64_t block, F&& body);
  void forward_step(const Stage::Step& step, const Block& block, const Observer& observer);
  void run_forward(const Tensor& input, const Observer& observer);

  void seed_gradients(std::span<const GradientSeed> seeds);
  std::vector<size_t> plan_backward();
  void backward_step(const Stage::Step& step, const Block& block);
  void finish_backward();
  void add_gradients(const std::vector<std::vector<Tensor>>& own);
  const float* data_of(graph::ValueId id, const Block& block);
  float* gradient_target(const Item& item, size_t slot, const Block& block, std::vector<float>& spare,
                         size_t& used) const;
};

Executor::Impl::Impl(const graph::Graph& g, ExecutorOptions o)
    : graph(g), options(o), backend(make_backend(o)), clock(o.time_nodes) {
  if (graph.inputs().size() != 1)
    throw ModelError(fmt::format("the graph has {} inputs, expected 1", graph.inputs().size()));
  size_t count = 0;
  for (const graph::ValueId id : graph.values()) count = std::max(count, static_cast<size_t>(id.index) + 1);
  values.resize(count);
  gradients.resize(count);
  gradient_place.resize(count);
  constant_gradients.resize(count);
  has_gradient.assign(count, false);
  depends_on_learnt.assign(count, false);
  const std::vector<graph::NodeId> schedule = graph.schedule();
  items.reserve(schedule.size());  // kernels hold references to their contexts
  for (const graph::NodeId id : schedule) add_item(id);
  forward_stages = plan_forward(items, options.training);
  in_lanes.offset.resize(count);
  if (options.keep == Keep::Outputs && !options.training)
    in_lanes = plan_lanes(graph, items, forward_stages, count);
}

void Executor::Impl::add_item(graph::NodeId id) {
  const graph::Node& node = graph.node(id);
  check_inputs(graph, node);
  Item& item = items.emplace_back(Item{KernelContext{graph,
                                                     node,
                                                     backend->layout(),
                                                     options.training,
                                                     options.seed,
                                                     {},
                                                     is_shared() ? cluster() : cluster::alone()},
                                       nullptr,
                                       false,
                                       {}});
  bool depends = false;
  for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
    const bool wanted = is_parameter(item, slot) ? graph::is_learnt(node.op->input_role(slot))
                                                 : depends_on_learnt[node.inputs[slot].index];
    item.context.wanted.push_back(wanted);
    depends = depends || wanted;
  }
  for (const graph::ValueId output : node.outputs) depends_on_learnt[output.index] = depends;
  item.kernel = backend->make(item.context);
}

/// Calls body(block) for each block, from several threads; every other call starts with the last block, whose
/// values are those still in the caches.
template <class F>
void Executor::Impl::for_blocks(int64_t block, F&& body) {
  descends = !descends;
  const Batch cut = batch(block);
  parallel_for(cut.blocks(), [&](int64_t i, int thread) {
    const int64_t index = descends ? cut.blocks() - 1 - i : i;
    body(Block{index, cut.first(index), cut.count(index), thread});
  });
}

const Tensor& Executor::Impl::input_batch(const Tensor& input, Tensor& converted) const {
  const graph::Value& value = value_at(graph.inputs()[0]);
  const Shape& expected = value.type.shape;
  if (input.shape().rank() != 4 || (input.shape().n() < 1 && !is_shared()) ||
      !(input.shape().with_batch(1) == expected.with_batch(1)))
    throw ModelError(fmt::format("input '{}': batch has shape {}, expected {} with any batch extent",
                                 value.name, input.shape().text(), expected.text()));
  if (input.layout() == Layout::Nchw) return input;
  converted = to_layout(input, Layout::Nchw);
  return converted;
}

void Executor::Impl::load_input(const Tensor& input, const Block& block) {
  const graph::Value& value = value_at(graph.inputs()[0]);
  copy_samples(input.data<float>() + block.first * sample_size(value.type.shape), Layout::Nchw,
               place_of(value.id, block), backend->layout(), value.type.shape, block.count);
}

/// An activation from the block on.
float* Executor::Impl::place_of(graph::ValueId id, const Block& block) {
  const std::optional<int64_t>& offset = in_lanes.offset[id.index];
  return offset ? lanes[block.thread].values.data<float>() + *offset : values[id.index].at(block.first);
}

/// A constant, or an activation from the block on.
const float* Executor::Impl::data_of(graph::ValueId id, const Block& block) {
  const graph::Value& value = value_at(id);
  return value.is_constant() ? value.constant->data<float>() : place_of(id, block);
}

void Executor::Impl::show(graph::ValueId id, const Block& block, const Observer& observer) {
  if (!observer) return;
  const double start = seconds_now();
  const auto elements = static_cast<size_t>(block.count * sample_size(value_at(id).type.shape));
  observer({id, block.first, block.count, {place_of(id, block), elements}, backend->layout(), block.thread});
  lanes[block.thread].observing += seconds_now() - start;
}

void Executor::Impl::forward_step(const Stage::Step& step, const Block& block, const Observer& observer) {
  Item& item = items[step.item];
  const graph::Node& node = item.context.node;
  Lane& lane = lanes[block.thread];
  lane.in.clear();
  lane.target.clear();
  for (const graph::ValueId input : node.inputs) lane.in.push_back(data_of(input, block));
  for (const graph::ValueId output : node.outputs) lane.target.push_back(place_of(output, block));
  const ForwardBlock args{block, lane.in, lane.target};
  {
    const Stopwatch watch(clock.sum(Pass::Forward, block.thread, step.item));
    if (step.gathers) return item.kernel->gather(args);
    item.kernel->forward(args);
    if (node.clamp && !item.kernel->clamps_forward())
      apply_clamp(*node.clamp, lane.target[0],
                  block.count * sample_size(value_at(node.outputs[0]).type.shape));
  }
  for (const graph::ValueId output : node.outputs) show(output, block, observer);
}

void Executor::Impl::reserve_lanes() {
  backend->reserve_threads(max_threads());
  clock.reserve(max_threads(), items.size());
  lanes.resize(std::max(lanes.size(), static_cast<size_t>(max_threads())));
  for (Lane& lane : lanes)
    if (lane.values.elements() < in_lanes.size) lane.values = Tensor(Shape{in_lanes.size});
}

void Executor::Impl::run_forward(const Tensor& input, const Observer& observer) {
  reserve_lanes();
  for (const graph::ValueId id : graph.values())
    if (!value_at(id).is_constant() && !in_lanes.offset[id.index])
      values[id.index].reserve(value_at(id).type.shape, samples);
  parallel_for(static_cast<int64_t>(items.size()), [&](int64_t i, int thread) {
    const Stopwatch watch(clock.sum(Pass::Forward, thread, static_cast<size_t>(i)));
    items[i].kernel->begin_forward(batch(items[i].gather_block), thread);
  });
  for (const Stage& stage : forward_stages) {
    const bool first = &stage == &forward_stages.front();
    for_blocks(stage.block, [&](const Block& block) {
      if (first) {
        load_input(input, block);
        show(graph.inputs()[0], block, observer);
      }
      for (const Stage::Step& one : stage.steps) forward_step(one, block, observer);
    });
    if (stage.combines) {
      const Stopwatch watch(clock.sum(Pass::Forward, 0, *stage.combines));
      items[*stage.combines].kernel->combine();
    }
  }
}

void Executor::Impl::seed_gradients(std::span<const GradientSeed> seeds) {
  std::fill(has_gradient.begin(), has_gradient.end(), false);
  std::iota(gradient_place.begin(), gradient_place.end(), 0);
  for (const GradientSeed& seed : seeds) {
    const graph::Value& value = value_at(seed.value);
    const Shape expected = value.type.shape.with_batch(samples);
    N2D2_CHECK(
        !value.is_constant() && seed.gradient.shape() == expected && seed.gradient.layout() == Layout::Nchw,
        "gradient of '{}' has shape {}, expected {}", value.name, seed.gradient.shape().text(),
        expected.text());
    Buffer& buffer = gradient_of(value.id.index);
    buffer.reserve(value.type.shape, samples);
    std::vector<float> converted(static_cast<size_t>(seed.gradient.elements()));
    copy_samples(seed.gradient.data<float>(), Layout::Nchw, converted.data(), backend->layout(),
                 value.type.shape, samples);
    if (has_gradient[value.id.index])
      add(converted.data(), buffer.at(0), seed.gradient.elements());
    else
      std::copy(converted.begin(), converted.end(), buffer.at(0));
    has_gradient[value.id.index] = true;
  }
}

/// Items that gradients flow through, last first; says for each input whether its gradient is the first.
std::vector<size_t> Executor::Impl::plan_backward() {
  std::vector<size_t> order;
  for (size_t i = items.size(); i-- > 0;) {
    Item& item = items[i];
    const graph::Node& node = item.context.node;
    const auto flows = [&](graph::ValueId output) { return has_gradient[output.index]; };
    item.active =
        std::any_of(node.outputs.begin(), node.outputs.end(), flows) &&
        std::find(item.context.wanted.begin(), item.context.wanted.end(), true) != item.context.wanted.end();
    if (!item.active) continue;
    order.push_back(i);
    for (const graph::ValueId output : node.outputs) {
      if (has_gradient[output.index]) continue;
      Buffer& buffer = gradient_of(output.index);
      buffer.reserve(value_at(output).type.shape, samples);
      std::fill_n(buffer.at(0), buffer.size() * samples, 0.0F);
    }
    item.adds.assign(node.inputs.size(), false);
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (is_parameter(item, slot) || !item.context.wanted[slot]) continue;
      const int index = node.inputs[slot].index;
      item.adds[slot] = has_gradient[index];
      has_gradient[index] = true;
      if (!item.adds[slot] && item.kernel->backward_in_place())
        gradient_place[index] = gradient_place[node.outputs[0].index];
      gradient_of(index).reserve(value_at(node.inputs[slot]).type.shape, samples);
    }
  }
  return order;
}

/// Where the gradient of an input is written: its buffer, or spare memory when it is added later.
float* Executor::Impl::gradient_target(const Item& item, size_t slot, const Block& block,
                                       std::vector<float>& spare, size_t& used) const {
  if (is_parameter(item, slot) || !item.context.wanted[slot]) return nullptr;
  const Buffer& buffer = gradient_of(item.context.node.inputs[slot].index);
  if (!item.adds[slot]) return const_cast<float*>(buffer.at(block.first));
  float* target = spare.data() + used;
  used += static_cast<size_t>(buffer.size() * block.count);
  return target;
}

void Executor::Impl::backward_step(const Stage::Step& step, const Block& block) {
  const Stopwatch watch(clock.sum(Pass::Backward, block.thread, step.item));
  Item& item = items[step.item];
  const graph::Node& node = item.context.node;
  Lane& lane = lanes[block.thread];
  auto &in = lane.in, &out = lane.out, &d_out = lane.d_out;
  auto& d_in = lane.target;
  auto& spare = lane.spare;
  for (auto* pointers : {&in, &out, &d_out}) pointers->clear();
  d_in.clear();
  size_t needed = 0, used = 0;
  for (size_t slot = 0; slot < node.inputs.size(); ++slot)
    if (item.adds[slot]) needed += gradient_of(node.inputs[slot].index).size() * block.count;
  if (spare.size() < needed) spare.resize(needed);
  for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
    in.push_back(data_of(node.inputs[slot], block));
    d_in.push_back(gradient_target(item, slot, block, spare, used));
  }
  for (const graph::ValueId output : node.outputs) {
    out.push_back(values[output.index].at(block.first));
    d_out.push_back(gradient_of(output.index).at(block.first));
  }
  const bool first_visit = step.gathers || !item.kernel->mixes();
  if (node.clamp && first_visit && !item.kernel->clamps_backward())
    mask_gradient(*node.clamp, out[0], gradient_of(node.outputs[0].index).at(block.first),
                  block.count * gradient_of(node.outputs[0].index).size());
  const BackwardBlock args{block, in, out, d_out, d_in};
  if (step.gathers) return item.kernel->gather_backward(args);
  item.kernel->backward(args);
  for (size_t slot = 0; slot < node.inputs.size(); ++slot)
    if (item.adds[slot]) {
      Buffer& buffer = gradient_of(node.inputs[slot].index);
      add(d_in[slot], buffer.at(block.first), buffer.size() * block.count);
    }
}

/// Gradients of parameters: each node's own, then those of a shared constant added in schedule order. In a
/// cluster the last rank that has samples makes them of the sums of all ranks.
void Executor::Impl::finish_backward() {
  std::vector<std::vector<Tensor>> own(items.size());
  const int last = cluster::ranks_of_batch(whole, cluster().size()) - 1;
  if (is_shared())
    for (Item& item : items)
      if (item.active) item.kernel->fold_backward(last);
  const bool makes = !is_shared() || cluster().rank() == last;
  parallel_for(static_cast<int64_t>(items.size()), [&](int64_t i, int thread) {
    const Item& item = items[i];
    if (!item.active) return;
    const Stopwatch watch(clock.sum(Pass::Backward, thread, static_cast<size_t>(i)));
    const graph::Node& node = item.context.node;
    std::vector<Tensor*> targets(node.inputs.size(), nullptr);
    own[i].resize(node.inputs.size());
    for (size_t slot = 0; slot < targets.size(); ++slot) {
      if (!is_parameter(item, slot) || !item.context.wanted[slot]) continue;
      const graph::Value& value = value_at(node.inputs[slot]);
      Tensor& direct = constant_gradients[value.id.index];
      if (value.uses.size() == 1) {
        if (!(direct.shape() == value.type.shape)) direct = Tensor(value.type.shape);
        targets[slot] = &direct;
      } else {
        own[i][slot] = Tensor(value.type.shape);
        targets[slot] = &own[i][slot];
      }
    }
    if (makes) items[i].kernel->finish_backward(targets, thread);
  });
  add_gradients(own);
  if (!is_shared()) return;
  for (Tensor& gradient : constant_gradients)
    if (!gradient.empty()) cluster().broadcast(std::as_writable_bytes(gradient.span()), last);
}

void Executor::Impl::add_gradients(const std::vector<std::vector<Tensor>>& own) {
  std::vector<bool> touched(values.size(), false);
  for (size_t i = 0; i < items.size(); ++i)
    for (size_t slot = 0; slot < items[i].context.wanted.size(); ++slot) {
      if (!is_parameter(items[i], slot) || !items[i].context.wanted[slot]) continue;
      const graph::Value& value = value_at(items[i].context.node.inputs[slot]);
      Tensor& total = constant_gradients[value.id.index];
      const bool direct = value.uses.size() == 1;
      if (!touched[value.id.index] && !(direct && items[i].active)) total = Tensor(value.type.shape);
      touched[value.id.index] = true;
      if (items[i].active && !direct) add(own[i][slot].data<float>(), total.data<float>(), total.elements());
    }
}

Executor::Executor(const graph::Graph& graph, ExecutorOptions options)
    : impl_(std::make_unique<Impl>(graph, options)) {}
Executor::~Executor() = default;
Executor::Executor(Executor&&) noexcept = default;

void Executor::forward(const Tensor& input, uint64_t step, const Observer& observer, int64_t whole) {
  Impl& run = *impl_;
  const double start = seconds_now();
  Tensor converted;
  const Tensor& own = run.input_batch(input, converted);
  run.samples = run.whole = own.shape().n();
  if (run.is_shared()) {
    const auto [first, last] = cluster::share_of_batch(whole, run.cluster().rank(), run.cluster().size());
    N2D2_CHECK(last - first == run.samples, "{} samples of {} on a rank", run.samples, whole);
    run.before = first;
    run.whole = whole;
  }
  run.step = step;
  run.ran_backward = false;
  run.run_forward(own, observer);
  run.time.samples += run.samples;
  run.time.seconds += seconds_now() - start;
}

ForwardTime Executor::forward_time() const {
  ForwardTime time = impl_->time;
  for (const Impl::Lane& lane : impl_->lanes) time.observing = std::max(time.observing, lane.observing);
  return time;
}

NodeTimes Executor::node_times() const {
  const Impl& run = *impl_;
  NodeTimes out{run.time.samples, run.backward_samples, {}};
  for (size_t i = 0; i < run.items.size(); ++i)
    out.nodes.push_back({run.items[i].context.node.id, run.clock.seconds(Pass::Forward, i),
                         run.clock.seconds(Pass::Backward, i)});
  return out;
}

Tensor Executor::read(graph::ValueId id) const {
  const graph::Value& value = impl_->value_at(id);
  if (value.is_constant()) return *value.constant;
  N2D2_CHECK(impl_->whole > 0, "'{}' is read before any forward", value.name);
  N2D2_CHECK(!impl_->in_lanes.offset[id.index], "'{}' is read, but only the outputs are kept", value.name);
  Tensor out(value.type.shape.with_batch(impl_->samples));
  copy_samples(impl_->values[id.index].at(0), impl_->backend->layout(), out.data<float>(), Layout::Nchw,
               value.type.shape, impl_->samples);
  return out;
}

void Executor::backward(std::span<const GradientSeed> seeds) {
  Impl& run = *impl_;
  N2D2_CHECK(run.options.training && run.whole > 0, "backward needs a forward in training mode");
  run.reserve_lanes();
  run.seed_gradients(seeds);
  const std::vector<size_t> order = run.plan_backward();
  parallel_for(static_cast<int64_t>(order.size()), [&](int64_t i, int thread) {
    Item& item = run.items[order[i]];
    const Stopwatch watch(run.clock.sum(Pass::Backward, thread, order[i]));
    item.kernel->begin_backward(run.batch(item.block), thread);
  });
  for (const Stage& stage : cut_stages(order, run.items, true)) {
    run.for_blocks(stage.block, [&](const Block& block) {
      for (const Stage::Step& step : stage.steps) run.backward_step(step, block);
    });
    if (stage.combines) {
      const Stopwatch watch(run.clock.sum(Pass::Backward, 0, *stage.combines));
      run.items[*stage.combines].kernel->combine_backward();
    }
  }
  run.finish_backward();
  run.ran_backward = true;
  run.backward_samples += run.samples;
}

const Tensor& Executor::gradient(graph::ValueId constant) const {
  const Tensor& gradient = impl_->constant_gradients.at(static_cast<size_t>(constant.index));
  N2D2_CHECK(impl_->ran_backward && !gradient.empty(), "'{}' has no gradient: not learnt, or no backward yet",
             impl_->value_at(constant).name);
  return gradient;
}

void Executor::absorb(graph::Graph& graph) const {
  for (const Item& item : impl_->items) {
    const std::vector<Tensor>& saved = item.kernel->saved();
    if (saved.empty()) continue;
    const graph::Node& node = item.context.node;
    std::vector<Tensor*> in(node.inputs.size(), nullptr);
    for (size_t slot = 0; slot < in.size(); ++slot)
      if (impl_->is_parameter(item, slot)) in[slot] = &graph.mutable_constant(node.inputs[slot]);
    node.op->absorb(saved, in, item.context.in_shape(0).with_batch(impl_->whole));
  }
}

double Executor::seconds_in_primitives() const {
  return impl_->backend->thread_seconds();
}

}  // namespace n2d2::compute
