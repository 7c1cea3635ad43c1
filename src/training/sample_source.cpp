#include "n2d2/training/sample_source.hpp"

#include <utility>

namespace n2d2::training {

namespace {

class LoaderStream final : public BatchStream {
 public:
  LoaderStream(const data::StimuliProvider& provider, data::Partition partition, std::vector<int64_t> order,
               int64_t batch_size, uint64_t epoch)
      : loader_(provider, partition, std::move(order), batch_size, epoch) {}
  bool next(data::Batch& batch) override { return loader_.next(batch); }

 private:
  data::BatchLoader loader_;
};

}  // namespace

std::unique_ptr<BatchStream> ProviderSource::open(data::Partition partition, std::vector<int64_t> order,
                                                  int64_t batch_size, uint64_t epoch) const {
  return std::make_unique<LoaderStream>(*provider_, partition, std::move(order), batch_size, epoch);
}

}  // namespace n2d2::training
