#include "find_rate.hpp"

#include "n2d2/base/text.hpp"
#include "n2d2/plot/chart.hpp"

#include "files.hpp"
#include "learn.hpp"
#include "pictures.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

std::string rate_text(double rate) {
  return fmt::format("{:.3g}", rate);
}

plot::Chart rate_chart(const training::RateCurve& curve, const std::string& target) {
  plot::Chart chart;
  chart.title = "Loss over the learning rate, " + presentable(target);
  chart.x_title = "learning rate";
  chart.y_title = "mean loss of a stimulus";
  chart.log_x = chart.log_y = true;
  plot::Series losses, means;
  losses.name = "of a batch";
  means.name = fmt::format("mean of {} batches", 2 * curve.reach + 1);
  means.color = 1;
  losses.x = means.x = curve.rates;
  losses.y = curve.losses;
  means.y = curve.means;
  chart.series = {std::move(losses), std::move(means)};
  if (curve.steepest)
    chart.markers.push_back(
        {curve.rates[*curve.steepest], "falls fastest: " + rate_text(curve.rates[*curve.steepest]), 2, true});
  return chart;
}

}  // namespace

std::string rates_text(const training::RateSweep& sweep, const training::RateCurve& curve) {
  std::string out = "# stimuli rate loss mean\n";
  for (size_t i = 0; i < curve.rates.size(); ++i)
    out += fmt::format("{} {:.6g} {:.6g} {:.6g}\n", sweep.points[i].done, curve.rates[i], curve.losses[i],
                       curve.means[i]);
  return out;
}

std::string suggestion_text(const training::RateSweep& sweep, const training::RateCurve& curve) {
  std::string out;
  if (sweep.diverged_at)
    out = fmt::format("The loss is no number any more from a rate of {} on: the sweep ends there\n",
                      rate_text(*sweep.diverged_at));
  if (!curve.steepest)
    return out +
           "No learning rate is suggested: the loss falls by no more than it scatters; more stimuli may "
           "tell\n";
  return out + fmt::format("Suggested learning rate: {} (the loss falls fastest there; it is least at {})\n",
                           rate_text(curve.rates[*curve.steepest]), rate_text(curve.rates[curve.least]));
}

void find_rate(const loader::Network& net, const Options& o) {
  if (o.find_lr < int64_t{2} * net.batch_size)
    throw ConfigError(
        fmt::format("option -find-lr: expected at least {} stimuli, two batches of {}, got '{}'",
                    with_thousands(int64_t{2} * net.batch_size), net.batch_size, o.find_lr));
  graph::Graph graph = net.graph;  // the weights of a sweep are of no use
  const training::RateSweep sweep =
      training::sweep_rates(graph, learnt_constants(net), training_targets(net), trainer_options(net, o),
                            training::ProviderSource(*net.data), o.find_lr);
  for (size_t i = 0; i < net.targets.size(); ++i) {
    const training::RateCurve curve = training::rate_curve(sweep, i);
    const std::string target = std::filesystem::path(net.targets[i].folder).filename().string();
    const std::string stem = o.in_output("find_lr_" + target).string();
    write_text(stem + ".dat", rates_text(sweep, curve));
    write_picture(plot::draw(rate_chart(curve, net.targets[i].section)), stem);
    if (i == 0) print(suggestion_text(sweep, curve));
  }
}

}  // namespace n2d2::app
