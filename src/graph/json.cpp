#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "n2d2/graph/text.hpp"

#include "text_parts.hpp"

namespace n2d2::graph {

namespace {

using Json = nlohmann::ordered_json;

Json quant_json(const std::optional<QuantParams>& quant) {
  if (!quant) return nullptr;
  Json out = {{"bits", quant->bits},
              {"signed", quant->is_signed},
              {"axis", quant->axis},
              {"scale", quant->scale},
              {"threshold", quant->threshold}};
  if (quant->zero_point != 0) out["zero_point"] = quant->zero_point;
  return out;
}

template <class T>
Json elements_json(const Tensor& tensor) {
  const auto span = tensor.span<T>();
  return std::vector<T>(span.begin(), span.end());
}

Json data_json(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DataType::F32:
      return elements_json<float>(tensor);
    case DataType::I8:
      return elements_json<int8_t>(tensor);
    case DataType::U8:
      return elements_json<uint8_t>(tensor);
    case DataType::I16:
      return elements_json<int16_t>(tensor);
    case DataType::U16:
      return elements_json<uint16_t>(tensor);
    case DataType::I32:
      return elements_json<int32_t>(tensor);
    case DataType::I64:
      return elements_json<int64_t>(tensor);
  }
  return nullptr;
}

Json value_json(const Value& value, Values values) {
  Json out = {{"name", value.name},
              {"type", to_string(value.type.dtype)},
              {"shape", value.type.shape.dims()},
              {"layout", ValueText<Layout>::print(value.type.layout)},
              {"quantization", quant_json(value.type.quant)},
              {"constant", value.is_constant()}};
  if (!value.is_constant()) return out;
  if (values == Values::All)
    out["data"] = data_json(*value.constant);
  else
    out["hash"] = hash_text(*value.constant);
  return out;
}

Json bound_json(float bound) {
  return std::isinf(bound) ? Json(nullptr) : Json(bound);
}

Json clamp_json(const std::optional<Clamp>& clamp) {
  if (!clamp) return nullptr;
  return {{"lo", bound_json(clamp->lo)}, {"hi", bound_json(clamp->hi)}};
}

Json rescale_json(const std::optional<Rescale>& rescale) {
  if (!rescale) return nullptr;
  Json out = {{"mode", ValueText<RescaleMode>::print(rescale->mode)},
              {"factor", rescale->factor},
              {"multiplier", rescale->multiplier},
              {"shift", rescale->shift},
              {"lo", rescale->lo},
              {"hi", rescale->hi}};
  if (rescale->start != 0) out["start"] = rescale->start;
  return out;
}

Json node_json(const Node& node, const std::map<ValueId, size_t>& index) {
  const auto indices = [&](const std::vector<ValueId>& values) {
    Json out = Json::array();
    for (const ValueId id : values) out.push_back(index.at(id));
    return out;
  };
  Json fields = Json::object();
  for (const auto& [name, text] : node.op->fields_text()) fields[name] = text;
  return {{"name", node.name},
          {"operator", std::string(node.op->type())},
          {"fields", std::move(fields)},
          {"in", indices(node.inputs)},
          {"out", indices(node.outputs)},
          {"clamp", clamp_json(node.clamp)},
          {"rescale", rescale_json(node.rescale)},
          {"delegate", node.delegate},
          {"origin", {{"file", node.origin.file}, {"line", node.origin.line}}}};
}

}  // namespace

std::string to_json(const Graph& graph, Values values) {
  Json out = {{"inputs", Json::array()},
              {"outputs", Json::array()},
              {"values", Json::array()},
              {"nodes", Json::array()}};
  std::map<ValueId, size_t> index;
  for (const ValueId id : graph.values()) {
    index.emplace(id, index.size());
    out["values"].push_back(value_json(graph.value(id), values));
  }
  for (const ValueId id : graph.inputs()) out["inputs"].push_back(index.at(id));
  for (const ValueId id : graph.outputs()) out["outputs"].push_back(index.at(id));
  for (const NodeId id : graph.schedule()) out["nodes"].push_back(node_json(graph.node(id), index));
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace n2d2::graph
