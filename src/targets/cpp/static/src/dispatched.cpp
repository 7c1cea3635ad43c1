// An instruction set's network for dispatch.cpp. Part of an exported project; may be used without condition.
//
// `make DISPATCH=1` compiles it once for each of them with N2D2_DISPATCHED=<its name> and, as the cells and
// forward.cpp, with another name for the namespace.
#if defined(N2D2_DISPATCHED)
#include "../include/Network.hpp"
#include "../include/dispatch_table.hpp"

#define N2D2_JOINED_NAME(first, second) first##second
#define N2D2_JOINED(first, second) N2D2_JOINED_NAME(first, second)

namespace N2D2_Export {
namespace {

void watch(Network& network, N2D2_Export_dump_t dump, void* dump_user, N2D2_Export_time_t time,
           void* time_user) {
#ifdef N2D2_NO_CALLBACKS
  (void)network, (void)dump, (void)dump_user, (void)time, (void)time_user;
#else
  network.set_dump(dump, dump_user);
  network.set_time(time, time_user);
#endif
}

int propagate(const void* inputs, int32_t* outputs, N2D2_Export_dump_t dump, void* dump_user,
              N2D2_Export_time_t time, void* time_user) {
  Network network;
  watch(network, dump, dump_user, time, time_user);
  return network.propagate(static_cast<const Input_T*>(inputs), outputs);
}

// Names propagate_rows() only where it exists.
template <bool streams>
struct Reading {
  static int propagate(const Network& network, RowsFn read, void* user, Target_T* outputs) {
    return network.propagate_rows(read, user, outputs);
  }
};
template <>
struct Reading<false> {
  static int propagate(const Network&, RowsFn, void*, Target_T*) { return -1; }  // never called
};

int propagate_rows(N2D2_Export_any_function_t read, void* user, int32_t* outputs, N2D2_Export_dump_t dump,
                   void* dump_user, N2D2_Export_time_t time, void* time_user) {
  Network network;
  watch(network, dump, dump_user, time, time_user);
  return Reading<ENV_STREAM_INPUT != 0>::propagate(network, reinterpret_cast<RowsFn>(read), user, outputs);
}

int scores(int target, float* to) {
  return Network().scores(target, to) ? 1 : 0;
}

void* input() {
  return Network().input();
}

int memory_intact() {
#ifdef CHECK_MEMORY
  return Network::memory_intact() ? 1 : 0;
#else
  return 1;
#endif
}

}  // namespace
}  // namespace N2D2_Export

extern "C" const N2D2_Export_dispatched_t N2D2_JOINED(N2D2_Export_on_, N2D2_DISPATCHED) = {
    N2D2_Export::propagate, N2D2_Export::propagate_rows,   N2D2_Export::scores,
    N2D2_Export::input,     N2D2_Export::Network::release, N2D2_Export::memory_intact};
#endif
