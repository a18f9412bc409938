// One World per rank: cuts, messages, and the rank that reports each pair.
#include "examples/mpi_world/mpi_world.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <utility>

namespace mpi_example {

using namespace broadside;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Samples of each rank, spaced by equal numbers of its objects: a cut is off by some 1/256 of a rank's
// objects.
constexpr std::size_t kSampleCount = 256;

// A min corner, and the number of objects that it represents.
using Sample = std::pair<float, float>;

// An error of one World is fatal for all ranks, because the others wait for this one.
void require(Status status, const char* what) {
    if (status == Status::ok) return;
    std::fprintf(stderr, "MpiWorld: %s: %s\n", what, status_name(status));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

IdPair in_order(std::uint64_t a, std::uint64_t b) { return {std::min(a, b), std::max(a, b)}; }

}  // namespace

MpiWorld::MpiWorld(MPI_Comm communicator, int axis) : communicator_(communicator), axis_(axis) {
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &rank_count_);
    // MPI's counts have 32 bits: they count objects, not bytes.
    MPI_Type_contiguous(sizeof(Object), MPI_BYTE, &object_type_);
    MPI_Type_commit(&object_type_);
    const auto rank_count = static_cast<std::size_t>(rank_count_);
    // All on the first rank, until the first objects define the cuts.
    cuts_.assign(rank_count + 1, kInfinity);
    cuts_[0] = -kInfinity;
    old_cuts_ = cuts_;
    outgoing_.resize(rank_count);
}

MpiWorld::~MpiWorld() { MPI_Type_free(&object_type_); }

float MpiWorld::along_axis(const Vec3& corner) const {
    return axis_ == 0 ? corner.x : axis_ == 1 ? corner.y : corner.z;
}

// The slab of a coordinate: a face exactly on a cut belongs to the slab above it.
int MpiWorld::slab_of(const std::vector<float>& cuts, float x) {
    return static_cast<int>(std::upper_bound(cuts.begin() + 1, cuts.end() - 1, x) - (cuts.begin() + 1));
}

// slab_of ascends, so the slab of any coordinate of a box is between those of its faces.
MpiWorld::Slabs MpiWorld::reach(const std::vector<float>& cuts, const Aabb& box) const {
    if (!is_valid(box)) return {};
    return {slab_of(cuts, along_axis(box.min)), slab_of(cuts, along_axis(box.max))};
}

// Both boxes of a pair contain the larger of the two minima, so both objects are on the rank of its slab.
bool MpiWorld::reports(const std::vector<float>& cuts, const Aabb& a, const Aabb& b) const {
    return slab_of(cuts, std::max(along_axis(a.min), along_axis(b.min))) == rank_;
}

MpiWorld::Local& MpiWorld::add_local(const Object& object, Role role) {
    const ObjectHandle handle = world_.add({.box = object.box, .user_data = object.id});
    if (handle.is_null()) require(Status::out_of_memory, "add");
    if (locals_.size() < world_.slot_count()) locals_.resize(world_.slot_count());
    Local& local = locals_[handle.slot()];
    static_cast<Object&>(local) = object;
    local.handle = handle;
    local.role = role;
    return local;
}

void MpiWorld::add(std::uint64_t id, const Aabb& box) {
    add_local({.id = id, .box = box}, Role::own);
    ++own_count_;
}

UpdateCounts MpiWorld::update(const TaskRunner* runner) {
    ++update_;
    old_cuts_ = cuts_;
    UpdateCounts counts;
    counts.is_cut_again = cut_again_if_uneven();
    counts.sent_count = send_own();
    require(world_.set_boxes(changed_, boxes_, runner).status, "set_boxes");
    receive(exchange());
    end_ghosts();
    const auto start = std::chrono::steady_clock::now();
    require(world_.update(runner).status, "update");
    const std::chrono::duration<double> world_time = std::chrono::steady_clock::now() - start;
    list_events();
    end_update();
    counts.own_count = own_count_;
    counts.ghost_count = ghosts_.size();
    counts.world_seconds = world_time.count();
    return counts;
}

// Cuts again if the rank with the fewest objects has less than four fifths of the most.
bool MpiWorld::cut_again_if_uneven() {
    const auto count = static_cast<std::int64_t>(own_count_);
    std::int64_t most_and_least[2] = {count, -count};
    MPI_Allreduce(MPI_IN_PLACE, most_and_least, 2, MPI_INT64_T, MPI_MAX, communicator_);
    if (5 * -most_and_least[1] >= 4 * most_and_least[0]) return false;
    cuts_ = cuts_of_samples();
    return cuts_ != old_cuts_;
}

std::vector<float> MpiWorld::cuts_of_samples() const {
    std::vector<float> minima;
    for (const Local& local : locals_) {
        if (local.role == Role::own && is_valid(local.box)) minima.push_back(along_axis(local.box.min));
    }
    std::sort(minima.begin(), minima.end());
    Sample own_samples[kSampleCount];
    if (!minima.empty()) {
        const float weight = static_cast<float>(minima.size()) / kSampleCount;
        for (std::size_t i = 0; i < kSampleCount; ++i) {
            own_samples[i] = {minima[(2 * i + 1) * minima.size() / (2 * kSampleCount)], weight};
        }
    }
    std::vector<Sample> samples(kSampleCount * static_cast<std::size_t>(rank_count_));
    MPI_Allgather(own_samples, sizeof own_samples, MPI_BYTE, samples.data(), sizeof own_samples, MPI_BYTE,
                  communicator_);
    // From here on all ranks do the same with the same numbers.
    std::sort(samples.begin(), samples.end());
    double total = 0;
    for (const auto& [x, weight] : samples) total += weight;
    std::vector<float> cuts(cuts_.size(), kInfinity);
    cuts[0] = -kInfinity;
    double below = 0;
    std::size_t next = 1;
    for (const auto& [x, weight] : samples) {
        if (weight == 0) continue;
        for (; next + 1 < cuts.size() && below * rank_count_ >= total * static_cast<double>(next); ++next)
            cuts[next] = x;
        below += weight;
    }
    return cuts;
}

// Sends an object to every rank that must know it: those that its box reaches into now, and those that the
// last box reached into, because its pairs may end there. An object that leaves this slab becomes a ghost.
std::size_t MpiWorld::send_own() {
    std::size_t sent_count = 0;
    for (std::vector<Object>& objects : outgoing_) objects.clear();
    const auto send = [&](const Object& object, int rank) {
        if (rank == rank_) return;
        outgoing_[static_cast<std::size_t>(rank)].push_back(object);
        ++sent_count;
    };
    changed_.clear();
    boxes_.clear();
    for (Local& local : locals_) {
        if (local.role == Role::none || local.role == Role::ghost) continue;
        if (local.role == Role::gone) local.box = Aabb::empty();
        if (local.role == Role::gone || !(local.box == local.previous_box)) {
            changed_.push_back(local.handle);
            require(boxes_.push_back(local.box), "push_back");
        }
        if (local.role == Role::gone) continue;
        const Slabs now = reach(cuts_, local.box);
        const Slabs before = reach(old_cuts_, local.previous_box);
        for (int rank = now.first; rank <= now.last; ++rank) send(local, rank);
        for (int rank = before.first; rank <= before.last; ++rank) {
            if (!now.hold(rank)) send(local, rank);
        }
        // An invalid box has no slab: its object stays on its rank.
        if (now.is_none() || now.first == rank_) continue;
        local.role = Role::ghost;
        local.update = update_;
        ghosts_[local.id] = local.handle;
        --own_count_;
    }
    return sent_count;
}

std::span<const Object> MpiWorld::exchange() {
    const auto rank_count = static_cast<std::size_t>(rank_count_);
    std::vector<int> send_counts(rank_count), send_begins(rank_count), counts(rank_count), begins(rank_count);
    sent_.clear();
    for (std::size_t rank = 0; rank < rank_count; ++rank) {
        send_begins[rank] = static_cast<int>(sent_.size());
        send_counts[rank] = static_cast<int>(outgoing_[rank].size());
        sent_.insert(sent_.end(), outgoing_[rank].begin(), outgoing_[rank].end());
    }
    MPI_Alltoall(send_counts.data(), 1, MPI_INT, counts.data(), 1, MPI_INT, communicator_);
    int received_count = 0;
    for (std::size_t rank = 0; rank < rank_count; ++rank) {
        begins[rank] = received_count;
        received_count += counts[rank];
    }
    received_.resize(static_cast<std::size_t>(received_count));
    MPI_Alltoallv(sent_.data(), send_counts.data(), send_begins.data(), object_type_, received_.data(),
                  counts.data(), begins.data(), object_type_, communicator_);
    return received_;
}

void MpiWorld::receive(std::span<const Object> objects) {
    for (const Object& object : objects) {
        const auto [ghost, is_new] = ghosts_.try_emplace(object.id);
        if (is_new) ghost->second = add_local(object, Role::ghost).handle;
        Local& local = locals_[ghost->second.slot()];
        static_cast<Object&>(local) = object;
        local.update = update_;
        if (!(object.box == object.previous_box)) set_box(local);
        if (reach(cuts_, object.box).first != rank_) continue;
        local.role = Role::own;
        ++own_count_;
        ghosts_.erase(ghost);
    }
}

// A ghost that was not sent has died, or no longer reaches into this slab.
void MpiWorld::end_ghosts() {
    std::erase_if(ghosts_, [this](const auto& ghost) {
        Local& local = locals_[ghost.second.slot()];
        if (local.update == update_) return false;
        local.role = Role::gone;
        local.box = Aabb::empty();
        set_box(local);
        return true;
    });
}

void MpiWorld::set_box(const Local& local) {
    require(world_.set_box(local.handle, local.box), "set_box");
    changed_.push_back(local.handle);
}

// The World also begins pairs of objects that have just come to this rank, and ends those of objects that
// have left; another rank knew such pairs before, or knows them now. The boxes and cuts of the last update
// tell them apart.
void MpiWorld::list_events() {
    begun_.clear();
    ended_.clear();
    for (const WorldPair& pair : world_.begun()) {
        const Local& a = locals_[pair.a.slot()];
        const Local& b = locals_[pair.b.slot()];
        if (reports(cuts_, a.box, b.box) && !overlap(a.previous_box, b.previous_box))
            begun_.push_back(in_order(a.id, b.id));
    }
    for (const EndedPair& pair : world_.ended()) {
        const Local& a = locals_[pair.a.slot()];
        const Local& b = locals_[pair.b.slot()];
        if (reports(old_cuts_, a.previous_box, b.previous_box)) ended_.push_back(in_order(a.id, b.id));
    }
}

void MpiWorld::end_update() {
    gone_.clear();
    for (const ObjectHandle handle : changed_) {
        Local& local = locals_[handle.slot()];
        local.previous_box = local.box;
        if (local.role != Role::gone) continue;
        local.role = Role::none;
        gone_.push_back(handle);
    }
    require(world_.remove(gone_).status, "remove");
}

std::vector<IdPair> MpiWorld::pairs() const {
    std::vector<IdPair> pairs;
    for (const WorldPair& pair : world_.pairs()) {
        const Local& a = locals_[pair.a.slot()];
        const Local& b = locals_[pair.b.slot()];
        if (reports(cuts_, a.box, b.box)) pairs.push_back(in_order(a.id, b.id));
    }
    return pairs;
}

}  // namespace mpi_example
