// Listing, querying and forcing the ISA; a wrong BROADSIDE_ISA is tested in a process of its own.
#include "simd/src/shadow.hpp"
#include "tests/support/for_each_isa.hpp"

#include <broadside/config_string.hpp>
#include <broadside/mask4.hpp>
#include <broadside/overlap.hpp>

#include <algorithm>
#include <string>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("scalar is always built and supported, and every supported ISA is built") {
    const auto built = built_isas();
    const auto supported = supported_isas();
    CHECK(built.front() == Isa::scalar);
    CHECK(supported.front() == Isa::scalar);
    for (const Isa isa : supported) CHECK(std::find(built.begin(), built.end(), isa) != built.end());
    CHECK(std::is_sorted(supported.begin(), supported.end()));
}

TEST_CASE("ISA names convert both ways, and nothing else is a name") {
    for (const Isa isa : {Isa::scalar, Isa::sse2, Isa::avx2, Isa::avx512, Isa::neon64, Isa::wasm128}) {
        CHECK(find_isa(isa_name(isa)) == isa);
    }
    for (const char* name : {"", "AVX2", "avx", "avx2 ", "sse4", "scalars"})
        CHECK_FALSE(find_isa(name).has_value());
    CHECK_FALSE(find_isa(nullptr).has_value());
    CHECK(std::string(isa_name(static_cast<Isa>(77))) == "unknown");
}

TEST_CASE("an ISA that cannot run here is refused, and the active one stays") {
    const std::optional<Isa> before = active_isa();
    REQUIRE(before.has_value());
    for (const Isa isa : {Isa::scalar, Isa::sse2, Isa::avx2, Isa::avx512, Isa::neon64, Isa::wasm128}) {
        const auto supported = supported_isas();
        if (std::find(supported.begin(), supported.end(), isa) != supported.end()) continue;
        CHECK(set_active_isa(isa) == Status::unsupported_isa);
        CHECK(active_isa() == before);
    }
    CHECK(set_active_isa(static_cast<Isa>(99)) == Status::unsupported_isa);
}

TEST_CASE("config_string names the version, the built ISAs and the active one") {
    for_each_isa([](Isa isa) {
        const std::string config = config_string();
        CHECK(config.find("broadside 0.") == 0);
        CHECK(config.find(std::string("active: ") + isa_name(isa)) != std::string::npos);
        for (const Isa built : built_isas()) CHECK(config.find(isa_name(built)) != std::string::npos);
    });
}

TEST_CASE("Mask4 tests only the lanes that it is given") {
    for (std::uint8_t bits = 0; bits < 16; ++bits) {
        const Mask4 mask{bits};
        CHECK(any(mask) == (bits != 0));
        CHECK(all(mask) == (bits == 15));
        CHECK(none(mask) == (bits == 0));
        CHECK(any(mask, kMaskXyz) == ((bits & 7) != 0));
        CHECK(all(mask, kMaskXyz) == ((bits & 7) == 7));
        CHECK(none(mask, kMaskXyz) == ((bits & 7) == 0));
        CHECK((~mask).bits == (~bits & 15));
        for (unsigned lane = 0; lane < 4; ++lane) CHECK(has_lane(mask, lane) == ((bits >> lane & 1) != 0));
        for (std::uint8_t other = 0; other < 16; ++other) {
            CHECK((mask & Mask4{other}).bits == (bits & other));
            CHECK((mask | Mask4{other}).bits == (bits | other));
        }
    }
}

// Run by a test of its own with BROADSIDE_ISA set to something that is not an ISA; skipped in the ordinary
// run.
TEST_CASE("a wrong BROADSIDE_ISA makes batch calls return unsupported_isa until an ISA is set" *
          doctest::skip()) {
    CHECK_FALSE(active_isa().has_value());
    CHECK(isa_error().find("BROADSIDE_ISA=") == 0);
    CHECK(isa_error().find('\n') == std::string::npos);
    CHECK(config_string().find("active: none") != std::string::npos);
    const float zero = 0.0f;
    std::uint64_t bits = 77;
    const BoxSoaView box = {&zero, &zero, &zero, &zero, &zero, &zero, 1};
    CHECK(overlaps(box[0], box, {&bits, 1}).status == Status::unsupported_isa);
    CHECK(bits == 77);
    CHECK(set_active_isa(Isa::scalar) == Status::ok);
    CHECK(isa_error().empty());
    CHECK(overlaps(box[0], box, {&bits, 1}).status == Status::ok);
    CHECK(bits == 1);
}

#if !BROADSIDE_HAS_SHADOW
TEST_CASE("a build without shadow verification does not start one, and counts nothing") {
    CHECK_FALSE(start_shadow());
    stop_shadow();
    CHECK(shadow_counts().call_count == 0);
}
#endif
