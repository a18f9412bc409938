// Shadow verification catches a deliberately broken kernel, prints a test that shows it, and finds nothing in
// correct ones.
#include "broadphase/src/find_pairs/shadow.hpp"
#include "tests/stage/stage_scene.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/shadow_case.hpp"

#include <broadside/broadside.hpp>
#include <broadside/tbb_task_runner.hpp>

#include <fstream>
#include <sstream>

using namespace broadside;
using namespace broadside::test;

namespace {

using narrowphase::ObbObbKernels;
using narrowphase::OverlapKernels;

struct Report {
    std::string call;
    std::string output;
    std::size_t index;
    std::string text;
};

// Verifies for a scope, and keeps the reports.
class Verification {
public:
    explicit Verification(std::uint32_t one_in = 1, std::size_t brute_force_max_count = 1024) {
        stop_shadow();
        ShadowSettings settings;
        settings.one_in = one_in;
        settings.brute_force_max_count = brute_force_max_count;
        settings.report = &keep;
        settings.user = this;
        REQUIRE(start_shadow(settings));
    }
    ~Verification() { stop_shadow(); }

    std::vector<Report> reports;

private:
    static void keep(const ShadowFinding& finding, void* user) noexcept {
        static_cast<Verification*>(user)->reports.push_back(
            {finding.call, finding.output, finding.index, finding.text});
    }
};

// Verifies these kernels instead of those of the active ISA.
template <class Kernels>
class Subject {
public:
    explicit Subject(const Kernels& kernels) { simd::shadow::shadow_subject<Kernels> = &kernels; }
    ~Subject() { simd::shadow::shadow_subject<Kernels> = nullptr; }
};

std::string text_of_file(const char* path) {
    std::ifstream file(source_folder() / path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}
std::string case_in(const std::string& report) { return report.substr(report.find("// Handed over")); }

// A box wrongly touches if x is 70.
void overlap_with_a_mistake(const Aabb& box, const BoxSoaView& boxes, std::uint64_t* out_bits) {
    OverlapKernels::scalar.boxes(box, boxes, out_bits);
    for (std::size_t i = 0; i < boxes.count; ++i) {
        if (boxes.min_x[i] == 70.0f) out_bits[i / 64] ^= std::uint64_t{1} << (i % 64);
    }
}

BoxSoa row_of_boxes(std::size_t count) {
    BoxSoa boxes;
    REQUIRE(boxes.resize(count) == Status::ok);
    for (std::size_t i = 0; i < count; ++i) {
        const auto x = static_cast<float>(i);
        boxes.set(i, {{x, 0, 0}, {x + 1, 1, 1}});
    }
    return boxes;
}

}  // namespace

TEST_CASE("a broken kernel is reported with a case that is a test of this program") {
    OverlapKernels broken = OverlapKernels::scalar;
    broken.boxes = &overlap_with_a_mistake;
    const BoxSoa boxes = row_of_boxes(75);
    std::uint64_t bits[2] = {};
    const Subject<OverlapKernels> subject(broken);
    Verification verification;
    REQUIRE(overlaps(Aabb{{66, 0, 0}, {68.5f, 1, 1}}, boxes, bits).status == Status::ok);
    REQUIRE(verification.reports.size() == 1);
    const Report& report = verification.reports[0];
    CHECK(report.call == "narrowphase::OverlapKernels::boxes");
    CHECK(report.output == "out_bits");
    CHECK(report.index == 1);
    CHECK(report.text.find("out_bits[1] is 0x0000005e, 0x00000000, by the scalar specification 0x0000001e") !=
          std::string::npos);
    // The caller has the result of the broken kernel.
    CHECK(bits[1] == 0x5e);
    // The case has eleven of the 75 boxes, those after the first word.
    CHECK(case_in(report.text) == text_of_file("tests/shadow/reported_kernel_test.cpp"));
    CHECK(shadow_counts().finding_count == 1);
}

TEST_CASE("the case of a report passes and fails as the kernel does") {
    OverlapKernels broken = OverlapKernels::scalar;
    broken.boxes = &overlap_with_a_mistake;
    const BoxSoa boxes = row_of_boxes(75);
    std::uint64_t bits[2] = {};
    const auto& overlap_agreement = agree<&OverlapKernels::boxes>;
    CHECK(overlap_agreement.agrees(OverlapKernels::scalar, {{66, 0, 0}, {68, 1, 1}}, boxes, bits));
    CHECK_FALSE(overlap_agreement.agrees(broken, {{66, 0, 0}, {68, 1, 1}}, boxes, bits));
}

TEST_CASE("a search that loses a pair is reported with a case that is a test of this program") {
    const BoxSoa boxes = row_of_boxes(5);
    const std::uint64_t categories[5] = {1, 2, 4, 8, 16};
    FindPairsSettings settings;
    settings.filter.categories = categories;
    PairBuffer pairs;
    Verification verification;
    FindPairsResult result = find_pairs(boxes, settings, pairs);
    REQUIRE(result.status == Status::ok);
    REQUIRE(pairs.size() == 4);
    REQUIRE(verification.reports.empty());
    const BoxSoaView view = boxes;
    // The result of a search that loses the third pair.
    pairs[2] = pairs[3];
    REQUIRE(pairs.resize(3));
    result.written = 3;
    broadphase::verify_pairs({view}, settings, pairs, result);
    REQUIRE(verification.reports.size() == 1);
    CHECK(verification.reports[0].output == "pairs");
    CHECK(verification.reports[0].index == 2);
    CHECK(case_in(verification.reports[0].text) == text_of_file("tests/shadow/reported_pairs_test.cpp"));
    result.required = 3;
    broadphase::verify_pairs({view}, settings, pairs, result);
    REQUIRE(verification.reports.size() == 2);
    CHECK(verification.reports[1].output == "required");
}

TEST_CASE("one call in N is verified, none if it is off, and no kernel on the scalar ISA") {
    const BoxSoa boxes = row_of_boxes(75);
    std::uint64_t bits[2] = {};
    const auto call = [&] {
        REQUIRE(overlaps(Aabb{{0, 0, 0}, {1, 1, 1}}, boxes, bits).status == Status::ok);
    };
    for_each_isa([&](Isa isa) {
        const Verification verification(10);
        for (int i = 0; i < 100; ++i) call();
        CHECK(shadow_counts().call_count == (isa == Isa::scalar ? 0 : 100));
        CHECK(shadow_counts().verified_count == (isa == Isa::scalar ? 0 : 10));
        stop_shadow();
        call();
        CHECK(shadow_counts().call_count == (isa == Isa::scalar ? 0 : 100));
        CHECK(verification.reports.empty());
    });
}

TEST_CASE("every kernel of the narrowphase is described") {
    // A kernel without a description is not verified: a family has a function pointer for every description.
    const auto check = []<class Kernels>(const Kernels*, const char* name) {
        INFO(std::string(name));
        CHECK(std::tuple_size_v<decltype(simd::shadow::ShadowCalls<Kernels>::list)> ==
              sizeof(Kernels) / sizeof(void (*)()));
    };
    check(&narrowphase::PairRangeKernels::scalar, "PairRangeKernels");
    check(&narrowphase::OverlapKernels::scalar, "OverlapKernels");
    check(&narrowphase::MovingAabbKernels::scalar, "MovingAabbKernels");
    check(&narrowphase::MovingAabbRowsKernels::scalar, "MovingAabbRowsKernels");
    check(&narrowphase::OneMoverKernels::scalar, "OneMoverKernels");
    check(&narrowphase::BoundsKernels::scalar, "BoundsKernels");
    check(&narrowphase::FitKernels::scalar, "FitKernels");
    check(&narrowphase::RayBoxKernels::scalar, "RayBoxKernels");
    check(&narrowphase::RaySphereKernels::scalar, "RaySphereKernels");
    check(&narrowphase::RayBox4Kernels::scalar, "RayBox4Kernels");
    check(&narrowphase::ClosestPointKernels::scalar, "ClosestPointKernels");
    check(&narrowphase::SphereOverlapKernels::scalar, "SphereOverlapKernels");
    check(&narrowphase::MovingSphereKernels::scalar, "MovingSphereKernels");
    check(&narrowphase::ObbObbKernels::scalar, "ObbObbKernels");
    check(&narrowphase::ObbTriangleKernels::scalar, "ObbTriangleKernels");
    check(&narrowphase::ListedTriangleKernels::scalar, "ListedTriangleKernels");
}

TEST_CASE("frames with hostile numbers, on threads, are verified without a finding, and keep their results") {
    for_each_isa([&](Isa isa) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            StageScene scene = make_stage_scene(seed, 300, seed % 2 == 0, true);
            const StageInput input = scene.input();
            CollisionStage plain;
            REQUIRE(plain.step(input, {}).status == Status::ok);
            // Few enough for brute force, or too many.
            Verification verification(1, seed < 3 ? 1024 : 0);
            TbbTaskRunner threads(3);
            StageSettings settings;
            settings.runner = threads.runner();
            CollisionStage stage;
            REQUIRE(stage.step(input, settings).status == Status::ok);
            CHECK(stage.result_hash() == plain.result_hash());
            CHECK(shadow_counts().verified_count >= (isa == Isa::scalar ? 1 : 4));
            CHECK(verification.reports.empty());
            if (!verification.reports.empty()) MESSAGE(verification.reports[0].text);
        }
    });
}
