// Draws a frame as SVG: a projection along the shortest side of the scene, one shape per object.
#include "tools/demo/demo_picture.hpp"

#include "tools/support/text_builder.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace broadside::demo {
namespace {

constexpr double kPictureWidth = 1600.0;
constexpr double kCaptionHeight = 64.0;
// A mesh of more triangles than this is drawn thinned out: a browser should open the picture at once.
constexpr std::size_t kMeshTriangleLimit = 20000;

struct Point {
    double x;
    double y;
};

// Which two coordinates are drawn, and how they become pixels.
class Projection {
public:
    explicit Projection(const StageInput& input) {
        std::array<std::vector<float>, 3> centers;
        const auto add = [&](Vec3 p) {
            if (!is_finite(p)) return;
            centers[0].push_back(p.x);
            centers[1].push_back(p.y);
            centers[2].push_back(p.z);
        };
        for (std::size_t i = 0; i < input.boxes.count; ++i) add(center(input.boxes[i]));
        for (const Obb& obb : input.obbs) add(obb.center);
        for (std::size_t i = 0; i < input.triangle_bounds.count; ++i) add(center(input.triangle_bounds[i]));
        std::array<double, 3> low{};
        std::array<double, 3> high{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            // The outermost half percent is left out of the frame, so that one stray box does not shrink the
            // rest.
            std::vector<float>& values = centers[axis];
            if (values.empty()) values.push_back(0.0f);
            std::sort(values.begin(), values.end());
            low[axis] = values[values.size() / 200];
            high[axis] = values[values.size() - 1 - values.size() / 200];
        }
        std::size_t depth = 0;
        for (std::size_t axis = 1; axis < 3; ++axis) {
            if (high[axis] - low[axis] < high[depth] - low[depth]) depth = axis;
        }
        right_ = depth == 0 ? 2 : 0;
        up_ = depth == 1 ? 2 : 1;
        const double margin = 0.03 * std::max({high[right_] - low[right_], high[up_] - low[up_], 1e-6});
        left_ = low[right_] - margin;
        top_ = high[up_] + margin;
        scale_ = kPictureWidth / (high[right_] - low[right_] + 2 * margin);
        height_ = std::min(4 * kPictureWidth, std::max(200.0, (high[up_] - low[up_] + 2 * margin) * scale_));
    }

    double height() const { return height_; }
    Point operator()(Vec3 p) const {
        const double coordinates[3] = {p.x, p.y, p.z};
        return {(coordinates[right_] - left_) * scale_, kCaptionHeight + (top_ - coordinates[up_]) * scale_};
    }

private:
    std::size_t right_ = 0;
    std::size_t up_ = 1;
    double left_ = 0;
    double top_ = 0;
    double scale_ = 1;
    double height_ = 0;
};

class Svg : public tools::TextBuilder {
public:
    void add_escaped(const std::string& text) {
        for (const char c : text) add_plain(c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c));
    }
    void box(const Projection& project, const Aabb& box, const char* kind) {
        const Point a = project(box.min);
        const Point b = project(box.max);
        add("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", kind,
            std::min(a.x, b.x), std::min(a.y, b.y), std::max(0.5, std::abs(b.x - a.x)),
            std::max(0.5, std::abs(b.y - a.y)));
    }
    void line(Point a, Point b, const char* kind) {
        add("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", kind, a.x, a.y, b.x,
            b.y);
    }
    void dot(Point at, double radius, const char* kind) {
        add("<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", kind, at.x, at.y, radius);
    }
    void polygon(const std::vector<Point>& points, const char* kind) {
        add("<polygon class=\"%s\" points=\"", kind);
        for (const Point& p : points) add("%.1f,%.1f ", p.x, p.y);
        add("\"/>\n");
    }
};

// Andrew's monotone chain over the eight projected corners.
std::vector<Point> outline(const Projection& project, const Obb& obb) {
    std::vector<Point> corners;
    for (unsigned corner = 0; corner < 8; ++corner) {
        const auto side = [&](unsigned bit, float half) { return (corner & bit) != 0 ? half : -half; };
        corners.push_back(project(obb.center + obb.axis_x * side(1, obb.half_extent.x) +
                                  obb.axis_y * side(2, obb.half_extent.y) +
                                  obb.axis_z * side(4, obb.half_extent.z)));
    }
    std::sort(corners.begin(), corners.end(),
              [](Point a, Point b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
    const auto turns_right = [](Point o, Point a, Point b) {
        return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x) <= 0;
    };
    std::vector<Point> hull;
    for (int pass = 0; pass < 2; ++pass) {
        const std::size_t start = hull.size();
        for (const Point& corner : corners) {
            while (hull.size() >= start + 2 && turns_right(hull[hull.size() - 2], hull.back(), corner))
                hull.pop_back();
            hull.push_back(corner);
        }
        hull.pop_back();
        std::reverse(corners.begin(), corners.end());
    }
    return hull;
}

void draw_mesh(Svg& svg, const Projection& project, const StageInput& input) {
    const TriangleSoaView& triangles = input.triangles;
    const std::size_t step = triangles.count / kMeshTriangleLimit + 1;
    for (std::size_t i = 0; i < triangles.count; i += step) {
        const Triangle triangle = triangles[i];
        svg.polygon({project(triangle.a), project(triangle.b), project(triangle.c)}, "mesh");
    }
}

void draw_bodies(Svg& svg, const Projection& project, const StageInput& input, const CollisionStage& stage) {
    std::vector<char> has_impact(input.boxes.count, 0);
    for (const StageImpact& impact : stage.impacts())
        has_impact[impact.first] = has_impact[impact.second] = 1;
    const auto is_moving = [&](std::size_t i) {
        return input.displacements.count != 0 && !(input.displacements[i] == Vec3{});
    };
    for (std::size_t i = 0; i < input.boxes.count; ++i) {
        if (!is_valid(input.boxes[i])) continue;
        svg.box(project, input.boxes[i], has_impact[i] != 0 ? "hit" : is_moving(i) ? "moving" : "still");
    }
    for (const StageImpact& impact : stage.impacts()) {
        if (impact.toi == 0.0f) continue;
        const auto at_impact = [&](std::uint32_t body) {
            const Vec3 motion = input.displacements.count != 0 ? input.displacements[body] : Vec3{};
            return center(input.boxes[body]) + motion * impact.toi;
        };
        const Point first = project(at_impact(impact.first));
        const Point second = project(at_impact(impact.second));
        svg.line(first, second, "impact");
        svg.dot({(first.x + second.x) / 2, (first.y + second.y) / 2}, 4, "impact");
    }
}

void draw_rays(Svg& svg, const Projection& project, const StageInput& input, const CollisionStage& stage) {
    for (const StageRayHit& hit : stage.ray_hits()) {
        const Ray& ray = input.rays[hit.ray];
        const Point end = project(ray.origin + ray.direction * hit.t);
        svg.line(project(ray.origin), end, "ray");
        svg.dot(end, 1.5, "ray");
    }
}

void draw_obbs(Svg& svg, const Projection& project, const StageInput& input, const CollisionStage& stage) {
    std::vector<char> has_contact(input.obbs.size(), 0);
    for (const StageTriangleImpact& contact : stage.triangle_impacts()) has_contact[contact.obb] = 1;
    for (std::size_t i = 0; i < input.obbs.size(); ++i) {
        if (is_valid(input.obbs[i]))
            svg.polygon(outline(project, input.obbs[i]), has_contact[i] != 0 ? "contact" : "obb");
    }
}

void draw_legend(Svg& svg, const std::string& caption) {
    svg.add("<text class=\"title\" x=\"16\" y=\"26\">");
    svg.add_escaped(caption);
    svg.add("</text>\n");
    constexpr std::array<std::array<const char*, 2>, 8> kRows = {{{"still", "box at rest"},
                                                                  {"moving", "moving box"},
                                                                  {"hit", "box with an impact"},
                                                                  {"impact", "impact within the step"},
                                                                  {"ray", "ray up to its hit"},
                                                                  {"obb", "oriented box"},
                                                                  {"contact", "touching the mesh"},
                                                                  {"mesh", "mesh"}}};
    double x = 16;
    for (const auto& [kind, label] : kRows) {
        svg.add("<rect class=\"%s\" x=\"%.0f\" y=\"38\" width=\"14\" height=\"14\"/>", kind, x);
        svg.add("<text x=\"%.0f\" y=\"50\">%s</text>\n", x + 20, label);
        x += 190;
    }
}

}  // namespace

std::string draw_picture(const StageInput& input, const CollisionStage& stage, const std::string& caption) {
    const Projection project(input);
    const double height = kCaptionHeight + project.height();
    Svg svg;
    svg.add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
        "height=\"%.0f\">\n",
        kPictureWidth, height, kPictureWidth, height);
    svg.add(
        "<style>text{font:13px sans-serif;fill:#334}.title{font-size:16px;font-weight:600}"
        ".still{fill:#cfd6e0;stroke:#8b97a8;stroke-width:.5}.moving{fill:#6aa5e8;stroke:#1f5fa8;stroke-width:"
        ".5}");
    svg.add(
        ".hit{fill:#ffb454;stroke:#b36200;stroke-width:.8}.impact{fill:#e0263c;stroke:#e0263c;stroke-width:1."
        "5}"
        ".ray{stroke:#2f9e58;fill:#2f9e58;stroke-width:.4;stroke-opacity:.6}");
    svg.add(
        ".obb{fill:#b9a5e6;stroke:#6a4fb0;stroke-width:.6}.contact{fill:#d953b8;stroke:#8a1b6e;stroke-width:."
        "8}"
        ".mesh{fill:#eef1ea;stroke:#c9d1c0;stroke-width:.3}</style>\n");
    svg.add("<rect width=\"100%%\" height=\"100%%\" fill=\"#fbfcfe\"/>\n");
    draw_mesh(svg, project, input);
    draw_bodies(svg, project, input, stage);
    draw_obbs(svg, project, input, stage);
    draw_rays(svg, project, input, stage);
    // Shapes outside the framed part of the scene may reach into the caption; this covers them.
    svg.add("<rect width=\"100%%\" height=\"%.0f\" fill=\"#fbfcfe\"/>\n", kCaptionHeight);
    draw_legend(svg, caption);
    svg.add("</svg>\n");
    return svg.take();
}

}  // namespace broadside::demo
