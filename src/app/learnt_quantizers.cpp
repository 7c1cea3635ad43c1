#include "learnt_quantizers.hpp"

#include "n2d2/base/log.hpp"
#include "n2d2/loader/freeze.hpp"
#include "n2d2/ops/quantize_activation.hpp"
#include "n2d2/training/first_steps.hpp"
#include "n2d2/training/sample_source.hpp"

namespace n2d2::app {

namespace {

void start_steps(loader::Network& net) {
  const int64_t size = net.data->size(data::Partition::Learn);
  for (const graph::NodeId id : net.graph.nodes()) {
    const graph::Node& node = net.graph.node(id);
    const bool lacks = graph::as<ops::QuantizeActivation>(node) != nullptr &&
                       net.graph.value(node.inputs.at(1)).constant->data<float>()[0] == 0;
    if (lacks && size <= 0)
      throw ConfigError(
          fmt::format("{}: its step is not known, and there are no samples of Learn to measure it on",
                      graph::subject(node)),
          node.origin, "'-w' names weights with the step, or QAct.StepSize with QAct.SetOptInitStepSize=0");
  }
  std::vector<int64_t> order = data::shuffled_order(size, net.seed, 0);
  order.resize(static_cast<size_t>(std::min<int64_t>(size, net.batch_size)));
  Tensor batch;
  std::vector<int> labels;
  net.data->read(data::Partition::Learn, order, 0, batch, labels);
  training::measure_first_steps(net.graph, batch, 0, compute::Backend::OneDnn, net.seed);
  log::notice("steps of activations that nothing has learnt are those of {} samples of Learn", order.size());
}

}  // namespace

void quantize_network(loader::Network& net, const Options& o) {
  if (!loader::has_learnt_quantizers(net)) return;
  const graph::Graph masters = net.graph;
  loader::quantize(net, net.graph);
  if (training::lacks_first_steps(net.graph)) start_steps(net);
  if (o.prepares_export()) loader::freeze(net, masters, net.graph);
}

}  // namespace n2d2::app
