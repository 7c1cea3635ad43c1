// Messages of MPI as a library of its own, which the program loads (load.cpp). The C functions alone are
// used, and by one thread.
#include <map>
#include <stdexcept>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "n2d2/cluster/transport.hpp"

namespace {

constexpr int kTag = 1;

/// What MPI says of a failure.
void check(int error) {
  if (error == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(error, text, &length);
  throw std::runtime_error(std::string(text, static_cast<size_t>(length)));
}

class Mpi final : public n2d2::cluster::Transport {
 public:
  Mpi() {
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    if (provided < MPI_THREAD_FUNNELED) throw std::runtime_error("this MPI takes no calls beside threads");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &world_));
    check(MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN));
    check(MPI_Comm_rank(world_, &rank_));
    check(MPI_Comm_size(world_, &size_));
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  ~Mpi() override = default;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string host() const override {
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    check(MPI_Get_processor_name(name, &length));
    return std::string(name, static_cast<size_t>(length));
  }

  void send(int to, std::span<const std::byte> bytes) override {
    MPI_Request& request = sends_.emplace_back();
    check(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, kTag, world_, &request));
  }

  bool sent() override {
    int done = 1;
    if (!sends_.empty())
      check(MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &done, MPI_STATUSES_IGNORE));
    if (done != 0) sends_.clear();
    return done != 0;
  }

  bool receive(int from, std::span<std::byte> bytes) override {
    const auto [found, is_new] = receives_.try_emplace(from);
    if (is_new)
      check(MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, from, kTag, world_,
                      &found->second));
    int done = 0;
    check(MPI_Test(&found->second, &done, MPI_STATUS_IGNORE));
    if (done != 0) receives_.erase(found);
    return done != 0;
  }

  bool leave() override {
    if (!leaving_) check(MPI_Ibarrier(world_, &barrier_));
    leaving_ = true;
    int done = 0;
    check(MPI_Test(&barrier_, &done, MPI_STATUS_IGNORE));
    if (done == 0) return false;
    check(MPI_Comm_free(&world_));
    check(MPI_Finalize());
    return true;
  }

  void abort(int code) override { MPI_Abort(world_, code); }

 private:
  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::vector<MPI_Request> sends_;
  std::map<int, MPI_Request> receives_;  // of each rank that is waited for
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  bool leaving_ = false;
};

}  // namespace

extern "C" const char* n2d2_mpi_version();
extern "C" const char* n2d2_mpi_version() {
  return N2D2_VERSION;
}

extern "C" n2d2::cluster::Transport* n2d2_mpi_start();
extern "C" n2d2::cluster::Transport* n2d2_mpi_start() {
  return new Mpi;
}
