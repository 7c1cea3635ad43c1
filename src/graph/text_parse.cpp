#include <limits>
#include <map>

#include "n2d2/base/text.hpp"
#include "n2d2/graph/text.hpp"

namespace n2d2::graph {

namespace {

/// The quoted fields of one node line, as a source for Operator::read.
class LineKeys final : public KeySource {
 public:
  LineKeys(std::map<std::string, std::string> keys, std::string subject, SourceLocation where)
      : keys_(std::move(keys)), subject_(std::move(subject)), where_(std::move(where)) {}
  std::optional<KeyText> find(std::string_view key) const override {
    const auto it = keys_.find(std::string(key));
    if (it == keys_.end()) return std::nullopt;
    return KeyText{it->second, where_};
  }
  SourceLocation where() const override { return where_; }
  std::string subject() const override { return subject_; }

 private:
  std::map<std::string, std::string> keys_;
  std::string subject_;
  SourceLocation where_;
};

class Parser {
 public:
  Parser(const OperatorRegistry& operators, std::string file) : operators_(operators) {
    where_.file = std::move(file);
  }

  Graph run(std::string_view text) {
    std::vector<ValueId> outputs;
    for (const std::string& raw : split(text, '\n')) {
      ++where_.line;
      const std::string_view line = trim(raw);
      if (line.empty()) continue;
      if (line.starts_with("input "))
        parse_input(line.substr(6));
      else if (line.starts_with("constant "))
        parse_constant(line.substr(9));
      else if (line.starts_with("output "))
        outputs.push_back(value(trim(line.substr(7))));
      else
        parse_node(line);
    }
    graph_.set_outputs(std::move(outputs));
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail(const std::string& expected, std::string_view found) const {
    throw ModelError(fmt::format("graph text: expected {}, got '{}'", expected, found), where_);
  }

  /// Cuts `text` at the first `mark`; the part before it, trimmed.
  std::string_view take(std::string_view& text, std::string_view mark, const std::string& expected) const {
    const size_t at = text.find(mark);
    if (at == std::string_view::npos) fail(expected, text);
    const std::string_view head = trim(text.substr(0, at));
    text = text.substr(at + mark.size());
    return head;
  }

  ValueId value(std::string_view name) const {
    const auto id = graph_.find_value(name);
    if (!id) fail("the name of a value above", name);
    return *id;
  }

  std::string fresh(std::string_view name) const {
    if (name.empty() || graph_.find_value(name)) fail("a new name", name);
    return std::string(name);
  }

  float number(std::string_view text) const {
    if (text == "inf") return std::numeric_limits<float>::infinity();
    if (text == "-inf") return -std::numeric_limits<float>::infinity();
    const auto v = parse_real(text);
    if (!v) fail("a number", text);
    return static_cast<float>(*v);
  }

  template <class I>
  I integer(std::string_view text) const {
    I out{};
    if (!ValueText<I>::parse(text, out)) fail("an integer", text);
    return out;
  }

  TensorType parse_type(std::string_view text) const {
    TensorType type;
    std::string_view quant;
    if (const size_t at = text.find("quant("); at != std::string_view::npos) {
      quant = text.substr(at + 6);
      if (!quant.ends_with(')')) fail("')' after quant(", text);
      quant.remove_suffix(1);
      text = trim(text.substr(0, at));
    }
    const auto parts = words(text);
    if (parts.size() < 2 || !ValueText<DataType>::parse(parts[0], type.dtype)) fail("type and shape", text);
    std::vector<int64_t> dims;
    for (const std::string& d : split(parts[1], 'x')) dims.push_back(integer<int64_t>(d));
    for (const int64_t d : dims)
      if (d < 1) fail("extents >= 1", parts[1]);
    type.shape = Shape(std::move(dims));
    if (parts.size() > 2 && !ValueText<Layout>::parse(parts[2], type.layout)) fail("nchw or nhwc", parts[2]);
    if (!quant.empty()) type.quant = parse_quant(words(quant));
    return type;
  }

  QuantParams parse_quant(const std::vector<std::string>& parts) const {
    if (parts.size() < 3) fail("bits, sign and axis", join(parts, " "));
    QuantParams quant{integer<int>(parts[0]), parts[1] == "signed", integer<int>(parts[2]), {}};
    size_t i = 3;
    for (; i < parts.size() && parts[i] != "of"; ++i) quant.scale.push_back(number(parts[i]));
    for (++i; i < parts.size(); ++i) {
      const auto threshold = parse_real(parts[i]);
      if (!threshold) fail("a number", parts[i]);
      quant.threshold.push_back(*threshold);
    }
    if (!quant.threshold.empty() && quant.threshold.size() != quant.scale.size())
      fail(fmt::format("{} thresholds", quant.scale.size()), fmt::format("{}", quant.threshold.size()));
    return quant;
  }

  void parse_input(std::string_view line) {
    const std::string name = fresh(take(line, " : ", "' : ' after the name"));
    const TensorType type = parse_type(trim(line));
    if (type.shape.rank() != 4 || type.shape.n() != 1) fail("a shape 1xCxHxW", type.shape.text());
    graph_.add_input(name, type);
  }

  void parse_constant(std::string_view line) {
    const std::string name = fresh(take(line, " : ", "' : ' after the name"));
    const TensorType type = parse_type(take(line, " =", "'= values' (a hash cannot be read back)"));
    const auto items = words(line);
    if (static_cast<int64_t>(items.size()) != type.shape.elements())
      fail(fmt::format("{} values", type.shape.elements()), fmt::format("{} values", items.size()));
    Tensor tensor(type.shape, type.dtype, type.layout);
    for (size_t i = 0; i < items.size(); ++i) store(tensor, i, items[i]);
    graph_.add_constant(name, std::move(tensor), type.quant);
  }

  void store(Tensor& tensor, size_t i, const std::string& text) const {
    switch (tensor.dtype()) {
      case DataType::F32:
        tensor.data<float>()[i] = number(text);
        break;
      case DataType::I8:
        tensor.data<int8_t>()[i] = integer<int8_t>(text);
        break;
      case DataType::U8:
        tensor.data<uint8_t>()[i] = integer<uint8_t>(text);
        break;
      case DataType::I16:
        tensor.data<int16_t>()[i] = integer<int16_t>(text);
        break;
      case DataType::U16:
        tensor.data<uint16_t>()[i] = integer<uint16_t>(text);
        break;
      case DataType::I32:
        tensor.data<int32_t>()[i] = integer<int32_t>(text);
        break;
      case DataType::I64:
        tensor.data<int64_t>()[i] = integer<int64_t>(text);
        break;
    }
  }

  SourceLocation parse_origin(std::string_view& line) const {
    const size_t at = line.rfind(" @ ");
    if (at == std::string_view::npos || line.find('"', at) != std::string_view::npos) return {};
    const std::string_view place = trim(line.substr(at + 3));
    line = line.substr(0, at);
    const size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) fail("file:line", place);
    return {std::string(place.substr(0, colon)), integer<int>(place.substr(colon + 1))};
  }

  std::map<std::string, std::string> parse_fields(std::string_view text) const {
    std::map<std::string, std::string> fields;
    for (text = trim(text); !text.empty(); text = trim(text)) {
      const std::string name(take(text, "=\"", "Name=\"value\""));
      const size_t end = text.find('"');
      if (end == std::string_view::npos) fail("a closing '\"'", text);
      fields[name] = std::string(text.substr(0, end));
      text = text.substr(end + 1);
    }
    return fields;
  }

  Rescale parse_rescale(const std::string& text) const {
    const auto parts = split(text, ':');
    const auto head = words(parts.at(0));
    Rescale rescale;
    if (parts.size() != 3 || head.size() != 4 || !ValueText<RescaleMode>::parse(head[0], rescale.mode))
      fail("a rescale", text);
    rescale.lo = integer<int64_t>(head[1]);
    rescale.hi = integer<int64_t>(head[2]);
    rescale.shift = integer<int>(head[3]);
    for (const std::string& word : words(parts[1])) rescale.factor.push_back(number(word));
    for (const std::string& word : words(parts[2])) rescale.multiplier.push_back(integer<int32_t>(word));
    return rescale;
  }

  void set_output_types(NodeId id, std::string_view types) {
    const auto written = split(types, ',');
    const auto& outputs = graph_.node(id).outputs;
    if (written.size() != outputs.size()) fail(fmt::format("{} outputs", outputs.size()), types);
    for (size_t i = 0; i < written.size(); ++i) {
      TensorType type = parse_type(trim(written[i]));
      const Shape& inferred = graph_.value(outputs[i]).type.shape;
      if (type.shape != inferred) fail("the shape " + inferred.text(), type.shape.text());
      graph_.set_type(outputs[i], std::move(type));
    }
  }

  void parse_node(std::string_view line) {
    const SourceLocation origin = parse_origin(line);
    const std::string name = fresh(take(line, " : ", "' : ' after the name"));
    const std::string_view types = take(line, " = ", "' = Operator(...)'");
    const std::string type(take(line, "(", "'(' after the operator"));
    const std::string_view arguments = take(line, ")", "')' after the inputs");
    const OperatorEntry* entry = operators_.find(type);
    if (entry == nullptr) throw ModelError("graph text: " + operators_.unknown("operator", type), where_);
    std::vector<ValueId> inputs;
    if (!arguments.empty())
      for (const std::string& argument : split(arguments, ',')) inputs.push_back(value(trim(argument)));
    auto fields = parse_fields(line);
    const auto extra = [&fields](const char* key) {
      auto node = fields.extract(key);
      return node.empty() ? std::string() : node.mapped();
    };
    const std::string clamp = extra("clamp"), rescale = extra("rescale");
    auto op = entry->make();
    Diagnostics diagnostics;
    const LineKeys keys(std::move(fields), "[" + name + "]", where_);
    op->read(keys, keys, diagnostics);
    diagnostics.finish<ModelError>();
    const NodeId id = graph_.add(std::move(op), name, std::move(inputs), origin);
    set_output_types(id, types);
    if (!clamp.empty()) {
      const auto bounds = words(clamp);
      if (bounds.size() != 2) fail("two bounds", clamp);
      graph_.set_clamp(id, Clamp{number(bounds[0]), number(bounds[1])});
    }
    if (!rescale.empty()) graph_.set_rescale(id, parse_rescale(rescale));
  }

  const OperatorRegistry& operators_;
  SourceLocation where_;
  Graph graph_;
};

}  // namespace

Graph from_text(std::string_view text, const OperatorRegistry& operators, const std::string& file) {
  return Parser(operators, file).run(text);
}

}  // namespace n2d2::graph
