// Verifies a search for pairs: by brute force if the boxes are few, else by one sweep on the scalar ISA.
#include "broadphase/src/find_pairs/shadow.hpp"

#if BROADSIDE_HAS_SHADOW

#include "simd/src/shadow_operands.hpp"

#include <algorithm>

namespace broadside::broadphase {
namespace {

using simd::shadow::ShadowOperands;

// Longer lists would take gigabytes for the reference and its copies.
constexpr std::size_t kVerifiedPairsMax = std::size_t{1} << 26;

// The rules of box_filter.hpp, written plainly.
std::uint64_t bits_or_all(std::span<const std::uint64_t> bits, std::size_t index) {
    return bits.empty() ? ~std::uint64_t{0} : bits[index];
}
std::uint32_t group_or_none(std::span<const std::uint32_t> groups, std::size_t index) {
    return groups.empty() ? 0 : groups[index];
}
bool is_in_subset(std::span<const std::uint64_t> bits, std::size_t index) {
    return bits.empty() || ((bits[index / 64] >> (index % 64)) & 1) != 0;
}
bool have_common_id(const BoxFilter& a, std::size_t i, const BoxFilter& b, std::size_t j) {
    if (a.ids.empty() || b.ids.empty()) return false;
    const auto ids_a = a.ids.subspan(i * a.ids_per_box, a.ids_per_box);
    const auto ids_b = b.ids.subspan(j * b.ids_per_box, b.ids_per_box);
    return std::find_first_of(ids_a.begin(), ids_a.end(), ids_b.begin(), ids_b.end()) != ids_a.end();
}
bool may_pair(const BoxFilter& a, std::size_t i, const BoxFilter& b, std::size_t j) {
    const std::uint32_t group = group_or_none(a.groups, i);
    return (bits_or_all(a.categories, i) & bits_or_all(b.masks, j)) != 0 &&
           (bits_or_all(b.categories, j) & bits_or_all(a.masks, i)) != 0 &&
           (group == 0 || group != group_or_none(b.groups, j)) &&
           (is_in_subset(a.subset_bits, i) || is_in_subset(b.subset_bits, j)) && !have_common_id(a, i, b, j);
}

std::vector<IndexPair> pairs_by_brute_force(const BoxSets& sets, const FindPairsSettings& settings) {
    const BoxFilter& filter_b = sets.is_one() ? settings.filter : settings.filter_b;
    const BoxSoaView& b = sets.second();
    std::vector<IndexPair> pairs;
    for (std::size_t i = 0; i < sets.a.count; ++i) {
        for (std::size_t j = sets.is_one() ? i + 1 : 0; j < b.count; ++j) {
            if (overlap(sets.a[i], b[j]) && may_pair(settings.filter, i, filter_b, j))
                pairs.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
        }
    }
    return pairs;
}

std::vector<IndexPair> pairs_by_scalar_sweep(const BoxSets& sets, const FindPairsSettings& settings) {
    const simd::shadow::Reference reference;
    FindPairsSettings plain = settings;
    plain.algorithm = PairAlgorithm::sweep_and_prune;
    plain.order = PairOrder::canonical;
    plain.runner = nullptr;
    PairBuffer pairs;
    const FindPairsResult result =
        sets.is_one() ? find_pairs(sets.a, plain, pairs) : find_pairs(sets.a, *sets.b, plain, pairs);
    if (result.status != Status::ok) __builtin_trap();
    return {pairs.begin(), pairs.end()};
}

std::string words_of_pair(const std::vector<IndexPair>& pairs, std::size_t index) {
    if (index >= pairs.size()) return "no pair";
    return simd::shadow::words_of(&pairs[index], sizeof pairs[index]);
}

// The test case of a report: the boxes and their filters, without the settings, which change no pair.
void report_pairs(const BoxSets& sets, const FindPairsSettings& settings, const char* output,
                  std::size_t index, const std::string& expected, const std::string& found) {
    ShadowOperands operands = ShadowOperands::print();
    const auto print_filter = [&](const char* const(&names)[5], const BoxFilter& filter) {
        operands.all(names[0], filter.categories.data(), filter.categories.size());
        operands.all(names[1], filter.masks.data(), filter.masks.size());
        operands.all(names[2], filter.groups.data(), filter.groups.size());
        operands.all(names[3], filter.subset_bits.data(), filter.subset_bits.size());
        operands.all(names[4], filter.ids.data(), filter.ids.size());
    };
    operands.all("boxes", sets.a);
    if (!sets.is_one()) operands.all("boxes_b", *sets.b);
    const std::string views = operands.arguments();
    print_filter({"categories", "masks", "groups", "subset_bits", "ids"}, settings.filter);
    if (!sets.is_one())
        print_filter({"categories_b", "masks_b", "groups_b", "subset_bits_b", "ids_b"}, settings.filter_b);
    std::string filters;
    const auto add_filter = [&](const char* name, const char* suffix, const BoxFilter& filter) {
        const auto add = [&](const char* field, bool is_empty) {
            if (!is_empty) {
                filters += std::string("    settings.") + name + '.' + field + " = " + field + suffix + ";\n";
            }
        };
        add("categories", filter.categories.empty());
        add("masks", filter.masks.empty());
        add("groups", filter.groups.empty());
        add("subset_bits", filter.subset_bits.empty());
        add("ids", filter.ids.empty());
        if (!filter.ids.empty()) {
            filters += std::string("    settings.") + name +
                       ".ids_per_box = " + std::to_string(filter.ids_per_box) + ";\n";
        }
    };
    add_filter("filter", "", settings.filter);
    if (!sets.is_one()) add_filter("filter_b", "_b", settings.filter_b);

    const Isa isa = active_isa().value_or(Isa::scalar);
    const std::string declarations =
        operands.declarations() +
        "    FindPairsSettings settings;\n    settings.algorithm = static_cast<PairAlgorithm>(" +
        std::to_string(static_cast<int>(settings.algorithm)) + ");\n" + filters;
    const std::string text = std::string("broadside: find_pairs on ") + isa_name(isa) + ": " + output + '[' +
                             std::to_string(index) + "] is " + found + ", by the reference " + expected +
                             '\n' +
                             simd::shadow::case_of("find_pairs finds the pairs of brute force", declarations,
                                                   "finds_the_pairs(settings, " + views + ')');
    simd::shadow::report({"find_pairs", isa, output, index, text.c_str()});
}

}  // namespace

void verify_pairs(const BoxSets& sets, const FindPairsSettings& settings, const PairOutput& output,
                  const FindPairsResult& result) noexcept {
    const bool is_known = result.status == Status::ok || result.status == Status::capacity_exceeded;
    if (!is_known || result.required > kVerifiedPairsMax) return;
    if (!simd::shadow::is_on() || !simd::shadow::takes_turn()) return;
    const std::vector<IndexPair> expected = sets.box_count() <= simd::shadow::brute_force_max_count()
                                                ? pairs_by_brute_force(sets, settings)
                                                : pairs_by_scalar_sweep(sets, settings);
    if (result.required != expected.size()) {
        return report_pairs(sets, settings, "required", 0, std::to_string(expected.size()),
                            std::to_string(result.required));
    }
    if (output.is_sink()) return;
    const IndexPair* const pairs = output.array() != nullptr ? output.array()->data() : output.span().data();
    std::vector<IndexPair> found(pairs, pairs + result.written);
    std::vector<IndexPair> right = expected;
    if (settings.order == PairOrder::canonical) {
        right.resize(result.written);
    } else if (result.written == expected.size()) {
        std::sort(found.begin(), found.end());
    } else {
        // An incomplete list in another order: each entry must be one of the pairs, and none may occur twice.
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        std::vector<IndexPair> known;
        std::set_intersection(found.begin(), found.end(), expected.begin(), expected.end(),
                              std::back_inserter(known));
        if (known.size() == result.written) return;
        right = known;
    }
    const std::size_t longest = std::max(right.size(), found.size());
    for (std::size_t i = 0; i < longest; ++i) {
        if (i < right.size() && i < found.size() && right[i] == found[i]) continue;
        return report_pairs(sets, settings, "pairs", i, words_of_pair(right, i), words_of_pair(found, i));
    }
}

}  // namespace broadside::broadphase

#endif
