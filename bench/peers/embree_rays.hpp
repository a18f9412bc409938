// Rays of an Embree scene, one by one and sixteen a call: the hits as SceneTriangle, whose instance is 0 in a scene
// without instances.
#pragma once

#include "bench/mesh_pair_scene.hpp"

#include <broadside/mesh_scene.hpp>

#include <embree3/rtcore.h>

#include <cstring>
#include <vector>

namespace broadside::bench {

/// A device of one thread and the scenes made on it, which live as long.
class EmbreeDevice {
public:
    EmbreeDevice() : device_(rtcNewDevice("threads=1")) {}
    EmbreeDevice(const EmbreeDevice&) = delete;
    EmbreeDevice& operator=(const EmbreeDevice&) = delete;
    ~EmbreeDevice() { rtcReleaseDevice(device_); }

    operator RTCDevice() const { return device_; }
    RTCScene make_empty(RTCBuildQuality quality) const {
        RTCScene scene = rtcNewScene(device_);
        rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
        rtcSetSceneBuildQuality(scene, quality);
        return scene;
    }
    RTCScene make(const std::vector<Vec3>& vertices, const std::vector<std::uint32_t>& triangles,
                  RTCBuildQuality quality) const {
        RTCScene scene = make_empty(quality);
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
        rtcSetGeometryBuildQuality(geometry, quality);
        void* const corners = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                      sizeof(Vec3), vertices.size());
        std::memcpy(corners, vertices.data(), vertices.size() * sizeof(Vec3));
        void* const indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                      12, triangles.size() / 3);
        std::memcpy(indices, triangles.data(), triangles.size() * 4);
        add(scene, geometry);
        rtcCommitScene(scene);
        return scene;
    }
    static void add(RTCScene scene, RTCGeometry geometry) {
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
    }

private:
    RTCDevice device_;
};

/// Asks a scene.
class EmbreeRays {
public:
    explicit EmbreeRays(RTCScene scene) : scene_(scene) {}

    std::vector<SceneTriangle> closest(const std::vector<Ray>& rays) {
        std::vector<SceneTriangle> triangles;
        for (const Ray& ray : rays) {
            RTCIntersectContext context;
            rtcInitIntersectContext(&context);
            RTCRayHit hit = {};
            hit.ray = embree_ray(ray);
            hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
            hit.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect1(scene_, &context, &hit);
            triangles.push_back(found(hit.hit.geomID, hit.hit.instID[0], hit.hit.primID));
        }
        return triangles;
    }
    std::vector<SceneTriangle> closest_of_packets(const std::vector<Ray>& rays) {
        std::vector<SceneTriangle> triangles;
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
        for (std::size_t i = 0; i < rays.size(); i += kPacket) {
            RTCRayHit16 hits = {};
            set_packet(hits.ray, rays, i);
            for (unsigned& id : hits.hit.geomID) id = RTC_INVALID_GEOMETRY_ID;
            for (unsigned& id : hits.hit.instID[0]) id = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect16(kAllValid, scene_, &context, &hits);
            for (std::size_t k = 0; k < kPacket; ++k)
                triangles.push_back(found(hits.hit.geomID[k], hits.hit.instID[0][k], hits.hit.primID[k]));
        }
        return triangles;
    }
    std::size_t any_of_packets(const std::vector<Ray>& rays) {
        std::size_t count = 0;
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
        for (std::size_t i = 0; i < rays.size(); i += kPacket) {
            RTCRay16 packet = {};
            set_packet(packet, rays, i);
            rtcOccluded16(kAllValid, scene_, &context, &packet);
            for (const float t : packet.tfar) count += t < 0 ? 1u : 0u;
        }
        return count;
    }
    std::size_t any(const std::vector<Ray>& rays) {
        std::size_t count = 0;
        for (const Ray& ray : rays) {
            RTCIntersectContext context;
            rtcInitIntersectContext(&context);
            RTCRay asked = embree_ray(ray);
            rtcOccluded1(scene_, &context, &asked);
            count += asked.tfar < 0 ? 1u : 0u;
        }
        return count;
    }

private:
    static constexpr std::size_t kPacket = 16;
    static_assert(kMeshRayCount % kPacket == 0 && kHallRayCount % kPacket == 0);
    alignas(64) static constexpr int kAllValid[kPacket] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                           -1, -1, -1, -1, -1, -1, -1, -1};

    static SceneTriangle found(unsigned geometry, unsigned instance, unsigned triangle) {
        if (geometry == RTC_INVALID_GEOMETRY_ID) return {};
        return {instance == RTC_INVALID_GEOMETRY_ID ? 0 : instance, triangle};
    }
    static void set_packet(RTCRay16& out_packet, const std::vector<Ray>& rays, std::size_t first) {
        for (std::size_t k = 0; k < kPacket; ++k) {
            const Ray& ray = rays[first + k];
            out_packet.org_x[k] = ray.origin.x;
            out_packet.org_y[k] = ray.origin.y;
            out_packet.org_z[k] = ray.origin.z;
            out_packet.dir_x[k] = ray.direction.x;
            out_packet.dir_y[k] = ray.direction.y;
            out_packet.dir_z[k] = ray.direction.z;
            out_packet.tfar[k] = ray.t_max;
            out_packet.mask[k] = ~0u;
        }
    }
    static RTCRay embree_ray(const Ray& ray) {
        return {ray.origin.x,
                ray.origin.y,
                ray.origin.z,
                0,
                ray.direction.x,
                ray.direction.y,
                ray.direction.z,
                0,
                ray.t_max,
                ~0u,
                0,
                0};
    }

    RTCScene scene_;
};

}  // namespace broadside::bench
