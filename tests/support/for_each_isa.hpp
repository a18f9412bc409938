// Runs a test body on every ISA of this machine and restores the one that was active.
#pragma once

#include <doctest/doctest.h>

#include <broadside/isa.hpp>

#include <string>

namespace broadside::test {

/// Calls `body(isa)` with each supported ISA active, `scalar` first. Fails if there was only scalar on a
/// machine whose library was built with more, and reports which ISAs ran.
template <class Body>
void for_each_isa(Body&& body) {
    const std::optional<Isa> before = active_isa();
    std::string ran;
    for (const Isa isa : supported_isas()) {
        REQUIRE(set_active_isa(isa) == Status::ok);
        REQUIRE(active_isa() == isa);
        INFO("ISA " << std::string(isa_name(isa)));
        body(isa);
        ran += std::string(ran.empty() ? "" : " ") + isa_name(isa);
    }
    if (before) CHECK(set_active_isa(*before) == Status::ok);
    INFO("ran on: " << ran);
    REQUIRE(supported_isas().size() >= (built_isas().size() > 1 ? 2u : 1u));
}

/// Makes one ISA active for a scope.
class ScopedIsa {
public:
    explicit ScopedIsa(Isa isa) : before_(active_isa()) { REQUIRE(set_active_isa(isa) == Status::ok); }
    ~ScopedIsa() {
        if (before_) CHECK(set_active_isa(*before_) == Status::ok);
    }
    ScopedIsa(const ScopedIsa&) = delete;
    ScopedIsa& operator=(const ScopedIsa&) = delete;

private:
    std::optional<Isa> before_;
};

}  // namespace broadside::test
