// A scene as a film: its boxes, what find_pairs answers, and how it came to that.
#pragma once

#include "extras/viewer/film.hpp"

#include <broadside/find_pairs.hpp>
#include <broadside/isa.hpp>
#include <broadside/scene_io/boxrec.hpp>

#include <functional>

namespace broadside::view {

struct ViewSettings {
    PairAlgorithm algorithm = PairAlgorithm::automatic;
    /// The active one, for the page to name.
    Isa isa = Isa::scalar;
    /// By how much boxes are grown for the candidates; negative: four times the median motion of what
    /// moves, or as little as leaves two candidates a box.
    double margin = -1;
    std::size_t max_frame_count = 1'000'000;
};

/// A film, and a hash of each frame's boxes and of its pairs, which tell two films apart.
struct SceneFilm {
    viewer::Film film;
    std::vector<std::uint64_t> box_hashes;
    std::vector<std::uint64_t> pair_hashes;
};

/// `report_progress(done)` is called after every frame. Throws std::runtime_error when the library answers
/// another status than ok.
SceneFilm make_scene_film(const std::string& title, const scene_io::Recording& recording,
                          const ViewSettings& settings,
                          const std::function<void(std::size_t)>& report_progress = {});

/// One line that says where two films differ first, and in what; empty when they do not. Marks the frames that
/// differ in both.
std::string compare(SceneFilm& a, SceneFilm& b);

}  // namespace broadside::view
