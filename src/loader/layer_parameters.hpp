// How do the weights of a layer start, and how do they learn? Filler and solver keys of its sections.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "builder.hpp"

namespace n2d2::loader {

/// One layer's sections, as fillers and solvers read them.
struct ParameterKeys {
  Builder& builder;
  std::string layer;
  std::vector<std::string> configs;
};

/// `<key>=<type>` and `<key>.X` of the layer section; the default filler when the key is not there. Null
/// after an error.
std::unique_ptr<training::Filler> read_filler(const ParameterKeys& keys, const std::string& key);

/// The solver of one parameter: `Solvers` and `key` ("WeightsSolver") choose it in the
/// layer section, their `.X` and then those of the config sections set its parameters. Null after an error.
std::unique_ptr<training::Solver> read_solver(const ParameterKeys& keys, const std::string& key);

/// The solver of what a quantizer learns: `key` ("QWeightSolver") chooses it, its `.X` set its parameters,
/// those of the config sections last. `Solvers` says nothing to it. Null after an error.
std::unique_ptr<training::Solver> read_own_solver(const ParameterKeys& keys, const std::string& key);

/// A filler that gives every element this value.
std::unique_ptr<training::Filler> constant_filler(const std::string& value);

}  // namespace n2d2::loader
