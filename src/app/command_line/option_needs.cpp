// What does an option need of the run to have an effect?
#include <fmt/format.h>

#include "option_table.hpp"

namespace n2d2::app {

namespace {

/// Types of export that have a memory to plan begin like this.
constexpr std::string_view kPlanning = "CPP";

}  // namespace

bool plans_memory(std::string_view type) {
  return type.starts_with(kPlanning);
}

namespace {

std::string missing_export(const Options& o) {
  return o.prepares_export() ? "" : "without -export or -calibOnly";
}

std::string missing_project(const Options& o) {
  if (o.calib_only) return "beside -calibOnly, which writes no project";
  return o.exports() ? "" : "without -export";
}

std::string missing_plan(const Options& o) {
  if (!o.exports()) return "without '-export CPP'";
  if (plans_memory(o.export_type)) return "";
  return fmt::format("with '-export {}', which plans no memory", o.export_type);
}

std::string missing_sources(const Options& o) {
  if (o.exports() && !plans_memory(o.export_type))
    return fmt::format("with '-export {}', which writes no C++", o.export_type);
  return missing_project(o);
}

std::string missing_integer_export(const Options& o) {
  return !o.prepares_export() || o.is_integer() ? missing_export(o)
                                                : fmt::format("with '-nbbits {}'", o.nb_bits);
}

std::string missing_bench(const Options& o) {
  if (o.learns()) return "";
  if (o.prepares_export())
    return fmt::format("beside {}, where the network is a program: a project that was built has -time",
                       o.calib_only ? "-calibOnly" : "-export");
  return o.test ? "" : "without -test, -learn or -learn-epoch";
}

std::string missing_float_scoring(const Options& o) {
  if (o.prepares_export())
    return fmt::format("beside {}, which always fuses", o.calib_only ? "-calibOnly" : "-export");
  return o.test || o.learns() ? "" : "without -test";
}

std::string missing_weights(const Options& o) {
  if (o.weights == "/dev/null") return "with '-w /dev/null', which reads no file";
  return o.begins_learning() ? "beside learning, where missing files are no error"
                             : missing(Need::Weights, o);
}

}  // namespace

std::string missing(Need need, const Options& o) {
  const bool scores = o.test || o.learns() || o.pareto;
  switch (need) {
    case Need::Nothing:
      return "";
    case Need::Learning:
      return o.learns() ? "" : "without -learn or -learn-epoch";
    case Need::LearningByCount:
      return o.learn > 0 && o.learn_epoch == 0 ? "" : "without -learn, or beside -learn-epoch";
    case Need::NoEpochs:
      return o.learn_epoch > 0 ? "beside -learn-epoch" : "";
    case Need::LearningByEpoch:
      return o.learn_epoch > 0 ? "" : "without -learn-epoch";
    case Need::Scoring:
      return scores ? "" : "without -test, -learn or -learn-epoch";
    case Need::ScoringOrExport:
      return scores || o.prepares_export() ? "" : "without -test, -learn, -learn-epoch or -export";
    case Need::LearntScoring:
      if (o.prepares_export())
        return fmt::format("beside {}, where '-test' scores the integers",
                           o.calib_only ? "-calibOnly" : "-export");
      return scores ? "" : "without -test, -learn or -learn-epoch";
    case Need::FloatScoring:
      return missing_float_scoring(o);
    case Need::Bench:
      return missing_bench(o);
    case Need::Weights:
      return scores || o.prepares_export() || o.begins_learning() || o.dump == "graph" || o.bn_reestimate > 0
                 ? ""
                 : "without -learn, -test, -export, -bn-reestimate or '-dump graph'";
    case Need::MissingWeights:
      return missing_weights(o);
    case Need::Export:
      return missing_export(o);
    case Need::Project:
      return missing_project(o);
    case Need::Plan:
      return missing_plan(o);
    case Need::Sources:
      return missing_sources(o);
    case Need::IntegerExport:
      return missing_integer_export(o);
    case Need::Quantile:
      return o.activation_clipping == "Quantile" ? missing_integer_export(o)
                                                 : "without '-act-clipping-mode Quantile'";
    case Need::Comparing:
      return o.pareto ? "" : "without -pareto";
    case Need::Cuda:
      return "here: there is no CUDA device, the CPU is used";
    case Need::Compatibility:
      return "here: it is accepted for command lines of N2D2";
  }
  return "";
}

}  // namespace n2d2::app
