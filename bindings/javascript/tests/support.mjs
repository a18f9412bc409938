// Shared by the tests: generators with the same numbers on every machine, and brute force in doubles that
// hold floats.
export const kFloat = Math.fround;

/** xorshift32: numbers from 0 to 1, floats. */
export function generator(seed) {
    let state = seed >>> 0 || 1;
    return () => {
        state ^= state << 13;
        state >>>= 0;
        state ^= state >>> 17;
        state ^= state << 5;
        state >>>= 0;
        return kFloat((state >>> 8) / 16777216);
    };
}

/** Boxes of six numbers in a cube of the given side; with `awkward`, some are NaN, inverted, infinite or touching. */
export function randomBoxes(seed, count, side, { awkward = false } = {}) {
    const next = generator(seed);
    const boxes = new Float32Array(6 * count);
    for (let i = 0; i < count; ++i) {
        for (let k = 0; k < 3; ++k) {
            const min = kFloat(next() * side);
            boxes[6 * i + k] = min;
            boxes[6 * i + 3 + k] = kFloat(min + kFloat(next() * 2));
        }
        if (!awkward) continue;
        const kind = Math.floor(next() * 20);
        if (kind === 0) boxes[6 * i + 1] = NaN;
        if (kind === 1) boxes[6 * i + 3] = boxes[6 * i] - 1;
        if (kind === 2) boxes[6 * i + 5] = Infinity;
        if (kind === 3) boxes[6 * i] = -Infinity;
        if (kind === 4) boxes.copyWithin(6 * i + 3, 6 * i, 6 * i + 3);
        if (kind === 5 && i > 0) boxes.set(boxes.slice(6 * i - 3, 6 * i), 6 * i);
        if (kind === 6) boxes[6 * i + 2] = -0;
    }
    return boxes;
}

const kMaxFloat = 3.4028234663852886e38;

/** NaN, inverted, and boxes that begin at +infinity or end at -infinity, are invalid. */
export function isValid(boxes, i) {
    for (let k = 0; k < 3; ++k) {
        const [min, max] = [boxes[6 * i + k], boxes[6 * i + 3 + k]];
        if (!(min <= max) || min > kMaxFloat || max < -kMaxFloat) return false;
    }
    return true;
}

export function overlap(a, i, b, j) {
    for (let k = 0; k < 3; ++k) {
        if (!(a[6 * i + k] <= b[6 * j + 3 + k] && b[6 * j + k] <= a[6 * i + 3 + k])) return false;
    }
    return isValid(a, i) && isValid(b, j);
}

/** All pairs, in canonical order. */
export function allPairs(a, b = undefined) {
    const pairs = [];
    for (let i = 0; i < a.length / 6; ++i) {
        const end = (b ?? a).length / 6;
        for (let j = b ? 0 : i + 1; j < end; ++j) if (overlap(a, i, b ?? a, j)) pairs.push(i, j);
    }
    return Uint32Array.from(pairs);
}

export function columnsOf(boxes) {
    const names = ['minX', 'minY', 'minZ', 'maxX', 'maxY', 'maxZ'];
    return Object.fromEntries(names.map((name, k) => [name, boxes.filter((_, i) => i % 6 === k)]));
}

/** FNV-1a over the words of an array, as 16 hexadecimal digits. */
export function hashOf(words) {
    let hash = 0xcbf29ce484222325n;
    for (const word of words) {
        for (let k = 0n; k < 4n; ++k) {
            hash = ((hash ^ ((BigInt(word) >> (8n * k)) & 0xffn)) * 0x100000001b3n) & 0xffffffffffffffffn;
        }
    }
    return hash.toString(16).padStart(16, '0');
}
