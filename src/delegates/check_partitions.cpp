#include <algorithm>
#include <map>

#include "n2d2/delegates/partition.hpp"

namespace n2d2::delegates {

namespace {

/// A region with where it comes from.
struct Claim {
  std::string delegate;
  size_t index = 0;
  NodeSet nodes;
  bool is_sound = true;  ///< nothing was found yet

  bool holds(graph::NodeId id) const { return nodes.contains(id); }
};

class Check {
 public:
  Check(const graph::Graph& graph, std::span<const Partition> partitions, const std::string& subject,
        Diagnostics& findings)
      : graph_(graph), subject_(subject), findings_(findings) {
    const std::vector<graph::NodeId> known = graph.nodes();
    known_.insert(known.begin(), known.end());
    for (const Partition& partition : partitions)
      for (size_t r = 0; r < partition.regions.size(); ++r)
        claims_.push_back({partition.delegate, r, partition.regions[r]});
  }

  void run() {
    for (Claim& claim : claims_) find_strangers(claim);
    find_shared();
    for (Claim& claim : claims_) {
      if (!claim.is_sound) continue;
      find_pieces(claim);
      find_return(claim);
    }
    find_rings();
  }

 private:
  void refuse(Claim& claim, const SourceLocation& where, const std::string& what,
              const std::string& hint = {}) {
    claim.is_sound = false;
    findings_.error(
        where, fmt::format("{}: delegate '{}': region {} {}", subject_, claim.delegate, claim.index, what),
        hint);
  }

  std::string named(graph::NodeId id) const { return "[" + graph_.node(id).name + "]"; }
  std::string named(const NodeSet& nodes) const {
    std::vector<std::string> names;
    for (const graph::NodeId id : nodes) names.push_back(named(id));
    return join(names, ", ");
  }

  void find_strangers(Claim& claim) {
    if (claim.nodes.empty()) refuse(claim, {}, "is empty");
    for (const graph::NodeId id : claim.nodes)
      if (!known_.contains(id)) refuse(claim, {}, fmt::format("names node {}, which is not there", id.index));
  }

  void find_shared() {
    std::map<graph::NodeId, Claim*> owner;
    for (Claim& claim : claims_) {
      for (const graph::NodeId id : claim.nodes) {
        const auto [at, fresh] = owner.try_emplace(id, &claim);
        if (fresh || !known_.contains(id)) continue;
        Claim& other = *at->second;
        refuse(claim, graph_.node(id).origin,
               fmt::format("takes {}, which region {} of '{}' has taken", named(id), other.index,
                           other.delegate));
        other.is_sound = false;
      }
    }
  }

  /// Nodes hang together by the values they make for each other or read alike.
  void find_pieces(Claim& claim) {
    NodeSet reached{*claim.nodes.begin()};
    std::vector<graph::NodeId> open(reached.begin(), reached.end());
    const auto visit = [&](graph::NodeId id) {
      if (id && claim.holds(id) && reached.insert(id).second) open.push_back(id);
    };
    while (!open.empty()) {
      const graph::Node& node = graph_.node(open.back());
      open.pop_back();
      for (const auto* values : {&node.inputs, &node.outputs})
        for (const graph::ValueId id : *values) {
          const graph::Value& value = graph_.value(id);
          if (value.is_constant()) continue;
          visit(value.producer);
          for (const graph::Use& use : value.uses) visit(use.node);
        }
    }
    if (reached.size() == claim.nodes.size()) return;
    NodeSet rest;
    std::set_difference(claim.nodes.begin(), claim.nodes.end(), reached.begin(), reached.end(),
                        std::inserter(rest, rest.end()));
    refuse(claim, graph_.node(*rest.begin()).origin,
           fmt::format("is in pieces: nothing joins {} to {}", named(reached), named(rest)));
  }

  /// Nodes outside that a path reaches which has left the claim; each with the node before it.
  std::map<graph::NodeId, graph::NodeId> beyond(const Claim& claim) const {
    std::map<graph::NodeId, graph::NodeId> before;
    std::vector<graph::NodeId> open(claim.nodes.begin(), claim.nodes.end());
    while (!open.empty()) {
      const graph::NodeId id = open.back();
      open.pop_back();
      for (const graph::ValueId output : graph_.node(id).outputs)
        for (const graph::Use& use : graph_.value(output).uses)
          if (!claim.holds(use.node) && before.try_emplace(use.node, id).second) open.push_back(use.node);
    }
    return before;
  }

  void find_return(Claim& claim) {
    const auto before = beyond(claim);
    for (const graph::NodeId id : claim.nodes)
      for (const graph::ValueId input : graph_.node(id).inputs) {
        const graph::NodeId producer = graph_.value(input).producer;
        if (!producer || !before.contains(producer)) continue;
        std::string path = named(id);
        graph::NodeId at = producer;
        for (; !claim.holds(at); at = before.at(at)) path = named(at) + ", " + path;
        return refuse(claim, graph_.node(id).origin,
                      fmt::format("is left and entered again: {}, {}", named(at), path));
      }
  }

  /// The sound regions that a path reaches from one of them, each entered region with all its nodes.
  std::vector<bool> reached_from(const Claim& start) const {
    std::vector<bool> out(claims_.size(), false);
    NodeSet seen;
    std::vector<graph::NodeId> open(start.nodes.begin(), start.nodes.end());
    while (!open.empty()) {
      const graph::NodeId id = open.back();
      open.pop_back();
      for (const graph::ValueId output : graph_.node(id).outputs)
        for (const graph::Use& use : graph_.value(output).uses) {
          if (start.holds(use.node) || !seen.insert(use.node).second) continue;
          open.push_back(use.node);
          for (size_t c = 0; c < claims_.size(); ++c) {
            if (!claims_[c].is_sound || out[c] || !claims_[c].holds(use.node)) continue;
            out[c] = true;
            open.insert(open.end(), claims_[c].nodes.begin(), claims_[c].nodes.end());
          }
        }
    }
    return out;
  }

  void find_rings() {
    std::vector<std::vector<bool>> reaches;
    for (const Claim& claim : claims_)
      reaches.push_back(claim.is_sound ? reached_from(claim) : std::vector<bool>(claims_.size(), false));
    std::vector<bool> told(claims_.size(), false);
    for (size_t a = 0; a < claims_.size(); ++a) {
      std::string others;
      for (size_t b = a + 1; b < claims_.size(); ++b) {
        if (told[b] || !reaches[a][b] || !reaches[b][a]) continue;
        told[b] = true;
        others += fmt::format("{}region {} of '{}' ({})", others.empty() ? "" : ", ", claims_[b].index,
                              claims_[b].delegate, named(claims_[b].nodes));
      }
      if (!others.empty() && !told[a])
        refuse(claims_[a], graph_.node(*claims_[a].nodes.begin()).origin,
               fmt::format("({}) waits for values that wait for it, by {}", named(claims_[a].nodes), others));
    }
  }

  const graph::Graph& graph_;
  const std::string& subject_;
  Diagnostics& findings_;
  NodeSet known_;
  std::vector<Claim> claims_;
};

}  // namespace

void check_partitions(const graph::Graph& graph, std::span<const Partition> partitions,
                      const std::string& subject, Diagnostics& findings) {
  Check(graph, partitions, subject, findings).run();
}

}  // namespace n2d2::delegates
