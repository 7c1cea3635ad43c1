#include "readme.hpp"

namespace n2d2::targets::onnx {

namespace {

using n2d2::onnx::Form;

std::string shape_text(const Shape& shape) {
  return fmt::format("N x {} x {} x {}", shape.c(), shape.h(), shape.w());
}

const char* form_text(Form form) {
  switch (form) {
    case Form::Float:
      return "The network in float32.";
    case Form::Qdq:
      return "The integer network in QDQ form: weights are int8, biases int32, and every activation goes "
             "through\n"
             "QuantizeLinear and DequantizeLinear as uint8, with a zero point where it can be negative, "
             "else "
             "0. A runtime\n"
             "may replace the pairs and what lies between them by integer kernels.";
    case Form::FakeQuantization:
      return "The integer network in float operators: parameters and activations are whole numbers.";
  }
  return "";
}

std::string input_text(const graph::Value& value) {
  std::string out = fmt::format("- input `{}`: float32, {}", value.name, shape_text(value.type.shape));
  if (!value.type.quant) return out + "\n";
  const QuantParams& quant = *value.type.quant;
  const double scale = quant.scale.at(0);
  return out + fmt::format(
                   "; the model itself rounds it to {} {}-bit integers of scale {}, so that it\n"
                   "  holds values from {} to {}\n",
                   quant.is_signed ? "signed" : "unsigned", quant.bits, print_real(quant.scale.at(0)),
                   print_real(static_cast<float>(static_cast<double>(quant.lowest()) * scale)),
                   print_real(static_cast<float>(static_cast<double>(quant.highest()) * scale)));
}

std::string output_text(const graph::Graph& graph, const Output& output) {
  const graph::Value& value = graph.value(output.value);
  std::string out = fmt::format("- output `{}`: float32, {}; target [{}]", value.name,
                                shape_text(value.type.shape), output.section);
  if (value.type.quant) out += fmt::format(", steps of {}", print_real(value.type.quant->scale.at(0)));
  return out + "\n";
}

}  // namespace

std::string readme(const graph::Graph& graph, std::span<const Output> outputs, Form form, int opset) {
  std::string out = fmt::format("# model.onnx\n\n{}\n\n", form_text(form));
  if (form == Form::Qdq && opset >= n2d2::onnx::kWrittenOpsetOfFewBits)
    out +=
        "Weights of 4 bits and less are int4. Values of more than 8 bits are int16 or uint16 with zero point "
        "0; biases\nbeside them are float32.\n\n";
  for (const graph::ValueId id : graph.inputs()) out += input_text(graph.value(id));
  for (const Output& output : outputs) out += output_text(graph, output);
  out += fmt::format(
      "\nN, the batch, is open; an output whose map is one pixel may come without its last two axes. The "
      "input is what\n"
      "the transformations of the data leave (statistics/transformations/transformations.dot): stimuli/*.npy "
      "are such\n"
      "inputs, and stimuli.list names them with their class (`input` where the input is what is wanted) and "
      "their source.\n\n"
      "```python\n"
      "import numpy, onnxruntime\n"
      "session = onnxruntime.InferenceSession(\"model.onnx\")\n"
      "for line in open(\"stimuli.list\"):\n"
      "    path, label, name = line.split(maxsplit=2)\n"
      "    scores = session.run(None, {{\"{}\": numpy.load(path)}})[0]\n"
      "    print(label, scores.reshape(scores.shape[1], -1)[:, 0].argmax())\n"
      "```\n\n"
      "Operator set {}. What n2d2 computes{}: reference/output_<target>.npy, the outputs for all stimuli;\n"
      "reference/<stimulus>/*.npy, the values of every layer for the first of them, in reference/tensors.txt "
      "under the\n"
      "names of the tensors of the model. ReferenceStimuli of the export parameters counts them.\n",
      graph.value(graph.inputs().at(0)).name, opset, form == Form::Float ? "" : " in integers");
  return out;
}

}  // namespace n2d2::targets::onnx
