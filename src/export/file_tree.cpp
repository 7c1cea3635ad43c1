#include "n2d2/export/file_tree.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "n2d2/base/error.hpp"

namespace n2d2::exporter {

namespace fs = std::filesystem;

namespace {

constexpr const char* kManifest = "export_manifest.txt";

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw ExportError("export: " + what, {path.string(), 0});
}

template <class F>
void guarded(const fs::path& path, const std::string& what, F f) {
  try {
    f();
  } catch (const fs::filesystem_error& error) {
    fail(path, what + ": " + error.code().message());
  }
}

std::set<std::string> lines_of(const fs::path& file) {
  std::set<std::string> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) out.insert(line);
  return out;
}

/// Build products are made from the files of the manifest and go with them.
bool is_build_product(const fs::path& relative) {
  const std::string first = relative.begin()->string();
  return first == "build" || first == "bin";
}

}  // namespace

fs::path shipped(const fs::path& folder) {
  std::vector<fs::path> places;
  if (const char* path = std::getenv("N2D2_PATH")) places.emplace_back(path);
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) places.push_back(program.parent_path().parent_path() / "share" / "n2d2");
  places.emplace_back(N2D2_EXPORT_SOURCES);
  std::string tried;
  for (const fs::path& place : places) {
    if (fs::is_directory(place / folder, ignored)) return place / folder;
    tried += (tried.empty() ? "" : ", ") + place.string();
  }
  throw ExportError(fmt::format("export: {} is not installed; looked in {}", folder.generic_string(), tried),
                    {}, "N2D2_PATH names the folder that holds it");
}

fs::path kernel_sources() {
  return shipped("export/CPP/kernels");
}

fs::path export_variants() {
  const fs::path installed = kernel_sources().parent_path() / "variants";
  return fs::exists(installed) ? installed : fs::path(N2D2_EXPORT_GENERATED) / "export" / "CPP" / "variants";
}

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(file, "cannot be read");
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

FileTree::FileTree(fs::path folder) : folder_(std::move(folder)), part_(folder_.string() + ".part") {
  guarded(folder_, "cannot be written", [&] {
    fs::remove_all(part_);
    fs::create_directories(part_);
  });
}

FileTree::~FileTree() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(part_, ignored);
}

fs::path FileTree::reserve(const fs::path& path) {
  const fs::path full = part_ / path;
  guarded(folder_ / path, "cannot be written", [&] { fs::create_directories(full.parent_path()); });
  files_.insert(path.generic_string());
  return full;
}

void FileTree::write(const fs::path& path, std::string_view content) {
  std::ofstream out(reserve(path), std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) fail(folder_ / path, "cannot be written");
}

void FileTree::copy(const fs::path& from, const fs::path& path) {
  if (!fs::is_directory(from)) return write(path, read_file(from));
  std::set<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(from)) entries.insert(entry.path());
  for (const fs::path& entry : entries) copy(entry, path / entry.filename());
}

void FileTree::commit() {
  std::string manifest;
  files_.insert(kManifest);
  for (const std::string& file : files_) manifest += file + "\n";
  write(kManifest, manifest);
  guarded(folder_, "cannot be replaced", [&] {
    const fs::path old = folder_.string() + ".old";
    if (fs::exists(folder_)) {
      const auto generated = lines_of(folder_ / kManifest);
      for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
        const fs::path relative = fs::relative(entry.path(), folder_);
        const bool keep = entry.is_regular_file() && !generated.contains(relative.generic_string()) &&
                          !files_.contains(relative.generic_string()) && !is_build_product(relative);
        if (!keep) continue;
        fs::create_directories((part_ / relative).parent_path());
        fs::copy_file(entry.path(), part_ / relative);
      }
      fs::remove_all(old);
      fs::rename(folder_, old);
    }
    fs::rename(part_, folder_);
    fs::remove_all(old);
  });
  committed_ = true;
}

}  // namespace n2d2::exporter
