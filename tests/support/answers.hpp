// Results of any kind as numbers, so that all of them can be compared at once.
#pragma once

#include "tests/support/generators.hpp"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace broadside::test {

class Answers {
public:
    template <class Number>
    requires(std::is_integral_v<Number> || std::is_enum_v<Number>) void add(Number number) {
        words_.push_back(static_cast<std::uint64_t>(number));
    }
    void add(float number) { words_.push_back(bits_of(number)); }
    void add(Vec3 vector) {
        for (const float number : {vector.x, vector.y, vector.z}) add(number);
    }
    void add(const Aabb& box) {
        add(box.min);
        add(box.max);
    }
    void add(const std::vector<std::uint64_t>& words) {
        words_.insert(words_.end(), words.begin(), words.end());
    }
    void add(const std::vector<std::uint32_t>& words) {
        words_.insert(words_.end(), words.begin(), words.end());
    }
    /// The items by `add_item(item)`, after their number.
    template <class List, class AddItem>
    void add_all(const List& list, AddItem&& add_item) {
        add(list.size());
        for (const auto& item : list) add_item(item);
    }
    template <class Pairs>
    void add_pairs(const Pairs& pairs) {
        add_all(pairs, [&](const auto& pair) {
            add(pair.first);
            add(pair.second);
        });
    }

    friend bool operator==(const Answers&, const Answers&) = default;

private:
    std::vector<std::uint64_t> words_;
};

}  // namespace broadside::test
