// Checks of arguments. A message names the argument, says what it is, and what is wanted.

/** The error that every failing call throws. */
export class BroadsideError extends Error {
    constructor(status, badIndex) {
        super(badIndex === undefined ? status : `${status}, item ${badIndex}`);
        this.name = 'BroadsideError';
        this.status = status;
        this.badIndex = badIndex;
    }
}

export function refuse(text) {
    throw new BroadsideError(`invalid argument: ${text}`);
}

/** A value as a message shows it. */
export function shown(value) {
    if (typeof value === 'string') return `"${value}"`;
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'function') return 'a function';
    if (value === null || typeof value !== 'object') return String(value);
    const name = value.constructor?.name ?? 'object';
    return value.length === undefined ? `of ${name}` : `${name} of length ${value.length}`;
}

/** The index of a name in a list of names. */
export function oneOf(names, name, what) {
    const index = names.indexOf(name);
    if (index < 0) refuse(`${what} is ${shown(name)}, not one of ${names.join(', ')}`);
    return index;
}

export function wholeNumber(value, what, least, most) {
    if (!Number.isInteger(value) || value < least || value > most) {
        refuse(`${what} is ${shown(value)}, not an integer from ${least} to ${most}`);
    }
    return value;
}

/** A number that is not NaN. */
export function realNumber(value, what, least = -Infinity, most = Infinity) {
    if (typeof value !== 'number' || !(value >= least && value <= most)) {
        const range = least === -Infinity ? 'a number' : most === Infinity ? `a number from ${least} on` : `from ${least} to ${most}`;
        refuse(`${what} is ${shown(value)}, not ${range}`);
    }
    return value;
}

export const kLargestFloat = 3.4028234663852886e38;

/** Three finite numbers. */
export function vector(value, what) {
    if (value?.length !== 3 || !Array.prototype.every.call(value, (x) => Math.abs(x) <= kLargestFloat)) {
        refuse(`${what} is ${value?.length === 3 ? `[${Array.from(value)}]` : shown(value)}, not three finite numbers`);
    }
    return value;
}

const kAll = 0xffffffffffffffffn;

/**
 * 64 bits as a bigint. A negative number stands for its lower 32 bits, as the bitwise operators make it, and a negative
 * bigint for its lower 64.
 */
export function word(value, what) {
    if (typeof value === 'bigint' && value >= -(1n << 63n) && value <= kAll) return BigInt.asUintN(64, value);
    if (Number.isSafeInteger(value) && value >= -0x80000000) return BigInt(value < 0 ? value >>> 0 : value);
    return refuse(`${what} is ${shown(value)}, not an integer of 53 bits or a bigint of 64`);
}

/** `count` words from one for all or a list of one each. */
export function words64(value, count, what) {
    if (typeof value === 'number' || typeof value === 'bigint') {
        return new BigUint64Array(count).fill(word(value, what));
    }
    if (value?.length !== count) refuse(`${what} is ${shown(value)}, not one for all or a list of ${count}`);
    if (value instanceof BigUint64Array) return value;
    return BigUint64Array.from(value, (one, index) => word(one, `${what}[${index}]`));
}

/** `count` floats from one for all or a list of one each. */
export function floats32(value, count, what, least = -Infinity, most = Infinity) {
    if (typeof value === 'number') return new Float32Array(count).fill(realNumber(value, what, least, most));
    if (value?.length !== count) refuse(`${what} is ${shown(value)}, not one for all or a list of ${count}`);
    return Float32Array.from(value, (one, index) => realNumber(one, `${what}[${index}]`, least, most));
}

/** Refuses what is not an object of a class of this library. */
export function ofClass(value, Class, what) {
    if (!(value instanceof Class)) refuse(`${what} is ${shown(value)}, not a ${Class.name}`);
    return value;
}
