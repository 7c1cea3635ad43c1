#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "n2d2/base/text.hpp"
#include "n2d2/graph/text.hpp"

#include "text_line.hpp"

namespace n2d2::graph {

namespace {

/// The largest that quantization writes; rounding adds half of 1 << shift.
constexpr int kMostShift = 50;

/// The quoted fields of one node line, as a source for Operator::read; knows which were asked for.
class LineKeys final : public KeySource {
 public:
  LineKeys(std::map<std::string, std::string> keys, std::string subject, SourceLocation where)
      : keys_(std::move(keys)), subject_(std::move(subject)), where_(std::move(where)) {}
  std::optional<KeyText> find(std::string_view key) const override {
    const auto it = keys_.find(std::string(key));
    if (it == keys_.end()) return std::nullopt;
    read_.insert(it->first);
    return KeyText{it->second, where_};
  }
  SourceLocation where() const override { return where_; }
  std::string subject() const override { return subject_; }

  void report_unread(const std::vector<FieldHelp>& known, Diagnostics& diagnostics) const {
    std::vector<std::string> names{"clamp", "rescale", "delegate"};
    for (const FieldHelp& field : known) names.emplace_back(field.info.name);
    for (const auto& [key, text] : keys_)
      if (!read_.contains(key))
        diagnostics.error(where_,
                          fmt::format("{} {}: unknown field{}", subject_, key, did_you_mean(key, names)));
  }

 private:
  std::map<std::string, std::string> keys_;
  std::string subject_;
  SourceLocation where_;
  mutable std::set<std::string> read_;
};

/// A line reads a value of a line that is wrong: nothing to say about it.
struct HangsOnAnother {};

class Parser {
 public:
  Parser(const OperatorRegistry& operators, SourceLocation where)
      : operators_(operators), where_(std::move(where)) {}

  Graph run(std::string_view text) {
    for (; !text.empty(); ++where_.line) {
      const size_t end = std::min(text.find('\n'), text.size());
      attempt(trim(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    findings_.finish<ModelError>();
    graph_.set_outputs(std::move(outputs_));
    return std::move(graph_);
  }

 private:
  void attempt(std::string_view text) {
    if (text.empty()) return;
    declared_.clear();
    try {
      parse(text);
    } catch (const ModelError& error) {
      for (const Diagnostic& finding : error.findings())
        findings_.error(where_, finding.message, finding.hint);
      broken_.insert(declared_);
    } catch (const HangsOnAnother&) {
      broken_.insert(declared_);
    }
  }

  void parse(std::string_view text) {
    Line line(text, where_);
    if (line.skip("input "))
      parse_input(line);
    else if (line.skip("constant "))
      parse_constant(line);
    else if (line.skip("output "))
      outputs_.push_back(value(line, line.name("\n")));
    else
      parse_node(line);
  }

  ValueId value(const Line& line, const std::string& name) const {
    const auto known = names_.find(name);
    if (known != names_.end()) return known->second;
    if (broken_.contains(name)) throw HangsOnAnother();
    line.fail("the name of a value above", name);
  }

  /// The name that the line gives something, which stands before " : ".
  std::string declare(Line& line) {
    std::string name = line.name(" : ");
    line.expect(" : ", "' : ' after the name");
    if (name.empty() || names_.contains(name) || broken_.contains(name)) line.fail("a new name", name);
    declared_ = name;
    return name;
  }

  void parse_input(Line& line) {
    const std::string name = declare(line);
    const TensorType type = parse_type(line, line.rest());
    if (type.shape.rank() != 4 || type.shape.n() != 1) line.fail("a shape 1xCxHxW", type.shape.text());
    names_[name] = graph_.add_input(name, type);
  }

  void parse_constant(Line& line) {
    const std::string name = declare(line);
    const TensorType type = parse_type(line, line.until(" =", "'= values' (a hash cannot be read back)"));
    const std::string_view items = line.rest();
    if (const int64_t count = count_words(items); count != type.shape.elements())
      line.fail(fmt::format("{} values", type.shape.elements()), fmt::format("{} values", count));
    Tensor tensor(type.shape, type.dtype, type.layout);
    read_elements(line, items, tensor);
    names_[name] = graph_.add_constant(name, std::move(tensor), type.quant);
  }

  Rescale parse_rescale(const Line& line, const std::string& text) const {
    const auto parts = split(text, ':');
    const auto head = words(parts.at(0));
    Rescale rescale;
    constexpr size_t kWithoutStart = 4;
    const bool is_headed = head.size() == kWithoutStart || head.size() == kWithoutStart + 1;
    if (parts.size() != 3 || !is_headed || !ValueText<RescaleMode>::parse(head[0], rescale.mode))
      line.fail("a rescale", text);
    rescale.lo = line.integer<int64_t>(head[1]);
    rescale.hi = line.integer<int64_t>(head[2]);
    rescale.shift = line.integer<int>(head[3]);
    if (rescale.shift < 0 || rescale.shift > kMostShift)
      line.fail(fmt::format("a shift of 0 to {}", kMostShift), head[3]);
    if (head.size() > kWithoutStart) rescale.start = line.integer<int64_t>(head[kWithoutStart]);
    for (const std::string& word : words(parts[1])) rescale.factor.push_back(line.finite(word));
    for (const std::string& word : words(parts[2])) rescale.multiplier.push_back(line.integer<int32_t>(word));
    return rescale;
  }

  void set_output_types(const Line& line, NodeId id, std::string_view types) {
    const auto written = split(types, ',');
    const auto& outputs = graph_.node(id).outputs;
    if (written.size() != outputs.size()) line.fail(fmt::format("{} outputs", outputs.size()), types);
    for (size_t i = 0; i < written.size(); ++i) {
      TensorType type = parse_type(line, trim(written[i]));
      const Shape& inferred = graph_.value(outputs[i]).type.shape;
      if (type.shape != inferred) line.fail("the shape " + inferred.text(), type.shape.text());
      graph_.set_type(outputs[i], std::move(type));
    }
  }

  std::unique_ptr<Operator> read_operator(const OperatorEntry& entry,
                                          std::map<std::string, std::string> fields,
                                          const std::string& name) const {
    auto op = entry.make();
    Diagnostics diagnostics;
    const LineKeys keys(std::move(fields), "[" + name + "]", where_);
    op->read(keys, keys, diagnostics);
    keys.report_unread(entry.fields, diagnostics);
    diagnostics.finish<ModelError>();
    return op;
  }

  void parse_node(Line& line) {
    const std::string name = declare(line);
    const std::string_view types = line.until(" = ", "' = Operator(...)'");
    const std::string type(line.until("(", "'(' after the operator"));
    const OperatorEntry* entry = operators_.find(type);
    if (entry == nullptr) throw ModelError("graph text: " + operators_.unknown("operator", type));
    std::vector<ValueId> inputs;
    for (const std::string& argument : line.arguments()) inputs.push_back(value(line, argument));
    auto fields = line.fields();
    const auto extra = [&fields](const char* key) {
      auto node = fields.extract(key);
      return node.empty() ? std::string() : node.mapped();
    };
    const std::string clamp = extra("clamp"), rescale = extra("rescale"), delegate = extra("delegate");
    const SourceLocation origin = line.origin();
    if (!delegate.empty()) line.fail("no delegate: it is not read back", delegate);
    auto op = read_operator(*entry, std::move(fields), name);
    const NodeId id = graph_.add(std::move(op), name, std::move(inputs), origin);
    set_output_types(line, id, types);
    if (!clamp.empty()) {
      const auto bounds = words(clamp);
      if (bounds.size() != 2) line.fail("two bounds", clamp);
      graph_.set_clamp(id, Clamp{line.number(bounds[0]), line.number(bounds[1])});
    }
    if (!rescale.empty()) graph_.set_rescale(id, parse_rescale(line, rescale));
    for (const ValueId output : graph_.node(id).outputs) names_[graph_.value(output).name] = output;
  }

  const OperatorRegistry& operators_;
  SourceLocation where_;
  Diagnostics findings_;
  Graph graph_;
  std::map<std::string, ValueId> names_;
  std::set<std::string> broken_;
  /// What the line gives a name to.
  std::string declared_;
  std::vector<ValueId> outputs_;
};

}  // namespace

Graph from_text(std::string_view text, const OperatorRegistry& operators, const std::string& file,
                int first_line) {
  return Parser(operators, {file, first_line}).run(text);
}

}  // namespace n2d2::graph
