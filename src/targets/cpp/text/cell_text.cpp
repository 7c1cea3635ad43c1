#include "cell_text.hpp"

#include "n2d2/export/identifiers.hpp"

#include "../kernels/pack_weights.hpp"

namespace n2d2::targets::cpp {

using exporter::TemplateData;
using program::Call;
using program::Cell;

namespace {

/// The configs of a call.
std::string configs_of(const ProjectText& text, const Cell& cell, const Call& call) {
  const program::Config config = call.kernel->config(text.program(), call);
  std::string out = text.config(config_name(cell, call.suffix), config.fields);
  for (size_t i = 0; i < config.of_inputs.size(); ++i)
    out += text.config(operand_name(cell, call, i), config.of_inputs[i]);
  return out;
}

/// The configs of each call, or of its steps, and one that says where the output lies if no call is the whole
/// cell.
std::string configs_of(const ProjectText& text, const Cell& cell) {
  const program::Program& program = text.program();
  std::string out;
  bool is_whole = false;
  for (const program::CallId id : cell.calls) {
    const Call& call = program.call(id);
    if (call.contract.opaque) continue;
    if (!call.is_loop_nest()) {
      is_whole = is_whole || call.suffix.empty();
      out += configs_of(text, cell, call);
    }
    for (const Call& step : call.steps) out += configs_of(text, cell, step);
  }
  for (size_t i = is_whole ? 1 : 0; i < cell.outputs.size(); ++i)
    out += text.config(cell.output_identifiers.at(i) + "_config",
                       out_plane_fields(program.view(cell.outputs.at(i))));
  return out;
}

/// Kernels of a platform read bytes as words.
TemplateData parameter_data(const ProjectText& text, const Cell& cell, const program::Constant& constant) {
  const program::Storage storage = constant.storage;
  const bool is_packed = constant.packed != nullptr, is_narrow = storage.is_narrow();
  const Tensor rows = !is_narrow        ? Tensor()
                      : constant.fields ? *constant.fields
                                        : narrow_rows(*constant.data, storage);
  const Tensor groups = is_narrow && is_packed ? narrow_groups(*constant.packed, storage) : Tensor();
  const Tensor& data = is_narrow ? rows : *constant.data;
  const Tensor& packed = is_narrow ? groups : is_packed ? *constant.packed : data;
  const bool of_words =
      text.network().options.platform.kernels != nullptr && constant.data->dtype() == DataType::I8;
  return TemplateData()
      .set_switch("packed", is_packed)
      .set("packed_count", is_packed ? packed.elements() : 0)
      .set("packed_values", is_packed ? elements_of(packed) : "")
      .set("type", element_type(data.dtype()))
      .set("array", array_name(cell, constant))
      .set("count", data.elements())
      .set("held", is_narrow ? fmt::format("// Weights of {} bits{}.\n", storage.bits,
                                           constant.fields ? "" : ": narrow.hpp")
                             : "")
      .set("alignment",
           constant.role == "blob" || of_words ? fmt::format("alignas({}) ", kAlignmentOfWords) : "")
      .set("section", constant.is_bias ? "N2D2_SECTION_NN_BIASSES" : "N2D2_SECTION_NN_WEIGHTS")
      .set("values", elements_of(data));
}

}  // namespace

CellText cell_text(const ProjectText& text, const Cell& cell) {
  TemplateData::List parameters;
  bool any_packed = false;
  for (const program::Constant& constant : text.constants_of(cell)) {
    parameters.push_back(parameter_data(text, cell, constant));
    any_packed = any_packed || constant.packed != nullptr;
  }
  const bool has_source = !parameters.empty();
  TemplateData data;
  data.set("cell", exporter::quoted_name(cell.name))
      .set("identifier", cell.identifier)
      .set("configs", configs_of(text, cell))
      .set_switch("any_packed", any_packed);
  data.set_list("parameters", std::move(parameters));
  return {text.fill("cell", data), has_source ? text.fill("parameters", data) : ""};
}

}  // namespace n2d2::targets::cpp
