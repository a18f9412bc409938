// Distances and overlaps in doubles, by other formulas than the library's. A gap is positive if two things are apart and
// negative or zero if they meet; tests skip gaps that rounding could decide.
export const kTie = 1e-5;

export const at = (numbers, i, size) => Array.from(numbers.slice(size * i, size * i + size));
export const add = (a, b, scale = 1) => a.map((x, k) => x + scale * b[k]);
export const sub = (a, b) => add(a, b, -1);
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a) => Math.sqrt(dot(a, a));

/** The least value of a convex function of 0 to 1. */
export function leastOf(convex) {
    let [low, high] = [0, 1];
    for (let step = 0; step < 40; ++step) {
        const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
        if (convex(a) <= convex(b)) high = b;
        else low = a;
    }
    return convex((low + high) / 2);
}

export const pointToBox = (p, box) => length([0, 1, 2].map((k) => Math.max(box[k] - p[k], p[k] - box[3 + k], 0)));

/** The closest point of a triangle: of its plane if that is inside, else of an edge. */
export function closestOnTriangle(p, [a, b, c]) {
    const normal = cross(sub(b, a), sub(c, a));
    const size = dot(normal, normal);
    if (size > 0) {
        const foot = add(p, normal, -dot(sub(p, a), normal) / size);
        const corners = [a, b, c];
        if ([0, 1, 2].every((k) => dot(cross(sub(corners[(k + 1) % 3], corners[k]), sub(foot, corners[k])), normal) >= 0)) return foot;
    }
    const feet = [[a, b], [b, c], [c, a]].map(([from, to]) => {
        const along = sub(to, from);
        const t = Math.min(1, Math.max(0, dot(sub(p, from), along) / (dot(along, along) || 1)));
        return add(from, along, t);
    });
    return feet.reduce((best, foot) => (length(sub(p, foot)) < length(sub(p, best)) ? foot : best));
}
export const pointToTriangle = (p, triangle) => length(sub(p, closestOnTriangle(p, triangle)));

// Convex bodies by their corners, and the largest gap along an axis.
function gapAlong(axes, a, b) {
    let gap = -Infinity;
    for (const axis of axes) {
        const size = length(axis);
        if (size < 1e-9) continue;
        const [own, others] = [a, b].map((corners) => corners.map((corner) => dot(corner, axis) / size));
        gap = Math.max(gap, Math.min(...others) - Math.max(...own), Math.min(...own) - Math.max(...others));
    }
    return gap;
}
const kAxes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const crosses = (a, b) => a.flatMap((x) => b.map((y) => cross(x, y)));
export function obbParts(obb) {
    const [center, x, y, z, half] = [0, 1, 2, 3, 4].map((k) => at(obb, k, 3));
    const corners = [];
    for (let bits = 0; bits < 8; ++bits) {
        const side = (k) => (bits & (1 << k) ? half[k] : -half[k]);
        corners.push(add(add(add(center, x, side(0)), y, side(1)), z, side(2)));
    }
    return { axes: [x, y, z], corners };
}
const boxAsObb = (box) => [
    ...[0, 1, 2].map((k) => (box[k] + box[3 + k]) / 2), 1, 0, 0, 0, 1, 0, 0, 0, 1, ...[0, 1, 2].map((k) => (box[3 + k] - box[k]) / 2),
];

/** The gap of a shape of each kind and a box of six numbers. */
export const kGapToBox = {
    boxes: (shape, box) => Math.max(...[0, 1, 2].flatMap((k) => [box[k] - shape[3 + k], shape[k] - box[3 + k]])),
    points: (shape, box) => Math.max(...[0, 1, 2].flatMap((k) => [box[k] - shape[k], shape[k] - box[3 + k]])),
    spheres: (shape, box) => pointToBox(shape.slice(0, 3), box) - shape[3],
    capsules: (shape, box) => {
        const [a, b] = [shape.slice(0, 3), shape.slice(3, 6)];
        return leastOf((t) => pointToBox(add(a, sub(b, a), t), box)) - shape[6];
    },
    obbs: (shape, box) => {
        const { axes, corners } = obbParts(shape);
        return gapAlong([...axes, ...kAxes, ...crosses(axes, kAxes)], corners, obbParts(boxAsObb(box)).corners);
    },
};
/** The gap of a shape of each kind and a triangle of three corners. */
export const kGapToTriangle = {
    boxes: (shape, triangle) => kGapToTriangle.obbs(boxAsObb(shape), triangle),
    spheres: (shape, triangle) => pointToTriangle(shape.slice(0, 3), triangle) - shape[3],
    capsules: (shape, triangle) => {
        const [a, b] = [shape.slice(0, 3), shape.slice(3, 6)];
        return leastOf((t) => pointToTriangle(add(a, sub(b, a), t), triangle)) - shape[6];
    },
    obbs: (shape, triangle) => {
        const { axes, corners } = obbParts(shape);
        const edges = [0, 1, 2].map((k) => sub(triangle[(k + 1) % 3], triangle[k]));
        return gapAlong([...axes, cross(edges[0], edges[1]), ...crosses(axes, edges)], corners, triangle);
    },
};
export const kSizes = { boxes: 6, points: 3, spheres: 4, capsules: 7, obbs: 15 };

/** Random shapes of a kind in a cube, in floats. */
export function randomShapes(next, kind, count, side) {
    const shapes = [];
    const point = () => [next() * side, next() * side, next() * side];
    for (let i = 0; i < count; ++i) {
        const p = point();
        if (kind === 'points') shapes.push(...p);
        if (kind === 'boxes') shapes.push(...p, ...p.map((x) => x + 2 * next()));
        if (kind === 'spheres') shapes.push(...p, next() * 2);
        if (kind === 'capsules') shapes.push(...p, ...p.map((x) => x + 4 * next() - 2), next());
        if (kind === 'obbs') {
            const x = point().map((value) => value / side - 0.5);
            const y = cross(x, [next() - 0.5, next() - 0.5, next() + 0.1]);
            const z = cross(x, y);
            shapes.push(...p, ...[x, y, z].flatMap((axis) => axis.map((value) => value / length(axis))), next() * 2, next(), next());
        }
    }
    return Float32Array.from(shapes);
}
