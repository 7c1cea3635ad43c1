// What is a part for the rest of the program? A kernel that runs as a whole.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "n2d2/delegates/delegate.hpp"
#include "n2d2/program/kernel.hpp"

namespace n2d2::delegates {

/// The parts of one delegate; blobs by the name of their node.
class PartKernel final : public program::Kernel {
 public:
  PartKernel(std::shared_ptr<const Delegate> delegate,
             std::map<std::string, std::shared_ptr<const Blob>> blobs)
      : delegate_(std::move(delegate)),
        name_("part_" + std::string(delegate_->id())),
        blobs_(std::move(blobs)) {}

  std::string_view name() const override { return name_; }
  std::string_view header() const override { return ""; }
  std::vector<std::string_view> operators() const override { return {"Part"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override;
  program::Contract contract(const graph::Graph& graph, const graph::Node& node) const override;
  std::vector<program::Constant> pack(const graph::Graph&, const graph::Node& node) const override;
  program::Config config(const program::Program&, const program::Call&) const override { return {}; }
  program::HostCall host(const program::Program& program, const program::Call& call) const override;
  program::HostStart host_start(const program::Program& program, const program::Call& call) const override;
  program::HostEnd host_end(const program::Program& program, const program::Call& call) const override;

 private:
  const Blob& blob_of(const graph::Node& node) const { return *blobs_.at(node.name); }

  std::shared_ptr<const Delegate> delegate_;
  std::string name_;
  std::map<std::string, std::shared_ptr<const Blob>> blobs_;
};

}  // namespace n2d2::delegates
