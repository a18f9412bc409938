/* find_pairs against brute force: one set, two sets, filters, outputs, caps. */
#include "support.h"

static broadside_pair expected[BOX_COUNT * BOX_COUNT];

typedef int (*may_pair)(size_t i, size_t j);

static int any_may(size_t i, size_t j) {
    (void)i;
    (void)j;
    return 1;
}

static size_t brute_force(const box_set* a, const box_set* b, may_pair rule) {
    size_t count = 0;
    for (size_t i = 0; i < BOX_COUNT; ++i) {
        for (size_t j = b == NULL ? i + 1 : 0; j < BOX_COUNT; ++j) {
            if (!overlaps(&a->boxes[i], &(b == NULL ? a : b)->boxes[j]) || !rule(i, j)) continue;
            expected[count++] = (broadside_pair){(uint32_t)i, (uint32_t)j};
        }
    }
    return count;
}
static int is_expected(const broadside_pair* pairs, size_t count, size_t expected_count) {
    return count == expected_count && memcmp(pairs, expected, count * sizeof *pairs) == 0;
}

static uint64_t categories[BOX_COUNT], masks[BOX_COUNT], subset[(BOX_COUNT + 63) / 64];
static uint32_t groups[BOX_COUNT], ids[2 * BOX_COUNT];

static int has_common_id(size_t i, size_t j) {
    return ids[2 * i] == ids[2 * j] || ids[2 * i] == ids[2 * j + 1] || ids[2 * i + 1] == ids[2 * j] ||
           ids[2 * i + 1] == ids[2 * j + 1];
}

static int filtered(size_t i, size_t j) {
    return (categories[i] & masks[j]) != 0 && (categories[j] & masks[i]) != 0 &&
           (groups[i] == 0 || groups[i] != groups[j]) && (bit_of(subset, i) || bit_of(subset, j)) &&
           !has_common_id(i, j);
}

typedef struct collected {
    broadside_pair pairs[BOX_COUNT * BOX_COUNT];
    size_t count;
    size_t call_count;
    /* 0: accepts any number of parts. */
    size_t call_count_max;
} collected;
static uint32_t collect(void* user, const broadside_pair* pairs, size_t count) {
    collected* to = user;
    memcpy(to->pairs + to->count, pairs, count * sizeof *pairs);
    to->count += count;
    ++to->call_count;
    return to->call_count_max == 0 || to->call_count < to->call_count_max;
}

static int compare_pairs(const void* a, const void* b) {
    const broadside_pair *first = a, *second = b;
    if (first->first != second->first) return first->first < second->first ? -1 : 1;
    return first->second < second->second ? -1 : first->second > second->second;
}

/* Rows of numbers that floats, and for integers even doubles, cannot tell apart, in every type and with two
   and three axes. */
#define CHECK_EXACT(Number, kind, far)                                                                       \
    do {                                                                                                     \
        static Number rows[BOX_COUNT][6];                                                                    \
        for (size_t i = 0; i < BOX_COUNT; ++i) {                                                             \
            for (size_t axis = 0; axis < 3; ++axis) {                                                        \
                rows[i][axis] = (Number)((Number)(far) + (Number)random_below(40));                          \
                rows[i][axis + 3] = (Number)(rows[i][axis] + (Number)random_below(6));                       \
            }                                                                                                \
        }                                                                                                    \
        for (uint32_t axes = 2; axes <= 3; ++axes) {                                                         \
            const broadside_exact_boxes boxes = {&rows[0][0], &rows[0][1], &rows[0][2], &rows[0][3],         \
                                                 &rows[0][4], &rows[0][5], BOX_COUNT,   6,                   \
                                                 kind,        axes};                                         \
            size_t all = 0;                                                                                  \
            for (uint32_t i = 0; i < BOX_COUNT; ++i) {                                                       \
                for (uint32_t j = i + 1; j < BOX_COUNT; ++j) {                                               \
                    int is_pair = 1;                                                                         \
                    for (uint32_t axis = 0; axis < axes; ++axis)                                             \
                        is_pair &= rows[i][axis] <= rows[j][axis + 3] && rows[j][axis] <= rows[i][axis + 3]; \
                    if (is_pair) expected[all++] = (broadside_pair){i, j};                                   \
                }                                                                                            \
            }                                                                                                \
            CHECK(broadside_find_exact_pairs(finder, &boxes, NULL, NULL, &pairs, &count, NULL) ==            \
                  BROADSIDE_OK);                                                                             \
            CHECK(all > 100 && is_expected(pairs, count, all));                                              \
            size_t both = 0;                                                                                 \
            CHECK(broadside_find_exact_pairs(finder, &boxes, &boxes, NULL, &pairs, &both, NULL) ==           \
                  BROADSIDE_OK);                                                                             \
            CHECK(both == 2 * all + BOX_COUNT);                                                              \
        }                                                                                                    \
    } while (0)
static void test_exact_pairs(void) {
    broadside_finder* finder = NULL;
    const broadside_pair* pairs = NULL;
    size_t count = 0;
    CHECK(broadside_finder_create(NULL, &finder) == BROADSIDE_OK);
    CHECK_EXACT(float, BROADSIDE_NUMBER_FLOAT, -3);
    CHECK_EXACT(double, BROADSIDE_NUMBER_DOUBLE, 1e15);
    CHECK_EXACT(int32_t, BROADSIDE_NUMBER_INT32, 2147480000);
    CHECK_EXACT(int64_t, BROADSIDE_NUMBER_INT64, 9007199254740993);
    const double numbers[6] = {0, 0, 0, 1, 1, 1};
    broadside_exact_boxes bad = {numbers,
                                 numbers + 1,
                                 numbers + 2,
                                 numbers + 3,
                                 numbers + 4,
                                 numbers + 5,
                                 1,
                                 6,
                                 BROADSIDE_NUMBER_DOUBLE,
                                 4};
    CHECK(broadside_find_exact_pairs(finder, &bad, NULL, NULL, &pairs, &count, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    bad.axis_count = 0;
    CHECK(broadside_find_exact_pairs(finder, &bad, NULL, NULL, &pairs, &count, NULL) == BROADSIDE_OK &&
          count == 0);
    broadside_exact_boxes other = bad;
    other.number = BROADSIDE_NUMBER_INT64;
    CHECK(broadside_find_exact_pairs(finder, &bad, &other, NULL, &pairs, &count, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    bad.number = (broadside_number)4;
    CHECK(broadside_find_exact_pairs(finder, &bad, NULL, NULL, &pairs, &count, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    broadside_finder_destroy(finder);
}

void test_find_pairs(void) {
    test_exact_pairs();
    static box_set a, b;
    fill_boxes(&a);
    fill_boxes(&b);
    broadside_finder* finder = NULL;
    CHECK(broadside_finder_create(NULL, &finder) == BROADSIDE_OK);
    int call_count = 0;
    const broadside_task_runner runner = backward_runner(&call_count);
    const broadside_pair* pairs = NULL;
    size_t count = 0;

    size_t invalid_count = 0, first_invalid = BROADSIDE_NO_INDEX;
    for (size_t i = BOX_COUNT; i-- > 0;) {
        if (is_valid(&a.boxes[i])) continue;
        ++invalid_count;
        first_invalid = i;
    }
    CHECK(invalid_count > 0);
    CHECK(broadside_find_invalid_box(&a.view, 0) == first_invalid);
    CHECK(broadside_find_invalid_box(&a.view, BOX_COUNT) == BROADSIDE_NO_INDEX);

    size_t all = brute_force(&a, NULL, any_may);
    CHECK(all > 100);
    CHECK(broadside_find_pairs(finder, &a.view, NULL, NULL, &pairs, &count, NULL) == BROADSIDE_OK);
    CHECK(is_expected(pairs, count, all));
    for (int algorithm = BROADSIDE_ALGORITHM_AUTOMATIC; algorithm <= BROADSIDE_ALGORITHM_CELLS; ++algorithm) {
        SIZED(broadside_find_pairs_settings, settings);
        SIZED(broadside_find_pairs_result, result);
        settings.algorithm = (broadside_pair_algorithm)algorithm;
        settings.runner = &runner;
        CHECK(broadside_find_pairs(finder, &a.view, NULL, &settings, &pairs, &count, &result) ==
              BROADSIDE_OK);
        CHECK(is_expected(pairs, count, all));
        CHECK(result.status == BROADSIDE_OK && result.written == all && result.required == all);
        CHECK(result.invalid_count == invalid_count && result.first_invalid == first_invalid);
        CHECK(result.invalid_b_count == 0 && result.first_invalid_b == BROADSIDE_NO_INDEX);
        CHECK(result.size == sizeof result && result.memory_bytes > 0);
        if (algorithm != BROADSIDE_ALGORITHM_AUTOMATIC)
            CHECK(result.algorithm == (broadside_pair_algorithm)algorithm);
        /* Unordered: the same pairs in another order. */
        settings.order = BROADSIDE_ORDER_BY_ALGORITHM;
        CHECK(broadside_find_pairs(finder, &a.view, NULL, &settings, &pairs, &count, NULL) == BROADSIDE_OK);
        static broadside_pair sorted[BOX_COUNT * BOX_COUNT];
        memcpy(sorted, pairs, count * sizeof *pairs);
        qsort(sorted, count, sizeof *sorted, compare_pairs);
        CHECK(is_expected(sorted, count, all));
    }
    CHECK(call_count > 0);

    /* Too little room: a prefix, and the full count. */
    static broadside_pair array[BOX_COUNT * BOX_COUNT];
    memset(array, 0xAB, sizeof array);
    SIZED(broadside_find_pairs_result, result);
    CHECK(broadside_find_pairs_into(finder, &a.view, NULL, NULL, array, 10, &result) ==
          BROADSIDE_CAPACITY_EXCEEDED);
    CHECK(result.written == 10 && result.required == all && is_expected(array, 10, 10));
    CHECK(array[10].first == 0xABABABABu);
    CHECK(broadside_find_pairs_into(finder, &a.view, NULL, NULL, array, all, &result) == BROADSIDE_OK);
    CHECK(is_expected(array, result.written, all));
    SIZED(broadside_find_pairs_settings, capped);
    capped.max_pair_count = 7;
    CHECK(broadside_find_pairs(finder, &a.view, NULL, &capped, &pairs, &count, &result) ==
          BROADSIDE_CAPACITY_EXCEEDED);
    CHECK(is_expected(pairs, count, 7) && result.required == all);

    static collected to;
    to.count = 0;
    to.call_count_max = 0;
    to.call_count = 0;
    CHECK(broadside_find_pairs_to(finder, &a.view, NULL, NULL, collect, &to, &result) == BROADSIDE_OK);
    CHECK(is_expected(to.pairs, to.count, all) && to.call_count >= 1);
    /* A sink that has enough is not called again. */
    to.count = 0;
    to.call_count = 0;
    to.call_count_max = 1;
    CHECK(broadside_find_pairs_to(finder, &a.view, NULL, NULL, collect, &to, &result) == BROADSIDE_STOPPED);
    CHECK(result.status == BROADSIDE_STOPPED && result.written == to.count && to.call_count == 1);
    CHECK(is_expected(to.pairs, to.count, to.count));

    /* Two sets. */
    all = brute_force(&a, &b, any_may);
    CHECK(broadside_find_pairs(finder, &a.view, &b.view, NULL, &pairs, &count, &result) == BROADSIDE_OK);
    CHECK(is_expected(pairs, count, all));
    CHECK(result.invalid_b_count > 0);

    /* Filters. */
    for (size_t i = 0; i < BOX_COUNT; ++i) {
        categories[i] = 1u << random_below(4);
        masks[i] = random_below(16);
        groups[i] = random_below(3);
        ids[2 * i] = random_below(8);
        ids[2 * i + 1] = random_below(8);
    }
    for (size_t word = 0; word < sizeof subset / sizeof *subset; ++word)
        subset[word] = random_below(1u << 24);
    all = brute_force(&a, NULL, filtered);
    SIZED(broadside_find_pairs_settings, rules);
    rules.filter = (broadside_box_filter){categories, masks, groups, subset, ids, 2, 0};
    CHECK(broadside_find_pairs(finder, &a.view, NULL, &rules, &pairs, &count, NULL) == BROADSIDE_OK);
    CHECK(all > 0 && is_expected(pairs, count, all));
    rules.filter.ids_per_box = 0;
    CHECK(broadside_find_pairs(finder, &a.view, NULL, &rules, &pairs, &count, NULL) ==
          BROADSIDE_INVALID_ARGUMENT);
    rules.filter.ids_per_box = 2;
    all = brute_force(&a, &b, filtered);
    rules.filter_b = rules.filter;
    CHECK(broadside_find_pairs(finder, &a.view, &b.view, &rules, &pairs, &count, NULL) == BROADSIDE_OK);
    CHECK(is_expected(pairs, count, all));

    /* From the caller's structs. */
    typedef struct body {
        double mass;
        float max[3];
        int id;
        float min[3];
    } body;
    static body bodies[BOX_COUNT];
    for (size_t i = 0; i < BOX_COUNT; ++i) {
        memcpy(bodies[i].min, &a.boxes[i].min, sizeof bodies[i].min);
        memcpy(bodies[i].max, &a.boxes[i].max, sizeof bodies[i].max);
    }
    broadside_box_array* owned = NULL;
    CHECK(broadside_box_array_create(NULL, &owned) == BROADSIDE_OK);
    CHECK(broadside_box_array_assign(owned, bodies, BOX_COUNT, sizeof(body), offsetof(body, min),
                                     offsetof(body, max)) == BROADSIDE_OK);
    const broadside_boxes view = broadside_box_array_view(owned);
    CHECK(view.count == BOX_COUNT && memcmp(view.max_z, a.view.max_z, sizeof a.columns[5]) == 0);
    all = brute_force(&a, NULL, any_may);
    CHECK(broadside_find_pairs(finder, &view, NULL, NULL, &pairs, &count, NULL) == BROADSIDE_OK);
    CHECK(is_expected(pairs, count, all));
    broadside_box_array_destroy(owned);

    broadside_boxes none = {0};
    CHECK(broadside_find_pairs(finder, &none, NULL, NULL, &pairs, &count, NULL) == BROADSIDE_OK &&
          count == 0);
    broadside_finder_destroy(finder);
}
