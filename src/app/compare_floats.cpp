#include "compare_floats.hpp"

#include <nlohmann/json.hpp>

#include "n2d2/base/text.hpp"

#include "float_figures.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

using Json = nlohmann::ordered_json;

double percent(double share) {
  return 100 * share;
}

std::string figures_of_outputs(const Deviation& outputs) {
  return fmt::format("SQNR {}, cosine {:.4f}", decibel_text(outputs.sqnr()), outputs.cosine());
}

std::string p_text(double p) {
  return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", p);
}

/// "99.23 % (9923 of 10000)"
std::string share_text(const data::Agreement& agreement) {
  return fmt::format("{:.2f} % ({} of {})", percent(agreement.share()), agreement.equal(),
                     agreement.decisions());
}

std::string pairs_text(const data::PairedCounts& pairs) {
  return fmt::format("both right {}, only floats {}, only integers {}, neither {}", pairs.both,
                     pairs.only_floats, pairs.only_integers, pairs.neither);
}

Json pairs_json(const data::PairedCounts& pairs) {
  return {{"both", pairs.both},
          {"only_floats", pairs.only_floats},
          {"only_integers", pairs.only_integers},
          {"neither", pairs.neither}};
}

}  // namespace

std::string verdict(const data::Agreement& agreement) {
  const data::PairedCounts& pairs = agreement.paired();
  if (!agreement.p()) return "pixels of a picture go together: chance is not judged";
  if (pairs.only_floats == pairs.only_integers) return "integers are as good as floats on these samples";
  const bool lose = pairs.only_floats > pairs.only_integers;
  const std::string p = p_text(*agreement.p());
  if (*agreement.p() >= data::kChance)
    return fmt::format("the {} of the integers cannot be told from chance (McNemar's exact test: {})",
                       lose ? "loss" : "gain", p);
  return fmt::format("the {} of the integers is more than chance (McNemar's exact test: {})",
                     lose ? "loss" : "gain", p);
}

FloatsBeside::FloatsBeside(const loader::Network& net, graph::Graph floats)
    : net_(net), graph_(std::move(floats)), executor_(graph_, inference_options(net)) {
  for (const loader::TargetPlace& place : net.targets)
    scores_.emplace_back(place.target), agreements_.emplace_back(place.target);
}

std::vector<Tensor> FloatsBeside::run(const Tensor& samples) {
  executor_.forward(samples);
  std::vector<Tensor> out;
  for (const graph::ValueId output : graph_.outputs()) out.push_back(executor_.read(output));
  return out;
}

void FloatsBeside::add(const data::Batch& batch, const std::vector<Tensor>& floats,
                       const targets::Build& build, const std::vector<Tensor>& integers,
                       const std::vector<data::Score>& scores) {
  samples_ += batch.data.shape().n();
  for (size_t t = 0; t < scores_.size(); ++t) {
    scores_[t].add(floats.at(t), batch.labels, batch.data);
    agreements_[t].add(scores_[t], scores.at(t), batch.labels, floats.at(t), integers.at(t), build.step(t));
  }
}

std::string FloatsBeside::text() const {
  std::string out;
  for (size_t t = 0; t < scores_.size(); ++t) {
    const data::Agreement& a = agreements_[t];
    const std::string of =
        scores_.size() > 1 ? fmt::format(" [{}]", presentable(net_.targets[t].section)) : "";
    if (!a.has_classes()) {
      out += fmt::format("Integers against floats{}: {}; mean squared error {:.6g}, of floats {:.6g}\n", of,
                         figures_of_outputs(a.outputs()), integers_[t].mean_squared_error(),
                         scores_[t].mean_squared_error());
      continue;
    }
    out += fmt::format("Integers against floats{}: classes agree in {}, {}\n", of, share_text(a),
                       figures_of_outputs(a.outputs()));
    out += fmt::format("    Floats {:.2f}%, integers {:.2f}%: {}\n", percent(scores_[t].recognition_rate()),
                       percent(integers_[t].recognition_rate()), pairs_text(a.paired()));
    out += fmt::format("    Result: {}\n", verdict(a));
  }
  return out +
         fmt::format("    Floats beside: {}\n", speed_text(executor_.forward_time(), inference_batch(net_)));
}

std::vector<std::pair<std::string, std::string>> FloatsBeside::rows() const {
  std::vector<std::pair<std::string, std::string>> rows;
  for (size_t t = 0; t < scores_.size(); ++t) {
    const data::Agreement& a = agreements_[t];
    const std::string of = fmt::format(" ({})", net_.targets[t].section);
    rows.emplace_back("outputs of integers against floats" + of, figures_of_outputs(a.outputs()));
    if (!a.has_classes()) {
      rows.emplace_back("mean squared error of floats" + of,
                        fmt::format("{:.6g}", scores_[t].mean_squared_error()));
      continue;
    }
    rows.emplace_back("recognised by floats" + of,
                      fmt::format("{:.2f} %", percent(scores_[t].recognition_rate())));
    rows.emplace_back("classes as of floats" + of, share_text(a));
    rows.emplace_back("paired decisions" + of, fmt::format("{}; {}", pairs_text(a.paired()), verdict(a)));
  }
  return rows;
}

std::string FloatsBeside::json() const {
  Json targets = Json::array();
  for (size_t t = 0; t < scores_.size(); ++t) {
    const data::Agreement& a = agreements_[t];
    Json target = {{"target", net_.targets[t].section},
                   {"sqnr_db", tenths(a.outputs().sqnr())},
                   {"cosine", rounded(a.outputs().cosine(), 1e4)}};
    if (a.has_classes()) {
      target["float_rate"] = scores_[t].recognition_rate();
      target["integer_rate"] = integers_[t].recognition_rate();
      target["decisions"] = a.decisions();
      target["agree"] = a.equal();
      target["paired"] = pairs_json(a.paired());
      target["mcnemar_p"] = a.p() ? Json(rounded(*a.p(), 1e4)) : Json();
    } else {
      target["float_mse"] = scores_[t].mean_squared_error();
      target["integer_mse"] = integers_[t].mean_squared_error();
    }
    targets.push_back(std::move(target));
  }
  const Json out = {{"samples", samples_}, {"targets", std::move(targets)}};
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace n2d2::app
