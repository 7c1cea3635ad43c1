// What does the network see of the Test samples? `-save-test-set` writes it.
#pragma once

#include <filesystem>

#include "n2d2/loader/network.hpp"

namespace n2d2::app {

/// Writes every Test sample after all transformations, as float32 1,C,H,W in
/// `<folder>/<label>/<position>.npy`, which is what DIR_Database and -test-dir read; samples without a label
/// are in `<folder>/unlabelled`. ConfigError: the folder holds something already, or a file cannot be
/// written.
void save_test_set(const loader::Network& net, const std::filesystem::path& folder);

}  // namespace n2d2::app
