// Which instruction sets is a hot loop compiled for? N2D2_CLONES before a function: the widest one is picked
// at start.
#pragma once

// Sanitizers do not stand the dispatch before main that clones need.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define N2D2_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define N2D2_CLONES
#endif
