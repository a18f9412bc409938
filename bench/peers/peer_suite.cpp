// The list of peers that this build has.
#include "bench/peers/peer_suite.hpp"

#include "bench/suites.hpp"

#include <vector>

namespace broadside::bench {
namespace {

using RegisterRows = void (*)();

// In a function, because the peers of other files are added before main in an order of the linker's.
std::vector<RegisterRows>& suites() {
    static std::vector<RegisterRows> list;
    return list;
}

}  // namespace

PeerSuite::PeerSuite(void (*register_rows)()) { suites().push_back(register_rows); }

void register_peer_benchmarks() {
    for (const RegisterRows register_rows : suites()) register_rows();
}

}  // namespace broadside::bench
