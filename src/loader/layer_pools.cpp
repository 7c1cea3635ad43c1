// How does a Pool or an Unpool section become nodes? By its window, and by the table of its Mapping keys.
#include <algorithm>

#include "n2d2/ops/channel_pool.hpp"
#include "n2d2/ops/unpool.hpp"

#include "layer_builder.hpp"
#include "section_keys.hpp"

namespace n2d2::loader {

namespace {

/// Channels that output o reads.
std::vector<int> sources_of(const ChannelTable& table, int output) {
  std::vector<int> channels;
  for (int c = 0; c < table.channels; ++c)
    if (table.at(c, output)) channels.push_back(c);
  return channels;
}

}  // namespace

bool LayerBuilder::check_pool_mapping() {
  const ChannelTable& table = mapping_.table;
  const auto unit = [&](const char* key) {
    const auto found = b_.ini.find(name_, key);
    return found && parse_integer(found->text) == 1;
  };
  const bool is_unit = unit("Mapping.Size") || unit("Mapping.ChannelsPerGroup");
  if (is_unit && inputs_.size() == 1 && table.channels != table.outputs) {
    error_at("NbOutputs",
             fmt::format("expected {}, one output for each channel, got '{}'", table.channels, nb_outputs_));
    return false;
  }
  int joined = -1;
  for (int o = 0; o < table.outputs; ++o) {
    const std::vector<int> channels = sources_of(table, o);
    if (channels.empty()) {
      error_at("Mapping", fmt::format("output {} reads no channel", o), "'Mapping.Size=1' maps one to one");
      return false;
    }
    int64_t first = 0;
    for (const graph::ValueId input : inputs_) {
      const int64_t end = first + b_.net.graph.value(input).type.shape.c();
      if (channels.front() >= first && channels.front() < end && channels.back() >= end && joined < 0)
        joined = o;
      first = end;
    }
  }
  if (!mapping_.given)
    b_.diagnostics.warn(
        section_->where(),
        fmt::format("[{}] Pool without mapping: each output pools all {} channels", name_, table.channels),
        "'Mapping.Size=1' pools each channel by itself");
  else if (joined >= 0)
    b_.diagnostics.warn(
        section_->where(),
        fmt::format("[{}] Mapping: output {} pools over channels of several inputs together", name_, joined),
        "N2D2 adds what it finds in each of them; 'Mapping(<input>).OffsetX' keeps inputs apart");
  return true;
}

/// Channels that meet in an output are pooled each by itself, then with each other.
void LayerBuilder::add_pool(std::unique_ptr<graph::Operator> op) {
  if (!fits({nb_outputs_, shape().c()})) return;
  map_channels();
  if (!mapping_.valid) return;
  if (is_one_to_one(mapping_.table)) return add_node(std::move(op), name_, {*value_});
  if (!check_pool_mapping()) return;
  auto channels = std::make_unique<ops::ChannelPool>();
  channels->pooling = dynamic_cast<const ops::Pool&>(*op).pooling;
  channels->nb_outputs = nb_outputs_;
  channels->connections = mapping_.table.cells;
  add_node(std::move(op), b_.fresh_name(name_ + "_window"), {*value_});
  add_node(std::move(channels), name_, {*value_});
}

void LayerBuilder::add_unpool(std::unique_ptr<graph::Operator> op) {
  if (!fits({nb_outputs_, shape().c()})) return;
  map_channels();
  if (!mapping_.valid) return;
  if (!is_one_to_one(mapping_.table))
    return error_at(
        "Mapping",
        fmt::format("only output i from channel i is supported for an Unpool ({} channels, {} outputs)",
                    mapping_.table.channels, nb_outputs_),
        "'Mapping.Size=1' maps one to one");
  const auto found = section_->find("ArgMax");
  if (!found) return error_at("ArgMax", "missing, expected the name of a Pool layer");
  const auto node = b_.net.graph.find_node(found->text);
  const auto* pool = node ? graph::as<ops::Pool>(b_.net.graph.node(*node)) : nullptr;
  if (pool == nullptr)
    return error_at("ArgMax", fmt::format("'{}' is no Pool layer above this one", found->text),
                    "the Pool has to map one to one, 'Mapping.Size=1'");
  const auto& unpool = dynamic_cast<const ops::Unpool&>(*op);
  if (pool->kernel != unpool.kernel || pool->stride != unpool.stride || pool->padding != unpool.padding ||
      pool->pooling != unpool.pooling)
    return error_at("ArgMax",
                    fmt::format("expected the PoolDims, Stride, Padding and Pooling of [{}]", found->text));
  const graph::ValueId pooled = b_.net.graph.node(*node).inputs.at(0);
  add_node(std::move(op), name_, {*value_, pooled});
}

void LayerBuilder::add_sub_sample() {
  if (shape().w() % sub_sample_.x != 0 || shape().h() % sub_sample_.y != 0)
    return b_.diagnostics.error(
        section_->where(),
        fmt::format("[{}] SubSample: {}x{} does not divide the {}x{} (width x height) of the convolution",
                    name_, sub_sample_.x, sub_sample_.y, shape().w(), shape().h()),
        "windows at the border that are cut off are known to N2D2, not supported");
  auto mean = std::make_unique<ops::Pool>();
  mean->kernel = mean->stride = sub_sample_;
  mean->pooling = ops::Pooling::Average;
  const graph::NodeId conv = node_;
  add_node(std::move(mean), b_.fresh_name(name_ + "_mean"), {*value_});
  node_ = conv;
}

}  // namespace n2d2::loader
