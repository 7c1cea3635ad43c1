// What carries bytes between the processes of one run? The library of a launcher, or threads in a test.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace n2d2::cluster {

/// Messages between ranks 0 to size() - 1. Those from one rank to another arrive in the order in which they
/// were sent, and have the length that the receiver expects. One thread calls. What fails throws
/// std::runtime_error.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Name of the machine.
  virtual std::string host() const = 0;

  /// Begins to send. The bytes stay unchanged where they are until sent() says that all have gone.
  virtual void send(int to, std::span<const std::byte> bytes) = 0;
  /// Whether all that was sent has gone.
  virtual bool sent() = 0;
  /// Whether the bytes are there. Asked again with the same arguments until they are; receptions from
  /// several ranks may be open.
  virtual bool receive(int from, std::span<std::byte> bytes) = 0;

  /// Whether every rank has called it; asked again until it is so. Nothing is sent afterwards.
  virtual bool leave() = 0;
  /// Ends all processes of the run, this one with the exit code.
  virtual void abort(int code) = 0;
};

}  // namespace n2d2::cluster
