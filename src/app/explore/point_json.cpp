#include "point_json.hpp"

#include <algorithm>
#include <array>

namespace n2d2::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kLevels{BudgetLevel::Given, BudgetLevel::Unlimited, BudgetLevel::TwoThirds,
                             BudgetLevel::OneThird, BudgetLevel::Least};

BudgetLevel level_of(const std::string& text) {
  const auto found =
      std::find_if(kLevels.begin(), kLevels.end(), [&](BudgetLevel level) { return text_of(level) == text; });
  return found == kLevels.end() ? BudgetLevel::Given : *found;
}

Json accuracy_json(const Accuracy& accuracy) {
  Json targets = Json::array();
  for (const TargetScore& target : accuracy.targets) {
    Json json{{"target", target.target}, {"sqnr_db", target.sqnr_db ? Json(*target.sqnr_db) : Json()}};
    if (target.has_classes) {
      json["float_rate"] = target.floats, json["integer_rate"] = target.integer;
      json["decisions"] = target.decisions, json["agree"] = target.agree;
    } else {
      json["float_mse"] = target.floats, json["integer_mse"] = target.integer;
    }
    targets.push_back(std::move(json));
  }
  return {{"samples", accuracy.samples}, {"targets", std::move(targets)}};
}

Json cost_json(const Cost& cost) {
  Json out{{"ram", cost.ram},
           {"flash", cost.flash()},
           {"weights", cost.weights},
           {"biases_and_factors", cost.biases},
           {"multiplications", cost.multiplications},
           {"calls", cost.calls}};
  if (cost.code > 0) out["filling"] = cost.filling, out["code"] = cost.code;
  if (cost.instructions > 0) out["instructions"] = cost.instructions;
  return out;
}

Cost cost_of(const Json& json) {
  Cost out;
  json.at("ram").get_to(out.ram);
  json.at("weights").get_to(out.weights);
  json.at("biases_and_factors").get_to(out.biases);
  json.at("multiplications").get_to(out.multiplications);
  json.at("calls").get_to(out.calls);
  out.filling = json.value("filling", int64_t{0});
  out.code = json.value("code", int64_t{0});
  out.instructions = json.value("instructions", int64_t{0});
  return out;
}

}  // namespace

Accuracy accuracy_of(const Json& score) {
  Accuracy out;
  score.at("samples").get_to(out.samples);
  for (const Json& json : score.at("targets")) {
    TargetScore& target = out.targets.emplace_back();
    json.at("target").get_to(target.target);
    if (!json.at("sqnr_db").is_null()) target.sqnr_db = json.at("sqnr_db").get<double>();
    target.has_classes = json.contains("integer_rate");
    json.at(target.has_classes ? "integer_rate" : "integer_mse").get_to(target.integer);
    json.at(target.has_classes ? "float_rate" : "float_mse").get_to(target.floats);
    target.decisions = json.value("decisions", int64_t{0});
    target.agree = json.value("agree", int64_t{0});
  }
  return out;
}

Json json_of(const Explored& explored) {
  const IntegerSetting& integers = explored.point.integers;
  Json out{{"nbbits", integers.nb_bits},
           {"activation_bits", integers.activation_bits},
           {"quant_effort", integers.effort},
           {"budget", text_of(explored.point.budget)}};
  if (!explored.memory_budget.empty()) out["memory_budget"] = explored.memory_budget;
  if (explored.is_refused()) {
    out["refused"] = explored.refused;
    return out;
  }
  out.update(accuracy_json(explored.accuracy));
  out.update(cost_json(explored.cost));
  return out;
}

Explored explored_of(const Json& json) {
  Explored out;
  json.at("nbbits").get_to(out.point.integers.nb_bits);
  json.at("activation_bits").get_to(out.point.integers.activation_bits);
  json.at("quant_effort").get_to(out.point.integers.effort);
  out.point.budget = level_of(json.at("budget").get<std::string>());
  out.memory_budget = json.value("memory_budget", std::string());
  out.refused = json.value("refused", std::string());
  if (out.is_refused()) return out;
  out.accuracy = accuracy_of(json);
  out.cost = cost_of(json);
  return out;
}

}  // namespace n2d2::app
