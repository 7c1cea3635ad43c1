#include "forward_text.hpp"

#include "arena_text.hpp"
#include "forward_calls.hpp"
#include "memory_text.hpp"
#include "region_text.hpp"

namespace n2d2::targets::cpp {

using exporter::TemplateData;
using program::ConfigField;
using program::ConfigFields;
using program::View;

namespace {

class ForwardSource {
 public:
  ForwardSource(const ProjectText& text, const std::vector<PartText>& parts)
      : text_(text), program_(text.program()), parts_(parts), calls_(text, parts) {}

  std::string source() const {
    TemplateData data;
    calls_.set_cells(data);
    data.set("turns", region_functions(text_));
    set_targets(data);
    data.set("configs", driver_configs())
        .set("shared", calls_.shared_functions())
        .set("input_address",
             program_.input_in_arena() && !program_.streams_input() ? text_.address(program_.input()) : "0")
        .set("propagate", propagate_head())
        .set("env_output", env_output());
    set_free_bytes(text_, data);
    set_parts(data);
    data.set_list("memories", arenas_data(text_));
    return text_.fill("forward", std::move(data));
  }

 private:
  void set_targets(TemplateData& data) const {
    TemplateData::List targets;
    int64_t offset = 0;
    for (const Output& target : program_.outputs) {
      const Shape& shape = program_.graph.value(target.value).type.shape;
      targets.push_back(TemplateData()
                            .set("index", static_cast<int64_t>(targets.size()))
                            .set("scores", scores_case(target.value, targets.size()))
                            .set("source", text_.output_name(target.value))
                            .set("offset", offset));
      offset += shape.h() * shape.w();
    }
    data.set_list("targets", std::move(targets));
  }

  /// Nothing for an output that is the caller's input.
  std::string scores_case(graph::ValueId value, size_t index) const {
    const View& map = program_.map_of(value);
    if (map.outside) return "";
    return fmt::format(
        "    case {0}:\n      {2}::scores(ends::target_{0}(), {1}, OUTPUTS_SCALE[{0}], to);\n"
        "      return true;\n",
        index, text_.address(value), text_.network().options.parameters.namespace_name);
  }

  void set_parts(TemplateData& data) const {
    const std::string& name = text_.network().options.parameters.namespace_name;
    data.set("part_functions", part_functions(parts_, name));
    data.set("parts", parts_.empty() ? "" : text_.fill("parts", parts_data(parts_, text_)));
    data.set("release", parts_.empty() ? "{}" : "{ N2D2_CODE::parts::end(N2D2_IN_INSTANCE(arenas_)); }");
    data.set("begin_parts", parts_.empty() ? ""
                                           : fmt::format("  const int begun = parts::begin({});\n"
                                                         "  if (begun != 0) return begun;\n",
                                                         kArenasArgument));
  }

  /// The copy of the caller's input into its place, and the arg-max of each target.
  std::string driver_configs() const {
    const View& input = program_.map_of(program_.input());
    View packed = input;
    packed.pixel = packed.used(), packed.row = packed.w * packed.pixel, packed.ring = 0, packed.turn = 0;
    ConfigFields env = plane_fields("in_", program::plane_of(packed));
    for (const ConfigField& field : out_plane_fields(input)) env.push_back(field);
    env.push_back({"bottom_up", "int", "0"});
    env.push_back({"ordered", "int", "1"});
    env.push_back({"out_offset", "int", "0"});
    std::string out = text_.config("env", env);
    for (size_t t = 0; t < program_.outputs.size(); ++t) {
      const graph::ValueId value = program_.outputs[t].value;
      const TensorType& type = program_.graph.value(value).type;
      ConfigFields fields = plane_fields("in_", program::plane_of(program_.map_of(value)));
      if (type.dtype == DataType::F32)
        fields.push_back({"threshold", "float", "0.0f"});
      else
        fields.push_back({"threshold", "int", std::to_string(single_class_threshold(type))});
      out += text_.config(fmt::format("target_{}", t), fields);
    }
    return out;
  }

  /// Name, parameters and opening of the function that runs the calls; behind that of the whole map where
  /// rows are read.
  std::string propagate_head() const {
    if (!program_.streams_input()) return "propagate(const Input_T* inputs, Target_T* outputs) const {";
    return "propagate(const Input_T* inputs, Target_T* outputs) const {\n"
           "  return propagate_rows(N2D2_CODE::rows_of_map, &inputs, outputs);\n}\n\n"
           "int N2D2_NETWORK::propagate_rows(RowsFn read, void* user, Target_T* outputs) const {";
  }

  std::string env_output() const {
    if (program_.streams_input())
      return fmt::format("  Input_T* const env_output = {};", text_.address(program_.input()));
    const std::string is_there = "  done<ends::env>(0, N2D2_NAME(\"env\"), env_output);";
    return program_.input_in_arena() ? "  Input_T* const env_output = input();\n"
                                       "  if (inputs != env_output) concat_part(ends::env(), Rows{0, "
                                       "ends::env::out_h}, inputs, env_output);\n" +
                                           is_there
                                     : "  const Input_T* const env_output = inputs;\n" + is_there;
  }

  const ProjectText& text_;
  const program::Program& program_;
  const std::vector<PartText>& parts_;
  ForwardCalls calls_;
};

}  // namespace

std::string forward_source(const ProjectText& text, const std::vector<PartText>& parts) {
  return ForwardSource(text, parts).source();
}

std::string instance_source(const ProjectText& text) {
  TemplateData data;
  TemplateData::List targets;
  for (const Output& target : text.program().outputs)
    targets.push_back(TemplateData()
                          .set("index", static_cast<int64_t>(targets.size()))
                          .set("packed", packed_output(text, target.value)));
  set_arenas(text, data);
  return text.fill("instance", data.set_list("targets", std::move(targets)));
}

}  // namespace n2d2::targets::cpp
