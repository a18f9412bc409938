// How a peer's file makes itself known: each is compiled only where its library is installed.
#pragma once

namespace broadside::bench {

/// One of these at namespace scope in each file of peers; `register_rows` is called by register_peer_benchmarks.
class PeerSuite {
public:
    explicit PeerSuite(void (*register_rows)());
};

}  // namespace broadside::bench
