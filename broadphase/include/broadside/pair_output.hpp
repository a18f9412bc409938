// The three kinds of output for a list of pairs.
#pragma once

#include <broadside/list_output.hpp>
#include <broadside/pair_buffer.hpp>

namespace broadside {

/// For callers that filter or forward pairs without storing them. In the order by_algorithm the call holds
/// one block at a time; tasks of the cells algorithm together hold the list, 8 bytes a pair. Canonical order
/// collects the list in the scratch, 4 bytes a pair, with workers 8 more, and takes up to 12 bytes for each
/// pair of some neighbouring boxes to sort those.
using PairSink = ListSink<IndexPair>;
using PairOutput = ListOutput<IndexPair>;

}  // namespace broadside
