#include "tuning.hpp"

#include <algorithm>
#include <set>

#include "n2d2/base/sha256.hpp"
#include "n2d2/targets/cpp/kernels.hpp"

#include "choose_forms.hpp"

namespace n2d2::targets::cpp {

namespace {

/// Longer descriptions of layers are known by their hash.
constexpr size_t kLongestKey = 300;

std::string text_of(const TimeRange& time) {
  return fmt::format("{:.3f} to {:.3f} us", time.least, time.most);
}

/// The form to take, and why.
TimedForm pick(const TunedLayer& layer, const std::map<std::string, TimeRange>& times) {
  const std::string& own = layer.forms.front();
  const auto own_time = times.find(own);
  if (own_time == times.end()) return {own, "the first that fits: its time is not known apart"};
  std::string best = own, why = fmt::format("timed: {} {}", own, text_of(own_time->second));
  TimeRange best_time = own_time->second;
  for (const std::string& form : layer.forms) {
    const auto time = times.find(form);
    if (form == own || time == times.end()) continue;
    why += fmt::format(", {} {}", form, text_of(time->second));
    if (time->second.most < own_time->second.least && time->second.most < best_time.most)
      best = form, best_time = time->second;
  }
  return {best, best == own ? why + ": none is clearly faster than the first" : why};
}

bool is_known(const Timings& cache, const TunedLayer& layer) {
  const auto found = cache.find(layer.key);
  return found != cache.end() &&
         std::all_of(layer.forms.begin(), layer.forms.end(),
                     [&](const std::string& form) { return found->second.contains(form); });
}

/// A form of each layer that is not known; of layers of one key, the first one's.
Assignment next_trial(const std::vector<TunedLayer>& layers, const Timings& cache,
                      std::set<std::pair<std::string, std::string>>& tried) {
  Assignment out;
  std::set<std::string> keys;
  for (const TunedLayer& layer : layers) {
    if (is_known(cache, layer) || keys.contains(layer.key)) continue;
    const auto found = cache.find(layer.key);
    for (const std::string& form : layer.forms) {
      if (found != cache.end() && found->second.contains(form)) continue;
      if (!tried.emplace(layer.key, form).second) continue;
      out[layer.name] = form, keys.insert(layer.key);
      break;
    }
  }
  return out;
}

std::string map_text(const program::Program& program, program::ViewId id) {
  const program::View& view = program.view(id);
  return fmt::format("{} {} pitch {}", to_string(view.type),
                     program.graph.value(view.value).type.shape.text(), view.pixel);
}

/// Everything that a call's time depends on but the machine, in one line without tabs.
std::string key_of(const program::Program& program, const program::Call& call, const Parameters& parameters) {
  const graph::Node& node = program.node(call);
  std::string out = std::string(node.op->type());
  for (const program::ViewId id : call.in) out += ", in " + map_text(program, id);
  for (const program::ViewId id : call.out) out += ", out " + map_text(program, id);
  for (const auto& [name, text] : node.op->fields_text()) out += fmt::format(", {}={}", name, text);
  if (node.rescale) out += ", " + ValueText<RescaleMode>::print(node.rescale->mode);
  if (call.parallel) out += ", several threads";
  out += fmt::format(", Target={}, Optimize={}", ValueText<Machine>::print(parameters.machine),
                     ValueText<Optimize>::print(parameters.optimize));
  const bool is_plain = out.size() <= kLongestKey &&
                        std::all_of(out.begin(), out.end(), [](unsigned char c) { return c >= ' '; });
  return is_plain ? out : fmt::format("{} {}", node.op->type(), sha256(out));
}

/// Forms that compute the node, that of the call first.
std::vector<std::string> forms_for(const program::Program& program, const program::Call& call,
                                   Machine machine) {
  std::vector<std::string> out{call.form};
  const graph::Node& node = program.node(call);
  for (const program::Choice& choice : choices_for(kernels(), program.graph, node, machine))
    if (choice.why_not.empty() && choice.form.name != call.form) out.emplace_back(choice.form.name);
  return out;
}

}  // namespace

std::vector<TunedLayer> layers_to_tune(const program::Program& program, const Parameters& parameters) {
  std::vector<TunedLayer> out;
  for (const program::Call& call : program.calls) {
    if (call.is_source() || call.contract.opaque || call.kernel->forms().empty()) continue;
    const std::string& layer = program.node(call).name;
    if (parameters.form_section(layer) != nullptr) continue;
    TunedLayer tuned{layer, key_of(program, call, parameters), forms_for(program, call, parameters.machine)};
    if (tuned.forms.size() > 1 && !cell_of_layer(program, layer).empty()) out.push_back(std::move(tuned));
  }
  return out;
}

std::string cell_of_layer(const program::Program& program, const std::string& layer) {
  for (const program::Cell& cell : program.cells)
    for (const program::CallId id : cell.calls) {
      const program::Call& call = program.call(id);
      if (call.contract.opaque || program.node(call).name != layer) continue;
      return cell.calls.size() > 1 || program.region_of(id) != nullptr ? "" : cell.identifier;
    }
  return {};
}

Tuned tune(const std::vector<TunedLayer>& layers, Timings& cache, const Measure& measure) {
  Tuned out;
  for (const TunedLayer& layer : layers) ++(is_known(cache, layer) ? out.known : out.measured);
  std::map<std::string, const TunedLayer*> by_name;
  for (const TunedLayer& layer : layers) by_name[layer.name] = &layer;
  std::set<std::pair<std::string, std::string>> tried;
  for (Assignment trial = next_trial(layers, cache, tried); !trial.empty();
       trial = next_trial(layers, cache, tried)) {
    const std::map<std::string, TimeRange> times = measure(trial);
    for (const auto& [layer, form] : trial)
      if (const auto time = times.find(layer); time != times.end())
        cache[by_name.at(layer)->key][form] = time->second;
  }
  for (const TunedLayer& layer : layers) {
    const auto found = cache.find(layer.key);
    const TimedForm form =
        pick(layer, found == cache.end() ? std::map<std::string, TimeRange>{} : found->second);
    out.changed += form.form != layer.forms.front();
    out.forms.emplace(layer.name, form);
  }
  return out;
}

}  // namespace n2d2::targets::cpp
