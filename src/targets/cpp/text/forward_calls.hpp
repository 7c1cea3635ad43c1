// How are the calls of the layers printed, one function a layer, and what propagate() says of each?
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "n2d2/program/schedule.hpp"

#include "parts.hpp"
#include "project_text.hpp"
#include "shared_calls.hpp"

namespace n2d2::targets::cpp {

class ForwardCalls {
 public:
  /// Both outlive it.
  ForwardCalls(const ProjectText& text, const std::vector<PartText>& parts);

  /// Headers of kernels, configs, functions, and the lines of propagate().
  void set_cells(exporter::TemplateData& data) const;
  /// Functions of several layers, in a namespace of their own; "": there are none.
  std::string shared_functions() const;

 private:
  using TemplateData = exporter::TemplateData;
  using Call = program::Call;
  using Cell = program::Cell;
  using Region = program::Region;

  std::set<const Cell*> streamed_cells() const;
  TemplateData::List arguments_of(const Cell& cell, const Call& call, bool is_shared) const;
  std::string calls_text(const Cell& cell) const;
  TemplateData region_data(const Region& region) const;
  std::string made_text(const Region& region, const program::StreamedMap& map) const;
  program::CallId first_of_cells(const Region& region) const;
  bool has_function(const Cell& cell) const;
  std::string cell_call(const Cell& cell) const;
  TemplateData function_data(const Cell& cell) const;
  std::string declaration(const program::View& map, const std::string& name) const;
  std::string part_call_text(program::CallId id) const;
  std::string outputs_text(const Cell& cell, bool done) const;

  const ProjectText& text_;
  const program::Program& program_;
  const std::vector<PartText>& parts_;
  SharedCalls shared_;
  std::map<const Cell*, int> first_index_;  // of the outputs of each cell, in the order of execution
};

}  // namespace n2d2::targets::cpp
