// Answers: what do the tensors of an ONNX model hold, by the definitions of its operators alone?
//
// Judges written models; shares no code with the writer, the importer or the operators of the framework.
// Values are double, loops are naive.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace n2d2::oracle {

struct Array {
  std::vector<int64_t> dims;
  std::vector<double> v;
};
using Arrays = std::map<std::string, Array>;

/// The output of every node. Where `given` holds a tensor that a node makes, what reads it sees the given
/// one: each layer is then judged on its own. std::runtime_error for an operator or attribute that is not
/// known here.
Arrays run_onnx(const ::onnx::ModelProto& model, const Arrays& inputs, const Arrays& given = {});

}  // namespace n2d2::oracle
