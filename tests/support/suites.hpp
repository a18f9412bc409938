// The suites that test cases are of, as decorators: TEST_CASE("..." * kLong).
#pragma once

#include <doctest/doctest.h>

namespace broadside::test {

/// Random operations on at most 100 objects beside a plain model; tools/checks/coverage.py counts what they reach.
const doctest::test_suite kModel("model");
/// Takes more than a second under two sanitizers, and quicker cases call the same code: left out by
/// ./run test --checked and --unit, and run by all others.
const doctest::test_suite kLong("long");
const doctest::test_suite kLongModel("long model");

}  // namespace broadside::test
