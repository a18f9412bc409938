// The example's broad phase for engines: random steps in which many threads write and query, each beside
// loops over all bodies, with the same results for any number of threads. Made for ThreadSanitizer.
#include "examples/engine_broadphase/broad_phase.hpp"

#include "examples/engine_broadphase/jobs.hpp"
#include "tests/support/drawn_thresholds.hpp"
#include "tests/support/faulty_allocator.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <doctest/doctest.h>

#include <broadside/ray_box.hpp>
#include <broadside/sphere_overlap.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

using namespace broadside;
using namespace broadside::test;
using engine_example::BroadPhase;
using engine_example::BroadPhaseView;
using engine_example::Jobs;
using engine_example::PairListener;
using engine_example::Proxy;

namespace {

constexpr std::uint32_t kLayers = 4;
constexpr float kExtent = 7;
// Each thread's share is small, so that words of bits are shared by jobs.
constexpr std::size_t kPart = 5;

struct ModelBody {
    std::uint64_t id = 0;
    Aabb box;
    std::uint32_t layer = 0;
    ObjectKind kind = ObjectKind::moving;
    Proxy proxy;
};

using IdPair = std::pair<std::uint64_t, std::uint64_t>;

// Receives pairs, each once.
class Host final : public PairListener {
public:
    std::map<IdPair, std::uint64_t> contacts;
    std::uint64_t hash = 0;
    std::uint32_t wrong_count = 0;
    std::uint64_t told_count = 0;

    std::uint64_t pair_begins(std::uint64_t a, std::uint64_t b) noexcept override {
        const std::uint64_t contact = ++last_contact_;
        wrong_count += contacts.insert({std::minmax(a, b), contact}).second ? 0u : 1u;
        note(a, b, contact);
        return contact;
    }
    void pair_ends(std::uint64_t a, std::uint64_t b, std::uint64_t contact) noexcept override {
        const auto found = contacts.find(std::minmax(a, b));
        const bool is_right = found != contacts.end() && found->second == contact;
        wrong_count += is_right ? 0u : 1u;
        if (is_right) contacts.erase(found);
        note(a, b, ~contact);
    }

private:
    // The order counts.
    void note(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        ++told_count;
        for (const std::uint64_t number : {a, b, c}) hash = (hash ^ number) * 0x100000001B3u + 1;
    }
    std::uint64_t last_contact_ = 0;
};

Random random_of(std::uint64_t a, std::uint64_t b) { return Random(a * 1'000'003 + b * 97 + 11); }

// Mostly ordinary, some that touch, and some of any numbers.
Aabb any_box(Random& random) {
    const std::uint32_t way = random.below(40);
    if (way == 0) {
        return {{special_float(random), special_float(random), special_float(random)},
                {special_float(random), special_float(random), special_float(random)}};
    }
    Aabb box;
    if (way < 10) {
        box.min = {random.grid(0, 10), random.grid(0, 10), random.grid(0, 10)};
        box.max = box.min + Vec3{1, 1, random.grid(0, 2)};
        return box;
    }
    box.min = {random.uniform(0, kExtent), random.uniform(0, kExtent), random.uniform(0, kExtent)};
    box.max = box.min + Vec3{random.uniform(0, 2), random.uniform(0, 2), random.uniform(0, 2)};
    return box;
}

ObjectDescription description_of(const ModelBody& body) {
    ObjectDescription description;
    description.box = body.box;
    description.kind = body.kind;
    description.filter.layer = static_cast<std::uint16_t>(body.layer);
    description.user_data = body.id;
    return description;
}

// The expected results of a view.
struct Published {
    std::unique_ptr<BroadPhaseView> view;
    std::vector<ModelBody> bodies;
};

// False if a result differs from that of a loop over the bodies.
bool ask(const Published& published, Random& random) {
    const std::uint64_t layers = 1 + random.below((1u << kLayers) - 1);
    const auto has_layer = [&](const ModelBody& body) { return (layers >> body.layer & 1) != 0; };
    const Vec3 origin = {random.uniform(0, kExtent), random.uniform(0, kExtent), random.uniform(0, kExtent)};
    const Vec3 way = {random.uniform(-9, 9), random.uniform(-9, 9), random.uniform(-9, 9)};
    const Ray ray = {origin, way, 1};
    const Sphere sphere = {origin, random.uniform(0, 2)};
    const Aabb box = any_box(random);
    std::set<std::uint64_t> in_ray;
    std::set<std::uint64_t> in_sphere;
    std::set<std::uint64_t> in_box;
    float first_t = kNoIntersection;
    for (const ModelBody& body : published.bodies) {
        if (!has_layer(body)) continue;
        const RaySolidHit hit = ray_box(ray, body.box);
        if (hit.t_enter != kNoIntersection) in_ray.insert(body.id);
        first_t = std::min(first_t, hit.t_enter);
        if (overlap(sphere, body.box)) in_sphere.insert(body.id);
        if (overlap(box, body.box)) in_box.insert(body.id);
    }
    const BroadPhaseView& view = *published.view;
    std::set<std::uint64_t> found_ray;
    std::set<std::uint64_t> found_sphere;
    std::set<std::uint64_t> found_cast;
    std::set<std::uint64_t> found_box;
    float found_t = kNoIntersection;
    const auto all = [](std::set<std::uint64_t>& out_found) {
        return [&out_found](std::uint64_t body) { return out_found.insert(body).second; };
    };
    bool is_right = view.cast(ray, layers, [&](std::uint64_t body, float) {
        found_ray.insert(body);
        return kVisitAll;
    }) == Status::ok;
    is_right &= view.cast(ray, layers, [&](std::uint64_t, float t) {
        return found_t = std::min(found_t, t);
    }) == Status::ok;
    // A sphere without motion meets the boxes that it overlaps.
    is_right &= view.cast(SphereCast{sphere, {}, 1}, layers, [&](std::uint64_t body, float) {
        found_cast.insert(body);
        return kVisitAll;
    }) == Status::ok;
    is_right &= view.overlap(sphere, layers, all(found_sphere)) == Status::ok;
    is_right &= view.overlap(box, layers, all(found_box)) == Status::ok;
    return is_right && found_ray == in_ray && found_t == first_t && found_sphere == in_sphere &&
           found_cast == in_sphere && found_box == in_box;
}

// Threads that query all the time, whatever else happens.
class Askers {
public:
    Askers(const BroadPhase& broad_phase, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            threads_.emplace_back([this, &broad_phase, i] {
                Random random(i);
                while (!is_over_) {
                    const std::shared_ptr<const Published> published = get();
                    if (published != nullptr) wrong_count += ask(*published, random) ? 0u : 1u;
                    // The newest view is complete.
                    std::size_t found = 0;
                    const Aabb space = {{-kInfinity, -kInfinity, -kInfinity},
                                        {kInfinity, kInfinity, kInfinity}};
                    (void)broad_phase.view().overlap(space, ~std::uint64_t{0},
                                                     [&](std::uint64_t) { return ++found != 0; });
                    ++asked_count;
                }
            });
        }
    }
    Askers(const Askers&) = delete;
    Askers& operator=(const Askers&) = delete;
    ~Askers() {
        is_over_ = true;
        for (std::thread& thread : threads_) thread.join();
    }
    void put(std::shared_ptr<const Published> published) {
        const std::lock_guard lock(mutex_);
        published_ = std::move(published);
    }
    void wait_for_questions(std::uint64_t count) const {
        while (asked_count < count) std::this_thread::yield();
    }

    std::atomic<std::uint32_t> wrong_count{0};
    std::atomic<std::uint64_t> asked_count{0};

private:
    std::shared_ptr<const Published> get() {
        const std::lock_guard lock(mutex_);
        return published_;
    }

    std::mutex mutex_;
    std::shared_ptr<const Published> published_;
    std::atomic<bool> is_over_{false};
    std::vector<std::thread> threads_;
};

// An engine without its physics.
class Life {
public:
    Life(std::uint64_t seed, const Jobs& jobs, const Allocator& allocator = default_allocator())
        : broad_phase(jobs.runner(), allocator), seed_(seed), jobs_(jobs) {
        for (auto& row : may_collide_) std::fill(std::begin(row), std::end(row), true);
    }

    BroadPhase broad_phase;
    Host host;
    std::vector<ModelBody> bodies;

    // Each step is repeated until it is ok; `step` returns the failures.
    template <class Call>
    void until_ok(Call&& call) {
        for (Status status; (status = call()) != Status::ok;) {
            REQUIRE(status == Status::out_of_memory);
            ++failure_count;
        }
    }

    void step(std::uint64_t number) {
        Random random = random_of(seed_, number);
        // Prepared since the step before, by jobs.
        for (Batch& batch : batches_) add(batch);
        prepare(number, 1 + random.below(4));
        remove(random);
        activate(random);
        if (random.chance(4)) forbid(random);
        if (random.chance(10)) until_ok([&] { return broad_phase.optimize(); });
        move(number);
        until_ok([&] { return broad_phase.update(host); });
    }

    // Compares with a loop over all pairs of bodies, by jobs.
    void check() {
        std::atomic<std::uint32_t> wrong_count = 0;
        jobs_.for_parts(bodies.size(), kPart, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) wrong_count += has_right_pairs(bodies[i]) ? 0u : 1u;
        });
        CHECK(wrong_count == 0);
        std::size_t pair_count = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) pair_count += is_pair(bodies[i], bodies[k]) ? 1u : 0u;
        }
        CHECK(host.contacts.size() == pair_count);
        CHECK(host.wrong_count == 0);
        CHECK(broad_phase.world().is_consistent());
    }

    std::shared_ptr<const Published> published() const {
        return std::make_shared<Published>(
            Published{std::make_unique<BroadPhaseView>(broad_phase.view()), bodies});
    }

    std::size_t failure_count = 0;

private:
    struct Batch {
        std::vector<ModelBody> bodies;
        PreparedObjects prepared;
    };

    bool is_pair(const ModelBody& a, const ModelBody& b) const {
        const bool are_fixed = a.kind == ObjectKind::fixed && b.kind == ObjectKind::fixed;
        return !are_fixed && may_collide_[a.layer][b.layer] && overlap(a.box, b.box);
    }
    bool has_right_pairs(const ModelBody& body) const {
        std::vector<std::uint64_t> found;
        for (const Proxy other : broad_phase.pairs_of(body.proxy)) {
            found.push_back(broad_phase.body_of(other));
            const auto contact = host.contacts.find(std::minmax(body.id, found.back()));
            if (contact == host.contacts.end() ||
                contact->second != broad_phase.contact_of(body.proxy, other) ||
                contact->second != broad_phase.contact_of(other, body.proxy))
                return false;
        }
        std::sort(found.begin(), found.end());
        std::vector<std::uint64_t> expected;
        for (const ModelBody& other : bodies) {
            if (other.id == body.id) continue;
            if (is_pair(body, other))
                expected.push_back(other.id);
            else if (broad_phase.contact_of(body.proxy, other.proxy) != 0)
                return false;
        }
        return found == expected;
    }
    void add(Batch& state_batch) {
        std::vector<Proxy> proxies(state_batch.bodies.size());
        until_ok([&] { return broad_phase.add(state_batch.prepared, proxies); });
        for (std::size_t i = 0; i < proxies.size(); ++i) {
            state_batch.bodies[i].proxy = proxies[i];
            bodies.push_back(state_batch.bodies[i]);
        }
        std::sort(bodies.begin(), bodies.end(),
                  [](const ModelBody& a, const ModelBody& b) { return a.id < b.id; });
    }
    void prepare(std::uint64_t number, std::uint32_t batch_count) {
        batches_.resize(batch_count);
        std::vector<std::uint64_t> first_ids;
        for (std::uint32_t i = 0; i < batch_count; ++i) {
            first_ids.push_back(next_id_);
            next_id_ += bodies.size() < 120 ? 10 * i : i;
        }
        first_ids.push_back(next_id_);
        std::atomic<std::uint32_t> wrong_count = 0;
        jobs_.for_parts(batch_count, 1, [&](std::size_t i, std::size_t) {
            Random random = random_of(seed_ + 1, number * 16 + i);
            Batch& batch = batches_[i];
            batch.bodies.clear();
            std::vector<ObjectDescription> descriptions;
            for (std::uint64_t id = first_ids[i]; id < first_ids[i + 1]; ++id) {
                ModelBody& body = batch.bodies.emplace_back();
                body = {
                    id, any_box(random), random.below(kLayers), static_cast<ObjectKind>(random.below(3)), {}};
                descriptions.push_back(description_of(body));
            }
            wrong_count += BroadPhase::prepare(descriptions, batch.prepared) == Status::ok ? 0u : 1u;
        });
        CHECK(wrong_count == 0);
    }
    void remove(Random& random) {
        std::vector<Proxy> proxies;
        const auto leaves = [&](const ModelBody& body) {
            if (!random.chance(bodies.size() > 120 ? 20 : 60)) return false;
            proxies.push_back(body.proxy);
            return true;
        };
        const auto end = std::remove_if(bodies.begin(), bodies.end(), leaves);
        const std::vector<ModelBody> kept(bodies.begin(), end);
        until_ok([&] { return broad_phase.remove(proxies); });
        bodies = kept;
    }
    void activate(Random& random) {
        for (const bool is_active : {true, false}) {
            std::vector<Proxy> proxies;
            for (ModelBody& body : bodies) {
                if (body.kind == ObjectKind::fixed || !random.chance(10)) continue;
                body.kind = is_active ? ObjectKind::moving : ObjectKind::resting;
                proxies.push_back(body.proxy);
            }
            until_ok([&] { return broad_phase.set_active(proxies, is_active); });
        }
    }
    void forbid(Random& random) {
        const std::uint32_t a = random.below(kLayers);
        const std::uint32_t b = random.below(kLayers);
        const bool may_collide = !may_collide_[a][b];
        until_ok([&] { return broad_phase.set_layers_collide(a, b, may_collide); });
        may_collide_[a][b] = may_collide_[b][a] = may_collide;
    }
    // Few, many or all of the movable ones.
    void move(std::uint64_t number) {
        const std::uint32_t one_in = number % 3 == 0 ? 1 : number % 3 == 1 ? 4 : 25;
        std::atomic<std::uint32_t> wrong_count = 0;
        jobs_.for_parts(bodies.size(), kPart, [&](std::size_t begin, std::size_t end) {
            std::vector<Proxy> proxies;
            std::vector<Aabb> boxes;
            for (std::size_t i = begin; i < end; ++i) {
                Random random = random_of(seed_ + number, bodies[i].id);
                if (bodies[i].kind != ObjectKind::moving || !random.chance(one_in)) continue;
                const Vec3 by = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
                const bool stays_near = !random.chance(8) && is_valid(bodies[i].box);
                bodies[i].box =
                    stays_near ? Aabb{bodies[i].box.min + by, bodies[i].box.max + by} : any_box(random);
                proxies.push_back(bodies[i].proxy);
                boxes.push_back(bodies[i].box);
            }
            wrong_count += broad_phase.notify_moved(proxies, boxes) == Status::ok ? 0u : 1u;
        });
        CHECK(wrong_count == 0);
    }

    std::uint64_t seed_;
    const Jobs& jobs_;
    std::vector<Batch> batches_;
    std::uint64_t next_id_ = 1;
    bool may_collide_[kLayers][kLayers];
};

}  // namespace

TEST_CASE("an engine's broad phase reports every pair and every query result, for any number of threads" *
          kLong) {
    for (int round = 0; round < 3 * test_scale(); ++round) {
        const auto seed = static_cast<std::uint64_t>(round) + 1;
        // The first as shipped.
        std::unique_ptr<DrawnThresholds> thresholds;
        if (round != 0) thresholds = std::make_unique<DrawnThresholds>(seed);
        std::vector<std::uint64_t> hashes;
        for (const std::uint32_t worker_count : {1u, 2u, 4u}) {
            INFO("seed ", seed, ", ", worker_count, " threads");
            const Jobs jobs(worker_count);
            Life life(seed, jobs);
            {
                Askers askers(life.broad_phase, 2);
                for (std::uint64_t number = 0; number < 30; ++number) {
                    life.step(number);
                    askers.put(life.published());
                    life.check();
                }
                askers.wait_for_questions(20);
                CHECK(askers.wrong_count == 0);
            }
            CHECK(life.host.told_count > 500);
            hashes.push_back(life.host.hash);
        }
        CHECK(hashes[1] == hashes[0]);
        CHECK(hashes[2] == hashes[0]);
    }
}

TEST_CASE("an engine's broad phase without memory reports it, loses no pair and reports none twice") {
    const Jobs jobs(1);
    constexpr std::uint64_t kSteps = 6;
    FaultyAllocator plain;
    std::uint64_t expected_hash = 0;
    {
        Life life(5, jobs, plain.hook());
        for (std::uint64_t number = 0; number < kSteps; ++number) life.step(number);
        expected_hash = life.host.hash;
    }
    std::size_t failure_count = 0;
    for (std::size_t fail_first = 0; fail_first < plain.request_count; ++fail_first) {
        FaultyAllocator faulty;
        faulty.fail_first = fail_first;
        faulty.fail_count = 3;
        {
            Life life(5, jobs, faulty.hook());
            for (std::uint64_t number = 0; number < kSteps; ++number) life.step(number);
            CHECK(life.host.hash == expected_hash);
            faulty.fail_count = 0;
            life.check();
            failure_count += life.failure_count;
        }
        CHECK(faulty.live_bytes == 0);
    }
    CHECK(failure_count > plain.request_count / 2);
}

TEST_CASE("an engine's broad phase refuses an invalid proxy, and sets the other boxes") {
    BroadPhase broad_phase(nullptr);
    Host host;
    PreparedObjects prepared;
    const ObjectDescription descriptions[] = {{.box = {{0, 0, 0}, {1, 1, 1}}, .user_data = 7},
                                              {.box = {{5, 0, 0}, {6, 1, 1}}, .user_data = 8}};
    REQUIRE(BroadPhase::prepare(descriptions, prepared) == Status::ok);
    Proxy proxies[2];
    REQUIRE(broad_phase.add(prepared, proxies) == Status::ok);
    REQUIRE(broad_phase.update(host) == Status::ok);
    CHECK(host.contacts.empty());
    const Proxy moved[] = {Proxy{}, proxies[1]};
    const Aabb boxes[] = {{}, {{0.5f, 0, 0}, {1.5f, 1, 1}}};
    CHECK(broad_phase.notify_moved(moved, boxes) == Status::invalid_argument);
    CHECK(broad_phase.notify_moved(moved, std::span(boxes, 1)) == Status::invalid_argument);
    REQUIRE(broad_phase.update(host) == Status::ok);
    CHECK(host.contacts.contains({7, 8}));
    CHECK(broad_phase.contact_of(proxies[0], proxies[1]) == host.contacts[{7, 8}]);
    REQUIRE(broad_phase.remove(std::span(proxies, 1)) == Status::ok);
    CHECK(broad_phase.remove(std::span(proxies, 1)) == Status::invalid_argument);
    REQUIRE(broad_phase.update(host) == Status::ok);
    CHECK(host.contacts.empty());
    CHECK(host.wrong_count == 0);
    ObjectDescription refused = descriptions[0];
    refused.margin = -1;
    CHECK(BroadPhase::prepare(std::span(&refused, 1), prepared) == Status::invalid_argument);
    (void)take_refusals();
}
