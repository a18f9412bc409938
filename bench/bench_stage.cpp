// The whole stage on the street scene, by phase.
#include "bench/suites.hpp"
#include "bench/support.hpp"
