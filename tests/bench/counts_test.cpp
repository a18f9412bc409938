// The guard of instruction counts: how it reads callgrind, and how it reports a changed count.
#include "bench/counts/callgrind_output.hpp"
#include "bench/counts/figures.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace broadside::counts;

namespace {

using Lines = std::vector<std::string>;

Figures figures() {
    return {{"a/b/c/1/avx2", {100000, "first"}},
            {"a/b/c/2/avx2", {200000, "first"}},
            {"a/b/c/1/sse2", {300000, "first"}}};
}

}  // namespace

TEST_CASE("a callgrind dump yields its name and the program's own instructions, without those of callees") {
    std::istringstream stream(
        "# callgrind format\nversion: 1\npid: 17\ncmd:  /path/program avx2\npart: 1\n\n"
        "desc: Trigger: Client Request: folder/algorithm/scene/1\n\npositions: line\nevents: Ir\nsummary: "
        "0\n\n"
        "ob=/lib/libc.so.6\nfl=memset.S\nfn=memset\n167 1000000\n\n"
        "ob=/path/program\nfl=a.cpp\nfn=first\n10 5\nfi=b.hpp\n11 7\nfe=a.cpp\n12 1\n"
        "cob=/lib/libc.so.6\ncfi=memset.S\ncfn=memset\ncalls=3 167 \n12 1000000\n13 2\n\n"
        "fl=b.cpp\nfn=second\n0 100\ncfn=first\ncalls=1 10 \n0 15\n0 20\n\n"
        "ob=/path/program2\nfn=third\n1 4000\n\ntotals: 1004135\n");
    const CallgrindDump dump = read_callgrind_dump(stream, "/path/program");
    CHECK(dump.name == "folder/algorithm/scene/1");
    CHECK(dump.instruction_count == 5 + 7 + 1 + 2 + 100 + 20);
}

TEST_CASE("a dump at program termination has no name") {
    std::istringstream stream("desc: Trigger: Program termination\nob=/path/program\nfn=main\n1 3\n");
    CHECK(read_callgrind_dump(stream, "/path/program").name.empty());
}

TEST_CASE("counts within three percent pass, above and below and exactly at the limit") {
    CHECK(compare(figures(), {{"a/b/c/1/avx2", 103000}, {"a/b/c/2/avx2", 194000}}, "avx2") == Lines{});
}

TEST_CASE("a loss and a gain beyond three percent are both reported, with old, new and ratio") {
    CHECK(
        compare(figures(), {{"a/b/c/1/avx2", 103100}, {"a/b/c/2/avx2", 190000}}, "avx2") ==
        Lines{
            "a/b/c/1/avx2: 103100 instructions, were 100000, ratio 1.0310: 3.1 % MORE",
            "a/b/c/2/avx2: 190000 instructions, were 200000, ratio 0.9500: 5.0 % fewer, a gain to be kept"});
}

TEST_CASE(
    "a workload without a figure and a figure without a workload are reported, for the ISA that was "
    "counted") {
    CHECK(compare(figures(), {{"a/b/c/1/avx2", 100000}, {"a/b/new/1/avx2", 5}}, "avx2") ==
          Lines{"a/b/new/1/avx2: 5 instructions, no figure is kept",
                "a/b/c/2/avx2: no workload has this name"});
    CHECK(compare(figures(), {{"a/b/c/1/sse2", 300000}}, "sse2") == Lines{});
}

TEST_CASE(
    "world workloads with margins or single calls are compared with the plain batch of their scene and ISA") {
    const Counts counted = {
        {"broadphase/world_frames/a/1/avx2", 100},     {"broadphase/world_frames/b/1/avx2", 1000},
        {"broadphase/world_frames/a/1/sse2", 200},     {"broadphase/world_margins/a/1/avx2", 125},
        {"broadphase/world_margins/b/1/avx2", 126},    {"broadphase/world_margins/a/1/sse2", 251},
        {"broadphase/world_set_single/a/1/avx2", 126}, {"broadphase/find_pairs/a/1/avx2", 900}};
    CHECK(find_cliffs(counted) ==
          Lines{"broadphase/world_margins/a/1/sse2: 1.255 times the plain batch, at most 1.25",
                "broadphase/world_set_single/a/1/avx2: 1.260 times the plain batch, at most 1.25"});
}

TEST_CASE(
    "new figures carry the reason; figures within the tolerance stay, so that small losses cannot add up") {
    Figures kept = figures();
    update({{"a/b/c/1/avx2", 102000}, {"a/b/new/1/avx2", 5}}, "avx2", "first try", kept);
    REQUIRE(kept.size() == 3);
    CHECK(kept.at("a/b/c/1/avx2").instruction_count == 100000);
    CHECK(kept.at("a/b/c/1/avx2").reason == "first");
    CHECK(kept.at("a/b/new/1/avx2").reason == "first try");
    CHECK(kept.count("a/b/c/2/avx2") == 0);
    CHECK(kept.at("a/b/c/1/sse2").instruction_count == 300000);
    update({{"a/b/c/1/avx2", 104000}, {"a/b/new/1/avx2", 5}}, "avx2", "more work", kept);
    CHECK(kept.at("a/b/c/1/avx2").instruction_count == 104000);
    CHECK(kept.at("a/b/c/1/avx2").reason == "more work");
    CHECK(compare(kept, {{"a/b/c/1/avx2", 104000}, {"a/b/new/1/avx2", 5}}, "avx2") == Lines{});
}
