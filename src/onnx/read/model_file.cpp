#include <algorithm>
#include <filesystem>

#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx_pb.h>

#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/graph/size_limit.hpp"

#include "clean_names.hpp"
#include "dialects.hpp"
#include "element_types.hpp"
#include "external_data.hpp"
#include "file.hpp"
#include "integer_chains.hpp"
#include "node_reader.hpp"
#include "requant_shift.hpp"
#include "tensor_proto.hpp"

namespace n2d2::onnx {

namespace {

constexpr int kOldestOpset = 1, kNewestOpset = 25;
constexpr int64_t kLargestFile = int64_t{1} << 30;

/// Reads one file's message, finding by finding.
/// Types of more than 16 bits, and truth values.
bool holds_integers(int64_t type) {
  using Types = ::onnx::TensorProto;
  return type == Types::INT32 || type == Types::INT64 || type == Types::UINT32 || type == Types::UINT64 ||
         type == Types::BOOL;
}

class Reader {
 public:
  /// `folder`: that of tensors in other files.
  Reader(const ::onnx::ModelProto& model, std::string path, std::optional<std::filesystem::path> folder)
      : model_(model), files_(std::move(folder)) {
    file_->path = std::move(path);
  }

  std::shared_ptr<const File> read() {
    read_opset();
    if (!model_.has_graph() || model_.graph().node_size() == 0)
      error("the file holds no graph with nodes", "is it an ONNX model?");
    read_initializers();
    read_inputs();
    for (const auto& value : model_.graph().value_info()) read_declared(value);
    for (const auto& output : model_.graph().output()) file_->outputs.push_back(output.name());
    if (file_->outputs.empty() && model_.graph().node_size() > 0) error("the graph has no output");
    file_->nodes = NodeReader(model_, file_->opset, files_, {file_->path, 0}, findings_).read();
    write_out();
    if (!findings_.has_errors()) order_nodes(*file_, findings_);
    findings_.finish<ModelError>();
    give_rows_a_batch(*file_);
    end_at_scores(*file_);
    read_integers();
    find_layouts(*file_);
    return file_;
  }

 private:
  void error(std::string message, std::string hint = {}) {
    findings_.error({file_->path, 0}, std::move(message), std::move(hint));
  }
  void error(const std::string& subject, const ModelError& error) {
    const Diagnostic& finding = error.findings().front();
    findings_.error({file_->path, 0}, subject + finding.message, finding.hint);
  }

  void write_out() {
    try {
      file_->nodes = written_out(std::move(file_->nodes), file_->outputs);
    } catch (const ModelError& e) {
      error("", e);
    }
  }

  void read_integers() {
    try {
      write_out_requant_shifts(*file_);
    } catch (const ModelError& e) {
      error("", e);
      findings_.finish<ModelError>();
    }
    compose_integer_chains(*file_);
  }

  void read_opset() {
    std::optional<int64_t> opset = default_opset(model_.opset_import());
    constexpr int64_t kFirstWithSets = 3;
    if (model_.opset_import().empty() && model_.ir_version() < kFirstWithSets) opset = 1;
    if (!opset) return error("the file does not say its operator set (opset_import)");
    file_->opset = *opset;
    check_opset(*opset, "");
    for (const auto& function : model_.functions())
      if (const auto own = default_opset(function.opset_import()); own && *own != *opset)
        check_opset(*own, fmt::format("function '{}': ", function.name()));
  }

  void check_opset(int64_t opset, const std::string& of) {
    if (opset >= kOldestOpset && opset <= kNewestOpset) return;
    error(fmt::format("{}operator set {} is not read, expected {} to {}", of, opset, kOldestOpset,
                      kNewestOpset),
          "convert the model to operator set 13 (onnx.version_converter)");
  }

  void read_initializers() {
    if (model_.graph().sparse_initializer_size() > 0)
      error("sparse initializers are not read", "store them dense");
    for (const auto& tensor : model_.graph().initializer()) {
      try {
        const bool fresh =
            file_->initializers.emplace(tensor.name(), std::make_shared<Array>(read_tensor(tensor, files_)))
                .second;
        if (!fresh) error(fmt::format("initializer '{}' is there twice", tensor.name()));
      } catch (const ModelError& e) {
        file_->initializers.emplace(tensor.name(), nullptr);
        error("", e);
      }
    }
  }

  void read_inputs() {
    for (const auto& input : model_.graph().input()) {
      if (file_->initializers.contains(input.name())) continue;
      GraphInput read{input.name(), {}};
      if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) {
        error(fmt::format("input '{}' has no declared extents", input.name()),
              "give every input its extents");
        continue;
      }
      for (const auto& dim : input.type().tensor_type().shape().dim())
        read.dims.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
      read.grid = grid_of_type(input.type().tensor_type().elem_type());
      read.holds_integers = read.grid.has_value() || holds_integers(input.type().tensor_type().elem_type());
      file_->inputs.push_back(std::move(read));
    }
  }

  void read_declared(const ::onnx::ValueInfoProto& value) {
    if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return;
    Extents dims;
    for (const auto& dim : value.type().tensor_type().shape().dim())
      dims.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
    // Some files name a tensor twice.
    file_->declared[value.name()] = {std::move(dims), grid_of_type(value.type().tensor_type().elem_type())};
  }

  const ::onnx::ModelProto& model_;
  ExternalData files_;
  std::shared_ptr<File> file_ = std::make_shared<File>();
  Diagnostics findings_;
};

}  // namespace

std::optional<Grid> grid_of_type(int64_t type) {
  const std::optional<NarrowType> narrow = narrow_type(type);
  if (!narrow) return std::nullopt;
  return Grid{{1}, {0}, narrow->lowest(), narrow->highest()};
}

bool is_domain_of_qonnx(std::string_view domain) {
  return domain == "qonnx.custom_op.general" || domain == "onnx.brevitas" ||
         domain == "finn.custom_op.general";
}

const std::string& FileNode::label() const {
  if (!name.empty()) return name;
  for (const std::string& output : outputs)
    if (!output.empty()) return output;
  return type;
}

std::string FileNode::subject() const {
  return fmt::format("node '{}' ({})", label(), domain.empty() ? type : domain + "." + type);
}

const std::vector<GraphInput>& Model::inputs() const {
  return file_->inputs;
}

const std::vector<std::string>& Model::outputs() const {
  return file_->outputs;
}

const std::vector<std::string>& Model::scores() const {
  return file_->scores;
}

std::vector<std::string> Model::tensors() const {
  std::vector<std::string> names;
  for (const FileNode& node : file_->nodes)
    std::copy_if(node.outputs.begin(), node.outputs.end(), std::back_inserter(names),
                 [](const std::string& name) { return !name.empty(); });
  return names;
}

int newest_opset() {
  return kNewestOpset;
}

namespace {

::onnx::ModelProto message_of(std::string_view bytes, const std::string& path) {
  if (static_cast<int64_t>(bytes.size()) > kLargestFile)
    throw ModelError("the file is larger than 1 GiB", {path, 0});
  ::onnx::ModelProto model;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    throw ModelError("not an ONNX file, or a truncated or corrupt one (it is no Protobuf message)", {path, 0},
                     "was it fetched with Git LFS, or cut off while it was copied?");
  return model;
}

Model read(::onnx::ModelProto model, const std::string& path, std::optional<std::filesystem::path> folder) {
  if (const auto nodes = static_cast<size_t>(model.graph().node_size()); nodes > graph::kMostNodes)
    throw ModelError(fmt::format("the graph has {} nodes, at most {} are read", nodes, graph::kMostNodes),
                     {path, 0},
                     "fold its constants (onnxsim), or cut out the part that is to run on the target");
  if (const int64_t changed = clean_names(*model.mutable_graph()); changed > 0)
    log::notice("{}: {} names with control characters or of more than 200 bytes are changed", path, changed);
  return Model(Reader(model, path, std::move(folder)).read());
}

}  // namespace

Model parse_model(std::string_view bytes, const std::string& path) {
  return read(message_of(bytes, path), path, std::nullopt);
}

Model read_model(const std::string& path) {
  // The bytes are gone before tensors are made of the message: a file may be a quarter of all memory.
  const auto message = [&] {
    try {
      return message_of(read_regular_file(path, kLargestFile), path);
    } catch (const FileError& error) {
      throw ModelError(error.reason, {path, 0});
    }
  };
  return read(message(), path, std::filesystem::path(path).parent_path());
}

}  // namespace n2d2::onnx
