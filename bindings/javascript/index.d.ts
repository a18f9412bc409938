/**
 * Boxes come as columns, as six numbers each (min x, y, z, max x, y, z), or as `Boxes`, which are not copied.
 * Columns without minZ and maxZ are flat. A box that is NaN, or whose min is above its max, meets nothing.
 */
export type BoxInput<Own = Boxes> = Own | ArrayLike<number> | BoxColumns;

export interface BoxColumns {
    readonly minX: ArrayLike<number>;
    readonly minY: ArrayLike<number>;
    readonly minZ?: ArrayLike<number>;
    readonly maxX: ArrayLike<number>;
    readonly maxY: ArrayLike<number>;
    readonly maxZ?: ArrayLike<number>;
}

/** The error that every failing call throws. Nothing has changed then. */
export declare class BroadsideError extends Error {
    /** "invalid argument: …", "out of memory", "capacity exceeded", "unsupported ISA". */
    readonly status: string;
    /** The first bad item, if a single one is at fault. */
    readonly badIndex?: number;
}

/**
 * 64 bits: a bigint, or an integer up to 2^53 - 1. A negative number is its lower 32 bits, as the bitwise operators make
 * it (`~1` is 0xfffffffe); a negative bigint is its lower 64 (`~1n` has all bits but one).
 */
export type Word = number | bigint;
/** One for all, or a list of one each. */
export type Words = Word | ArrayLike<Word>;
/** One for all, or a list of one each. */
export type Numbers = number | ArrayLike<number>;

/** Owns memory of the module; freed by `dispose`, by `using`, or when the object is no longer reachable. */
export interface Owner {
    dispose(): void;
}

/** Boxes in the module's own memory, zeros at first: no call copies them. */
export interface Boxes extends Owner {
    readonly count: number;
    /** Views. Read them again after any call of the library, because its memory may have grown. */
    readonly minX: Float32Array;
    readonly minY: Float32Array;
    readonly minZ: Float32Array;
    readonly maxX: Float32Array;
    readonly maxY: Float32Array;
    readonly maxZ: Float32Array;
    get(index: number): number[];
    set(index: number, box: ArrayLike<number>): void;
    assign(boxes: BoxInput): this;
}

export interface InvalidBoxes {
    readonly count: number;
    /** -1 if there is none. */
    readonly firstIndex: number;
}

/** Rules on the boxes of a set that may pair. A rule that is left out allows all. */
export interface BoxFilter {
    /** Two boxes pair if each has a category in the other's mask. */
    categories?: Words;
    masks?: Words;
    /** 32 bits for each box: boxes of one group do not pair; 0 is no group. */
    groups?: ArrayLike<number>;
}

export interface FindPairsOptions {
    /** A second set: pairs between the two instead of within the one. */
    other?: BoxInput;
    /** canonical: ascending by first, then by second. asFound: unordered, faster, and also the same on every machine. */
    order?: 'canonical' | 'asFound';
    algorithm?: 'automatic' | 'bruteForce' | 'sweepAndPrune' | 'cells';
    filter?: BoxFilter;
    /** Rules on the boxes of `other`. */
    otherFilter?: BoxFilter;
}

export interface FindPairsResult {
    /** Indices of the boxes, two a pair. */
    readonly pairs: Uint32Array;
    /** Boxes that took no part. */
    readonly invalid: InvalidBoxes;
    readonly invalidOther: InvalidBoxes;
}

// Queries. Shapes of one kind, in the units of the boxes; an invalid one (NaN, a negative radius) finds nothing.

/** Six numbers each, or boxes in any other form. A list of numbers instead of an object means boxes. */
export interface BoxShapes {
    readonly boxes: BoxInput;
}
/** Three numbers each. */
export interface PointShapes {
    readonly points: ArrayLike<number>;
}
/** Four numbers each: center, radius. */
export interface SphereShapes {
    readonly spheres: ArrayLike<number>;
}
/** Seven numbers each: the two ends of the segment, radius. */
export interface CapsuleShapes {
    readonly capsules: ArrayLike<number>;
}
/** Oriented boxes, 15 numbers each: center, three axes of length 1 at right angles, half extents along them. */
export interface ObbShapes {
    readonly obbs: ArrayLike<number>;
}
/** Shapes that trees and worlds take. */
export type Shapes = BoxInput | BoxShapes | PointShapes | SphereShapes | CapsuleShapes | ObbShapes;
/** Shapes that meshes and scenes take. */
export type MeshShapes = BoxInput | BoxShapes | SphereShapes | CapsuleShapes | ObbShapes;

/** Points origin + t · direction, 0 <= t <= tMax (default: endless). Three numbers each. */
export interface Rays {
    readonly origins: ArrayLike<number>;
    /** Of any length but 0; t is in multiples of it. */
    readonly directions: ArrayLike<number>;
    readonly tMax?: Numbers;
    /**
     * The hit of a ray that starts in a box. zero (default): the box at t = 0. miss: nothing. negativeT: the box at the
     * t <= 0 at which the line entered it. Meshes ignore this.
     */
    readonly inside?: 'zero' | 'miss' | 'negativeT';
}

/** The motion of shapes. */
export interface Motion {
    /** Three numbers for each shape, which does not turn. */
    readonly displacements: ArrayLike<number>;
    /** The part of the displacement that counts, 0 to 1 (default 1). */
    readonly tMax?: Numbers;
    /** Of boxes. closed (default): a graze is a hit. open: it is none. */
    readonly touch?: 'closed' | 'open';
}
/** Rays or moving shapes that trees and worlds take. A t of a moving shape is a part of its displacement. */
export type Casts = Rays | (Motion & (BoxShapes | SphereShapes | CapsuleShapes));
/** Moving shapes that meshes and scenes take. */
export type MeshCasts = Motion & (SphereShapes | CapsuleShapes | ObbShapes);

/** 0 to 5: min x, max x, min y, max y, min z, max z; 6 is none. */
export type Faces = Uint8Array;
/** 1 for each query that finds something, else 0. */
export type Bits = Uint8Array;

export interface RayOptions {
    /** The end of the ray, in multiples of its direction. Default: endless. */
    tMax?: number;
}

/** Motions of a body that consists of shapes. */
export interface MotionOptions {
    /** Consecutive shapes that are the body in one state. Default 1. */
    shapesPerState?: number;
    /** The shapes are this many motions of equal length, one after the other. Default 1. */
    motionCount?: number;
}

export interface NearestOptions {
    /** Number of results for each point, at least 1. Default 1. */
    count?: number;
    /** Default Infinity. */
    maxDistance?: number;
}

export interface TreeQueryOptions {
    /** Categories of each box of the tree. Default all. */
    categories?: Words;
    /** Mask of each query, which finds boxes that have a category in it. Default all. */
    masks?: Words;
}

/** A tree of boxes for queries; boxes are identified by their index. */
export interface BoxTree extends Owner {
    readonly boxCount: number;
    /** The box around all valid boxes, six numbers; Infinity and -Infinity without any. */
    readonly bounds: number[];
    build(boxes: BoxInput): void;
    /** Takes as many boxes as before, after they moved. Refits, or rebuilds if that pays. */
    update(boxes: BoxInput): void;
    /** Sets a box, or adds one at a new index below 2^31. */
    setBox(index: number, box: ArrayLike<number>): void;
    /** Removes a box; its index stays. Throws if it is not in the tree. */
    removeBox(index: number): void;
    /** The box at an index, six numbers; Infinity and -Infinity if it is invalid or removed. */
    box(index: number): number[];
    /** Pairs of shape and box, two a pair, ascending. */
    findOverlaps(shapes: Shapes, options?: TreeQueryOptions): Uint32Array;
    anyOverlap(shapes: Shapes, options?: TreeQueryOptions): Bits;
    /**
     * For each motion the index, within the motion, of the first shape that overlaps a box; the number of shapes of a
     * motion if none does. Divide by `shapesPerState` for the state. Faster than `anyOverlap` of all shapes.
     */
    firstOverlaps(shapes: Shapes, options?: TreeQueryOptions & MotionOptions): Uint32Array;
    /** For every cast, the first box; -1 if there is none, and t is 1e30 then. */
    closestHits(casts: Casts, options?: TreeQueryOptions): { t: Float32Array; box: Int32Array; face: Faces };
    /** The first box of one ray, or null. */
    closestHit(
        origin: ArrayLike<number>,
        direction: ArrayLike<number>,
        options?: RayOptions,
    ): { t: number; box: number; face: number } | null;
    /** All boxes that casts hit, by cast, then by box. */
    findHits(
        casts: Casts,
        options?: TreeQueryOptions,
    ): { query: Uint32Array; box: Uint32Array; t: Float32Array; face: Faces };
    anyHit(casts: Casts, options?: TreeQueryOptions): Bits;
    /** The `count` nearest boxes of every point (three numbers each) or box, nearest first; -1 if there are no more. */
    closestBoxes(
        points: ArrayLike<number> | PointShapes | BoxShapes,
        options?: TreeQueryOptions & NearestOptions,
    ): { distanceSq: Float32Array; box: Int32Array };
    /** All pairs of the tree's own boxes, or of one and a box of another tree, ascending. */
    findPairs(other?: BoxTree): Uint32Array;
    /** The two boxes of the smallest distance, or null. 0 is an overlap. Among equals, the smaller indices. */
    closestPair(options?: {
        other?: BoxTree;
        maxDistance?: number;
    }): { distance: number; first: number; second: number } | null;
    /** All pairs that are no further apart than `maxDistance` (0 or more), ascending, with their distances. */
    findClosePairs(maxDistance: number, other?: BoxTree): { pairs: Uint32Array; distance: Float32Array };
}

export type ObjectKind = 'moving' | 'resting' | 'fixed';

/** Rules on the partners of an object. */
export interface ObjectFilter {
    /** 64 bits: two objects pair if each has a category in the other's mask. Default all; 0 pairs with nothing. */
    category?: Word;
    mask?: Word;
    /** Objects of one positive group always pair, those of one negative group never; 0 (default) is no group. 32 bits. */
    group?: number;
    /** 0 (default) to 65535; see `World.setLayersPair`. */
    layer?: number;
}

/** The properties of objects that are added together. All but `userData` are shared. */
export interface ObjectDescription extends ObjectFilter {
    /** Default moving. Fixed objects do not pair with each other. */
    kind?: ObjectKind;
    /** Grows the box for pairs. 0 (default) or more. */
    margin?: number;
    /** The caller's 64 bits, one for all or one each. They sort the results of a world with the order userData. Default 0. */
    userData?: Words;
}

/** All that is known of an object. */
export interface ObjectState {
    /** Six numbers, as they were set last. */
    box: number[];
    kind: ObjectKind;
    category: bigint;
    mask: bigint;
    group: number;
    layer: number;
    margin: number;
    userData: bigint;
    displacement: number[];
}

/**
 * Handle of an object of a world: its slot in the lower half, the number of uses of the slot in the upper. Lists of
 * handles are BigUint64Arrays; `new Uint32Array(list.buffer)` has the slots at even indices, for arrays of your own.
 */
export type Handle = bigint;
export type Handles = BigUint64Array | Handle;

export interface UpdateResult {
    /** Pairs that began and that ended, two handles each, in canonical order. */
    readonly begun: BigUint64Array;
    readonly ended: BigUint64Array;
    /** User data of the objects of `ended`, those of removed objects too. */
    readonly endedUserData: BigUint64Array;
    readonly pairCount: number;
    readonly changedCount: number;
}

export interface WorldQueryOptions {
    /** The kinds of objects to find. Default all. */
    kinds?: readonly ObjectKind[];
    /**
     * Layers of which an object must be in one, or a function that says whether objects of a layer are found: a call asks
     * it about each layer that it meets, mostly once. It must not call the library. Default any. Lists of layers below
     * 64 are fastest.
     */
    layers?: Iterable<number> | ((layer: number) => boolean);
    /** Mask of each query, of whose categories an object must have one. Default all. */
    masks?: Words;
}

/**
 * Objects that are added, move and are removed; every update reports the pairs that began and ended. A handle that names
 * no object is an error, and the call changes nothing.
 */
export interface World extends Owner {
    readonly objectCount: number;
    /** All slots of handles are below this. */
    readonly slotCount: number;
    readonly pairCount: number;
    /** The box around the boxes of all objects, six numbers; Infinity and -Infinity without any. */
    readonly bounds: number[];
    add(boxes: BoxInput, description?: ObjectDescription): BigUint64Array;
    remove(handles: Handles): void;
    setBoxes(handles: Handles, boxes: BoxInput): void;
    /** Boxes are swept along these, three finite numbers each. */
    setDisplacements(handles: Handles, vectors: ArrayLike<number>): void;
    setKind(handles: Handles, kind: ObjectKind): void;
    setMargin(handles: Handles, margin: number): void;
    /** Fields that are left out stay. */
    setFilter(handles: Handles, filter: ObjectFilter): void;
    setUserData(handles: Handles, userData: Words): void;
    /** The boxes of objects as they were set last, six numbers each. */
    boxes(handles: Handles): Float32Array;
    userData(handles: Handles): BigUint64Array;
    describe(handle: Handle): ObjectState;
    isAlive(handle: Handle): boolean;
    /** Objects whose boxes are invalid, by slot. They pair with nothing until they are set again. */
    quarantined(): BigUint64Array;
    /** Subtracts three finite numbers from all boxes. */
    shiftOrigin(offset: ArrayLike<number>): void;
    /** Whether objects of two layers, or of one, may pair. All may at first. */
    setLayersPair(a: number, b: number, mayPair: boolean): void;
    layersPair(a: number, b: number): boolean;
    update(): UpdateResult;
    /** All pairs, two handles each, in canonical order. */
    pairs(): BigUint64Array;
    /** Hash of the set of pairs, the same as in C++. */
    pairsHash(): bigint;
    /** The world as bytes, in the format of the C++ library. */
    save(): Uint8Array;
    /** Becomes the saved world. Throws for bytes that are damaged, cut off or of another version. */
    restore(snapshot: Uint8Array): void;
    // Queries see every change at once, even before an update. Boxes are without margin and displacement.
    findOverlaps(shapes: Shapes, options?: WorldQueryOptions): { query: Uint32Array; object: BigUint64Array };
    anyOverlap(shapes: Shapes, options?: WorldQueryOptions): Bits;
    /** See `BoxTree.firstOverlaps`. */
    firstOverlaps(shapes: Shapes, options?: WorldQueryOptions & MotionOptions): Uint32Array;
    /** The first object of every cast; 0n if there is none, and t is 1e30 then. */
    closestHits(casts: Casts, options?: WorldQueryOptions): { t: Float32Array; object: BigUint64Array; face: Faces };
    /** The first object of one ray, or null. */
    closestHit(
        origin: ArrayLike<number>,
        direction: ArrayLike<number>,
        options?: WorldQueryOptions & RayOptions,
    ): { t: number; object: Handle; face: number } | null;
    /** All objects that casts hit, by cast, then in the world's order. */
    findHits(
        casts: Casts,
        options?: WorldQueryOptions,
    ): { query: Uint32Array; object: BigUint64Array; t: Float32Array; face: Faces };
    anyHit(casts: Casts, options?: WorldQueryOptions): Bits;
    /** The nearest objects of every point or box, at most 64 each, nearest first; 0n if there are no more. */
    closestObjects(
        points: ArrayLike<number> | PointShapes | BoxShapes,
        options?: WorldQueryOptions & NearestOptions,
    ): { distanceSq: Float32Array; object: BigUint64Array };
}

export interface MeshOptions {
    /** front: rays hit triangles only where their corners go round counter-clockwise. Default both. */
    sides?: 'both' | 'front';
}
/** How to make a mesh. */
export interface MeshBuildOptions extends MeshOptions {
    /** fast: made in two fifths to a half of the time, and queries take up to 1.7 times as long. Default standard. */
    quality?: 'standard' | 'fast';
}

/** First hits of rays. The point is a + u (b - a) + v (c - a). */
export interface MeshHits {
    /** 1e30 if there is no hit. */
    readonly t: Float32Array;
    /** -1 if there is no hit. */
    readonly triangle: Int32Array;
    readonly u: Float32Array;
    readonly v: Float32Array;
}

/** First impacts of moving shapes. */
export interface MeshImpacts {
    /** A part of the displacement; 1e30 if there is no impact. */
    readonly t: Float32Array;
    /** -1 if there is no impact. */
    readonly triangle: Int32Array;
    /** The point on the triangle, zeros of obbs, and the unit vector from there to the shape; zeros without impact. */
    readonly point: Float32Array;
    readonly normal: Float32Array;
}

/** Closest points, three numbers each. */
export interface MeshClosestPoints {
    readonly point: Float32Array;
    /** Infinity without a triangle, and for a point that is not finite. */
    readonly distanceSq: Float32Array;
    /** -1 then. */
    readonly triangle: Int32Array;
}

export interface ClosestTrianglesOptions {
    /** 0 or more. Default Infinity. A small limit makes the search faster. */
    maxDistance?: number;
    /** 16 numbers each, as of `Broadside.MeshScene`. Left out, a mesh is where it is. */
    transform?: ArrayLike<number>;
    otherTransform?: ArrayLike<number>;
}

/** The triangles of two meshes that are closest to each other. */
export interface ClosestTriangles {
    /** 0 exactly if triangles meet. */
    distance: number;
    triangle: number;
    /** That of the other mesh. */
    otherTriangle: number;
    /** The closest points of both meshes, in the world, three numbers each. */
    point: number[];
    otherPoint: number[];
}

/**
 * Triangles, which never change, identified by their index. Ray hits are decided exactly: no ray passes between two
 * triangles that share an edge. Memory is freed when no scene uses them any more.
 */
export interface TriangleMesh extends Owner {
    readonly triangleCount: number;
    /** Number of triangles without area, which no ray hits. */
    readonly degenerateCount: number;
    /** The box around all triangles, six numbers; Infinity and -Infinity without any. */
    readonly bounds: number[];
    /** The corners of a triangle, nine numbers. */
    triangle(index: number): number[];
    /** The first triangle of every ray; among equals, the smallest index. */
    closestHits(rays: Rays): MeshHits;
    /** The first triangle of one ray, or null. */
    closestHit(
        origin: ArrayLike<number>,
        direction: ArrayLike<number>,
        options?: RayOptions,
    ): { t: number; triangle: number; u: number; v: number } | null;
    /** All triangles that rays hit, by ray, then by t. */
    findHits(
        rays: Rays,
    ): { query: Uint32Array; triangle: Uint32Array; t: Float32Array; u: Float32Array; v: Float32Array };
    anyHit(rays: Rays): Bits;
    /** Pairs of shape and triangle, two a pair, ascending. Exact. */
    findOverlaps(shapes: MeshShapes): Uint32Array;
    anyOverlap(shapes: MeshShapes): Bits;
    /** See `BoxTree.firstOverlaps`. */
    firstOverlaps(shapes: MeshShapes, options?: MotionOptions): Uint32Array;
    /** The first triangle that every moving shape touches. */
    cast(casts: MeshCasts): MeshImpacts;
    /** All triangles that moving shapes touch, by shape, then by t, then by triangle. */
    castAll(casts: MeshCasts): MeshImpacts & { readonly query: Uint32Array };
    closestPoints(points: ArrayLike<number>): MeshClosestPoints;
    /**
     * The distance of this mesh from another one, and where they are closest; null if that is further than `maxDistance`
     * or a mesh is empty. Of triangles that are equally near, the first of this mesh and then of the other one; any that
     * meet if some do. Surfaces count: a mesh within another one has a distance from it.
     */
    closestTriangles(other: TriangleMesh, options?: ClosestTrianglesOptions): ClosestTriangles | null;
    /** Whether a closed mesh contains each point, its surface included. Exact. */
    contain(points: ArrayLike<number>): Bits;
    /** Distances to the surface of a closed mesh, negative inside. */
    signedDistances(points: ArrayLike<number>): Float32Array;
    /** The mesh with its tree as bytes, the same on every machine, in the format of the C++ library. */
    save(): Uint8Array;
}

/** How to make a `TriangleMesh`. */
export interface TriangleMeshClass {
    /**
     * `positions`: three finite numbers a vertex. `indices`: three a triangle; left out, every three vertices are one.
     * These are the arrays of a BufferGeometry of three.js.
     */
    new (positions?: ArrayLike<number>, indices?: ArrayLike<number> | null, options?: MeshBuildOptions): TriangleMesh;
    /** The mesh that was saved. Throws for bytes that are damaged, cut off or of another version. */
    restore(snapshot: Uint8Array, options?: MeshOptions): TriangleMesh;
}

/** Instances of meshes, each turned, scaled by one number and moved, and queried as one mesh. */
export interface MeshScene extends Owner {
    readonly instanceCount: number;
    /** The box around all instances, a few roundings larger; Infinity and -Infinity without any. */
    readonly bounds: number[];
    instanceBounds(index: number): number[];
    /** Moves all instances; see `Broadside.MeshScene`. On an error the scene is as before. */
    update(transforms: ArrayLike<number>): void;
    /** The first instance (-1 if there is none) and triangle of every ray. */
    closestHits(rays: Rays): MeshHits & { readonly instance: Int32Array };
    /** The first instance and triangle of one ray, or null. */
    closestHit(
        origin: ArrayLike<number>,
        direction: ArrayLike<number>,
        options?: RayOptions,
    ): { t: number; instance: number; triangle: number; u: number; v: number } | null;
    /** All triangles that rays hit, by ray, then by t, instance and triangle. */
    findHits(rays: Rays): {
        query: Uint32Array;
        instance: Uint32Array;
        triangle: Uint32Array;
        t: Float32Array;
        u: Float32Array;
        v: Float32Array;
    };
    anyHit(rays: Rays): Bits;
    /** All triangles that shapes overlap, by shape, instance and triangle. */
    findOverlaps(shapes: MeshShapes): { query: Uint32Array; instance: Uint32Array; triangle: Uint32Array };
    anyOverlap(shapes: MeshShapes): Bits;
    /** The first instance (-1 if there is none) and triangle that every moving shape touches. */
    cast(casts: MeshCasts): MeshImpacts & { readonly instance: Int32Array };
    /** All triangles that moving shapes touch, by shape, then by t, instance and triangle. */
    castAll(casts: MeshCasts): MeshImpacts & { readonly query: Uint32Array; readonly instance: Int32Array };
    closestPoints(points: ArrayLike<number>): MeshClosestPoints & { readonly instance: Int32Array };
    /** Whether any instance contains each point; the meshes are closed. */
    contain(points: ArrayLike<number>): Bits;
    /** The least signed distance of all instances. */
    signedDistances(points: ArrayLike<number>): Float32Array;
}

export type MeshRelation = 'near' | 'aInB' | 'bInA' | 'touching' | 'intersecting' | 'duplicate';

export interface ClashOptions {
    /** Surfaces no further apart are near. 0 (default): none are. */
    clearance?: number;
    /** Whether to look for a mesh inside a closed one. Default true. */
    findContained?: boolean;
}

/** Instances that meet, ascending. */
export interface Clashes {
    /** Two instances a pair. */
    readonly pairs: Uint32Array;
    /** The relation of each pair: the last one that holds, in the order of the type. */
    readonly relation: MeshRelation[];
    /** Pairs whose boxes come within the clearance, all of which were decided. */
    readonly candidateCount: number;
}

export type MoverForm = 'box' | 'sphere' | 'capsule';

/** Shapes that move by one step. All but the positions may be one for all. Invalid numbers give the status invalid. */
export interface Movers {
    /** Boxes are along the axes, capsules along `up`. Default capsule. */
    readonly form?: MoverForm | readonly MoverForm[];
    /** Centers, three numbers each. */
    readonly positions: ArrayLike<number>;
    /** Wanted displacements in this step, gravity included, three numbers each. */
    readonly displacements: ArrayLike<number>;
    /** Of boxes, three numbers of 0 or more. */
    readonly halfExtents?: ArrayLike<number>;
    /** Of spheres and capsules, 0 or more. */
    readonly radii?: Numbers;
    /** Of capsules: from the center to the center of the sphere at an end. */
    readonly halfLengths?: Numbers;
    /** A box of the tree that the mover passes through; -1 (default) for none. */
    readonly ignoredBoxes?: Numbers;
}

/** Obstacles. Each kind may be left out. */
export interface MoverObstacles {
    /** Solid boxes. */
    readonly boxes?: BoxTree;
    /** Triangles with two sides. */
    readonly meshes?: readonly TriangleMesh[];
    readonly scene?: MeshScene;
}

export interface MoverSettings {
    /** Away from the ground, of any length but 0. Default [0, 0, 1]; set [0, 1, 0] for three.js. */
    up?: ArrayLike<number>;
    /** Cosine of the steepest slope that is ground. Default: 45 degrees. */
    minGroundCosine?: number;
    /** The highest step up. Default 0: none. */
    stepHeight?: number;
    /** Distance down to ground that a mover sticks to. Default 0: it does not. */
    stickDistance?: number;
    /** Distance that movers keep from everything: some hundredths of their size. Default 0.01. */
    contactOffset?: number;
    /** The most deflections in a step. Default 16. */
    maxIterations?: number;
}

export type MoverStatus = 'finished' | 'iterationsUsedUp' | 'startedInside' | 'crowded' | 'invalid';

/** Results of a step, one for each mover. */
export interface MoverSteps {
    /** Centers at the end of the step. */
    readonly positions: Float32Array;
    /** startedInside and invalid: the mover has not moved. crowded: too much is near. */
    readonly status: MoverStatus[];
    readonly isGrounded: Bits;
    readonly hasStepped: Bits;
    readonly iterationCount: Uint32Array;
    /** Normals of the ground and of the last wall, three numbers each; zeros without one. */
    readonly groundNormal: Float32Array;
    readonly wallNormal: Float32Array;
}

export interface Broadside {
    readonly version: string;
    /** The instruction sets of the module: "scalar", and "wasm128" with SIMD. Results are the same bits on both. */
    readonly isas: readonly string[];
    /** The instruction set that calls run on. */
    isa: string;
    readonly memoryBytes: number;
    readonly Boxes: new (count: number) => Boxes;
    readonly BoxTree: new (boxes?: BoxInput) => BoxTree;
    readonly World: new (settings?: { order?: 'slot' | 'userData'; fixedObjectsPair?: boolean }) => World;
    readonly TriangleMesh: TriangleMeshClass;
    /**
     * `transforms`: 16 numbers for each mesh, column by column, as `matrixWorld.elements` of three.js; a rotation or
     * reflection, times one scale, and a translation. Left out, the meshes are where they are. A mesh may occur many
     * times, and may be disposed of.
     */
    readonly MeshScene: new (
        meshes?: readonly TriangleMesh[],
        transforms?: ArrayLike<number>,
        options?: MeshOptions,
    ) => MeshScene;
    /** All pairs of boxes that overlap, closed and exact. */
    findPairs(boxes: BoxInput, options?: FindPairsOptions): FindPairsResult;
    /**
     * The time from 0 to 1 at which box k of `a` first meets box k of `b` as both move along their vectors (three
     * numbers each); 1e30 if they do not meet.
     */
    timesOfImpact(
        a: BoxInput,
        aMoves: ArrayLike<number>,
        b: BoxInput,
        bMoves: ArrayLike<number>,
        options?: { touch?: 'closed' | 'open' },
    ): Float32Array;
    /** All pairs of instances of a scene, or of one and an instance of another scene, that meet. */
    findClashes(a: MeshScene, b?: MeshScene | null, options?: ClashOptions): Clashes;
    /**
     * Moves shapes by one step, each as if alone: they slide along what is in the way, climb slopes and steps, and end
     * inside nothing. See docs/movers.md of the repository.
     */
    stepMovers(movers: Movers, obstacles?: MoverObstacles, settings?: MoverSettings): MoverSteps;
}

/** Loads the module and returns the library. Several may be loaded; each has its own memory. */
export declare function load(options?: { simd?: boolean; url?: string | URL }): Promise<Broadside>;
