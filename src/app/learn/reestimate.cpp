#include "reestimate.hpp"

#include "n2d2/loader/weights_file.hpp"
#include "n2d2/training/first_steps.hpp"
#include "n2d2/training/reestimate.hpp"

#include "files.hpp"

namespace n2d2::app {

void reestimate_batchnorms(loader::Network& net, const Options& o) {
  constexpr const char* kFolder = "weights_reestimated";
  if (!training::takes_statistics(net.graph))
    throw ConfigError("option -bn-reestimate: no BatchNorm takes statistics of batches", {o.model, 0},
                      "MovingAverageMomentum=0 keeps those that there are");
  graph::Graph seen = net.graph;
  loader::quantize(net, seen);
  if (training::lacks_first_steps(seen))
    throw ConfigError("option -bn-reestimate: steps of activations have not been learnt yet", {o.model, 0},
                      "'-learn', or -w with a folder of weights that have them");
  const training::ProviderSource source(*net.data);
  for (const graph::ValueId constant :
       training::reestimate_statistics(seen, source, {o.bn_reestimate, net.batch_size, net.seed}))
    net.graph.mutable_constant(constant) = *seen.value(constant).constant;
  const std::string folder = o.in_output(kFolder).string();
  loader::save_weights(net.graph, folder, loader::quantizer_states(net));
  print(fmt::format("BatchNorm: means and variances of {} batches of Learn\n    '{}' saved!\n",
                    o.bn_reestimate, folder));
}

}  // namespace n2d2::app
