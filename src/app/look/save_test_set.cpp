#include "save_test_set.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/tensor/npy.hpp"

#include "files.hpp"

namespace n2d2::app {

namespace {

constexpr const char* kUnlabelled = "unlabelled";

/// Folders of the labels, the last one that of samples without.
std::vector<std::string> label_folders(const data::Database& database) {
  std::vector<std::string> names = database.labels();
  names.emplace_back(kUnlabelled);
  return file_names(names);
}

}  // namespace

void save_test_set(const loader::Network& net, const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error))
    throw ConfigError("option -save-test-set: the folder is not empty", {folder.string(), 0});
  using data::Partition;
  const std::vector<std::string> labels = label_folders(*net.database);
  const int64_t size = net.data->size(Partition::Test);
  const size_t digits = std::to_string(std::max<int64_t>(0, size - 1)).size();
  Tensor input;
  std::vector<int> label;
  progress::Task task("Writing Test samples", size, "samples");
  for (int64_t i = 0; i < size; ++i) {
    task.at(i);
    net.data->read(Partition::Test, std::span(&i, 1), 0, input, label);
    const std::string& of_label =
        label.front() < 0 ? labels.back() : labels.at(static_cast<size_t>(label.front()));
    write_text(folder / of_label / fmt::format("{:0{}}.npy", i, digits), npy(input));
  }
  log::info("Test samples: {} written to '{}'", size, folder.string());
}

}  // namespace n2d2::app
