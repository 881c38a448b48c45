import type { PackedEntries } from '../../../src/features/index/packed-index.js';
import type { PackedKeys } from '../../../src/features/index/packed-keys.js';

/** Packed fingerprints and the rows of each, as they are given to `PackedIndex`. */
export interface Packed {
  readonly keys: PackedKeys;
  readonly numbers: Uint8Array;
  readonly rows: number;
}

/** The same where all of it is in arrays. */
export function packedEntries({ keys, numbers, rows }: Packed): PackedEntries {
  const { bits, ...parts } = { ...keys, numbers };
  const { buckets, highs, rests } = parts;
  return {
    ...{ bits, rows },
    lengths: {
      ...{ buckets: buckets.length, highs: highs.length },
      ...{ rests: rests.length, numbers: numbers.length },
    },
    open(part) {
      const { buffer, byteOffset, byteLength } = parts[part];
      const bytes = new Uint8Array(buffer, byteOffset, byteLength);
      let at = 0;
      return into => {
        into.set(bytes.subarray(at, at + into.length));
        at += into.length;
      };
    },
  };
}
