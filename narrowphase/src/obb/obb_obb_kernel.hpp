// Oriented box against oriented box in batches: one box against many in arrays, and pairs by index.
#pragma once

// One lane is one pair; see obb_obb_lanes.hpp for the source and the edge rules. In a partial group, one box
// against many has zeros behind the last box, and pairs repeat their first; neither is stored.
//
// Operations of a group, static: into the frame of a 45 multiplications and 33 additions (27 and 18 of them
// R), three cross products 18 and 9, six faces 18 and 18, nine edge axes 54 and 36, validity 2 and 4 min; 135
// and 98 with 18 comparisons and 30 sign bits cleared. Moving adds 66 multiplications, 84 additions, min and
// max, 15 divisions.

#include "narrowphase/src/obb/kernels.hpp"
#include "narrowphase/src/obb/obb_obb_lanes.hpp"

#include <broadside/pair_buffer.hpp>

namespace broadside::narrowphase {

template <bool HasAxis, class Arch, class Group>
BROADSIDE_FORCE_INLINE void store_obb_answers(ObbOutput out, std::size_t first, Group group,
                                              const ObbAnswerW<Arch>& answer) {
    group.store(out.value + first, answer.value);
    if constexpr (HasAxis) {
        simd::store_bytes(out.axis + first, group, answer.axis);
    }
}

/// Calls body(first_item, group, lanes, boxes_a, boxes_b) for every group of pairs.
template <class Arch, class Body>
BROADSIDE_FORCE_INLINE void for_each_obb_pair_group(const Obb* a, const Obb* b, const IndexPair* pairs,
                                                    std::size_t pair_count, Body&& body) {
    simd::for_each_listed_group<Arch>(
        pairs, pair_count, [&](std::size_t first, auto group, const IndexPair* lanes) {
            body(first, group, lanes,
                 load_obbs_indexed<Arch>(a, [=](std::uint32_t lane) { return lanes[lane].first; }),
                 load_obbs_indexed<Arch>(b, [=](std::uint32_t lane) { return lanes[lane].second; }));
        });
}

// Static.

template <class Arch>
void obb_obb_overlap_kernel(const Obb& a, const ObbSoaView& b, std::uint64_t* out_bits) {
    simd::BitWriter writer(out_bits);
    const ObbW<Arch> a_w = broadcast_obb<Arch>(a);
    simd::for_each_any_group<Arch>(
        b.count(), [&](std::size_t first, auto group) BROADSIDE_FORCE_INLINE_LAMBDA {
            writer.write(first, bits(overlap_lanes(a_w, load_obbs<Arch>(b, first, group))), group.count);
        });
    writer.finish();
}

template <class Arch>
void obb_obb_overlap_pairs_kernel(const Obb* a, const Obb* b, const IndexPair* pairs, std::size_t pair_count,
                                  std::uint64_t* out_bits) {
    simd::BitWriter writer(out_bits);
    for_each_obb_pair_group<Arch>(
        a, b, pairs, pair_count,
        [&](std::size_t first, auto group, const auto&, const ObbW<Arch>& a_w, const ObbW<Arch>& b_w) {
            writer.write(first, bits(overlap_lanes(a_w, b_w)), group.count);
        });
    writer.finish();
}

// Depth.

template <class Arch>
void obb_obb_contacts_kernel(const Obb& a, const ObbSoaView& b, ObbOutput out) {
    const ObbW<Arch> a_w = broadcast_obb<Arch>(a);
    simd::for_each_group<Arch>(b.count(), [&](std::size_t first, auto group) {
        const ObbAnswerW<Arch> answer = contact_lanes(a_w, load_obbs<Arch>(b, first, group));
        if (out.axis == nullptr) {
            store_obb_answers<false>(out, first, group, answer);
        } else {
            store_obb_answers<true>(out, first, group, answer);
        }
    });
}

template <class Arch>
void obb_obb_contact_pairs_kernel(const Obb* a, const Obb* b, const IndexPair* pairs, std::size_t pair_count,
                                  ObbOutput out) {
    for_each_obb_pair_group<Arch>(
        a, b, pairs, pair_count,
        [&](std::size_t first, auto group, const auto&, const ObbW<Arch>& a_w, const ObbW<Arch>& b_w) {
            const ObbAnswerW<Arch> answer = contact_lanes(a_w, b_w);
            if (out.axis == nullptr) {
                store_obb_answers<false>(out, first, group, answer);
            } else {
                store_obb_answers<true>(out, first, group, answer);
            }
        });
}

// Moving.

template <class Arch, bool HasAxis>
BROADSIDE_FORCE_INLINE void obb_impacts_lanes(const Obb& a, Vec3 a_displacement, const ObbSoaView& b,
                                              const Vec3SoaView& b_displacements, ObbOutput out) {
    using namespace simd;
    const ObbW<Arch> a_w = broadcast_obb<Arch>(a);
    const Vec3W<Arch> a_moves = broadcast<Arch>(a_displacement);
    const Vec3W<Arch> at_rest = broadcast<Arch>(Vec3{});
    for_each_any_group<Arch>(b.count(), [&](std::size_t first, auto group) {
        const Vec3W<Arch> b_moves =
            b_displacements.count == 0 ? at_rest : load_vectors<Arch>(b_displacements, first, group);
        store_obb_answers<HasAxis>(
            out, first, group,
            impact_lanes<HasAxis>(a_w, load_obbs<Arch>(b, first, group), b_moves - a_moves));
    });
}

template <class Arch>
void obb_obb_impacts_kernel(const Obb& a, Vec3 a_displacement, const ObbSoaView& b,
                            const Vec3SoaView& b_displacements, ObbOutput out) {
    if (out.axis == nullptr) {
        obb_impacts_lanes<Arch, false>(a, a_displacement, b, b_displacements, out);
    } else {
        obb_impacts_lanes<Arch, true>(a, a_displacement, b, b_displacements, out);
    }
}

template <class Arch, class IndexOf>
BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> load_displacements(const MovingObbs& moving, IndexOf index_of) {
    return moving.displacements == nullptr ? simd::broadcast<Arch>(Vec3{})
                                           : load_vec3_indexed<Arch>(moving.displacements, index_of);
}
/// Each lane holds the displacement of its pair's b relative to its a.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> load_motions(const MovingObbs& a, const MovingObbs& b,
                                                      const IndexPair* lanes) {
    return load_displacements<Arch>(b, [=](std::uint32_t lane) { return lanes[lane].second; }) -
           load_displacements<Arch>(a, [=](std::uint32_t lane) { return lanes[lane].first; });
}

template <class Arch, bool HasAxis>
BROADSIDE_FORCE_INLINE void obb_impact_pairs_lanes(const MovingObbs& a, const MovingObbs& b,
                                                   const IndexPair* pairs, std::size_t pair_count,
                                                   ObbOutput out) {
    for_each_obb_pair_group<Arch>(a.obbs, b.obbs, pairs, pair_count,
                                  [&](std::size_t first, auto group, const IndexPair* lanes,
                                      const ObbW<Arch>& a_w, const ObbW<Arch>& b_w) {
                                      store_obb_answers<HasAxis>(
                                          out, first, group,
                                          impact_lanes<HasAxis>(a_w, b_w, load_motions<Arch>(a, b, lanes)));
                                  });
}

template <class Arch>
void obb_obb_impact_pairs_kernel(const MovingObbs& a, const MovingObbs& b, const IndexPair* pairs,
                                 std::size_t pair_count, ObbOutput out) {
    if (out.axis == nullptr) {
        obb_impact_pairs_lanes<Arch, false>(a, b, pairs, pair_count, out);
    } else {
        obb_impact_pairs_lanes<Arch, true>(a, b, pairs, pair_count, out);
    }
}

// Single.

template <class Arch>
bool obb_obb_overlap(const Obb& a, const Obb& b) {
    return overlap_lanes(broadcast_obb<Arch>(a), broadcast_obb<Arch>(b)).value;
}
template <class Arch>
ObbContact obb_obb_contact(const Obb& a, const Obb& b) {
    const ObbAnswerW<Arch> answer = contact_lanes(broadcast_obb<Arch>(a), broadcast_obb<Arch>(b));
    return {answer.value.value, static_cast<ObbAxis>(answer.axis.value)};
}
template <class Arch>
ObbImpact obb_obb_impact(const Obb& a, const Obb& b, Vec3 motion) {
    const ObbAnswerW<Arch> answer =
        impact_lanes<true>(broadcast_obb<Arch>(a), broadcast_obb<Arch>(b), simd::broadcast<Arch>(motion));
    return {answer.value.value, static_cast<ObbAxis>(answer.axis.value)};
}

template <class Arch>
constexpr ObbObbSingle obb_obb_single() {
    if constexpr (simd::is_scalar<Arch>)
        return {&obb_obb_overlap<Arch>, &obb_obb_contact<Arch>, &obb_obb_impact<Arch>};
    else
        return {};
}

}  // namespace broadside::narrowphase
