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

export interface FindPairsOptions {
    /** A second set: pairs between the two instead of within the one. */
    other?: BoxInput;
    /** canonical: ascending by first, then by second. asFound: unordered, faster, and also the same on every machine. */
    order?: 'canonical' | 'asFound';
    algorithm?: 'automatic' | 'bruteForce' | 'sweepAndPrune' | 'cells';
}

export interface FindPairsResult {
    /** Indices of the boxes, two a pair. */
    readonly pairs: Uint32Array;
    /** Boxes that took no part. */
    readonly invalid: InvalidBoxes;
    readonly invalidOther: InvalidBoxes;
}

/** Points origin + t · direction, 0 <= t <= tMax (default: endless). Three numbers each. */
export interface Rays {
    readonly origins: ArrayLike<number>;
    readonly directions: ArrayLike<number>;
    readonly tMax?: ArrayLike<number> | number;
}

/** 0 to 5: min x, max x, min y, max y, min z, max z; 6 is none. */
export type Faces = Uint8Array;

/** A tree of boxes for queries; boxes are identified by their index. */
export interface BoxTree extends Owner {
    readonly boxCount: number;
    build(boxes: BoxInput): void;
    /** Takes as many boxes as before, after they moved. Refits, or rebuilds if that pays. */
    update(boxes: BoxInput): void;
    setBox(index: number, box: ArrayLike<number>): void;
    removeBox(index: number): void;
    /** Pairs of query and box, two a pair, ascending. Boxes of six, points of three, spheres of four numbers. */
    findOverlaps(boxes: ArrayLike<number>): Uint32Array;
    findPoints(points: ArrayLike<number>): Uint32Array;
    findSpheres(spheres: ArrayLike<number>): Uint32Array;
    /** All pairs of the tree's own boxes. */
    findPairs(): Uint32Array;
    /** For every ray, the first box; -1 if there is none, and t is 1e30 then. */
    closestHits(rays: Rays): { t: Float32Array; box: Int32Array; face: Faces };
    /** All boxes on the rays, by ray, then by box. */
    findHits(rays: Rays): { ray: Uint32Array; box: Uint32Array; t: Float32Array; face: Faces };
    /** The `count` nearest boxes of every point, nearest first; -1 if there are no more. */
    closestBoxes(
        points: ArrayLike<number>,
        options?: { count?: number; maxDistance?: number },
    ): { distanceSq: Float32Array; box: Int32Array };
}

export type ObjectKind = 'moving' | 'resting' | 'fixed';

/** The shared properties of objects that are added together. */
export interface ObjectDescription {
    /** Default moving. Fixed objects do not pair with each other. */
    kind?: ObjectKind;
    /** 0 to 63; see `World.setLayersPair`. */
    layer?: number;
    /** 32 bits: two objects pair if each has a category in the other's mask. Default all. */
    category?: number;
    mask?: number;
    /** Objects of one positive group always pair, those of one negative group never; 0 is no group. */
    group?: number;
    /** Grows the box for pairs. */
    margin?: number;
    /** The caller's number; sorts the results of a world with the order userData. */
    userData?: number;
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
    readonly pairCount: number;
    readonly changedCount: number;
}

export interface KindOptions {
    /** The kinds of objects to find. Default all. */
    kinds?: readonly ObjectKind[];
}

/** Objects that are added, move and are removed; every update reports the pairs that began and ended. */
export interface World extends Owner {
    readonly objectCount: number;
    /** All slots of handles are below this. */
    readonly slotCount: number;
    readonly pairCount: number;
    add(boxes: BoxInput, description?: ObjectDescription): BigUint64Array;
    remove(handles: Handles): void;
    setBoxes(handles: Handles, boxes: BoxInput): void;
    /** Boxes are swept along these, three numbers each. */
    setDisplacements(handles: Handles, vectors: ArrayLike<number>): void;
    setKind(handles: Handles, kind: ObjectKind): void;
    setLayersPair(a: number, b: number, mayPair: boolean): void;
    isAlive(handle: Handle): boolean;
    update(): UpdateResult;
    /** All pairs, two handles each, in canonical order. */
    pairs(): BigUint64Array;
    /** Hash of the set of pairs, the same as in C++. */
    pairsHash(): bigint;
    /** The world as bytes, in the format of the C++ library. */
    save(): Uint8Array;
    restore(snapshot: Uint8Array): void;
    // Queries see every change at once, even before an update.
    findOverlaps(boxes: ArrayLike<number>, options?: KindOptions): { query: Uint32Array; object: BigUint64Array };
    findSpheres(spheres: ArrayLike<number>, options?: KindOptions): { query: Uint32Array; object: BigUint64Array };
    /** The first object of every ray; 0n if there is none. */
    closestHits(rays: Rays, options?: KindOptions): { t: Float32Array; object: BigUint64Array; face: Faces };
    /** Eight numbers each: center, radius, displacement, the part of the step that counts (1: all). */
    castSpheres(
        casts: ArrayLike<number>,
        options?: KindOptions,
    ): { t: Float32Array; object: BigUint64Array; face: Faces };
    closestObjects(
        points: ArrayLike<number>,
        options?: KindOptions & { count?: number; maxDistance?: number },
    ): { distanceSq: Float32Array; object: BigUint64Array };
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
}

/** Loads the module and returns the library. Several may be loaded; each has its own memory. */
export declare function load(options?: { simd?: boolean; url?: string | URL }): Promise<Broadside>;
