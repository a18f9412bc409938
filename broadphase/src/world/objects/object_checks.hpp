// Checks of the descriptions of objects, and of what they are set to.
#pragma once

#include "core/src/argument.hpp"

#include <broadside/object.hpp>

namespace broadside::broadphase {

inline bool check_kind(ObjectKind kind) {
    return BROADSIDE_ARGUMENT(kind <= ObjectKind::fixed, "kind: no enumerator");
}

inline bool check_layer(std::uint32_t layer) {
    return BROADSIDE_ARGUMENT(layer < kLayerCount, "layer: not below kLayerCount");
}

inline bool check_margin(float margin) {
    return BROADSIDE_ARGUMENT(margin >= 0, "margin: negative or no number");
}

inline bool check_displacement(Vec3 displacement) {
    return BROADSIDE_ARGUMENT(is_finite(displacement), "displacement: not finite");
}

inline bool check_description(const ObjectDescription& description) {
    return check_kind(description.kind) && check_margin(description.margin) &&
           check_displacement(description.displacement);
}

}  // namespace broadside::broadphase
