import type { PackedEntries } from '../../../features/index/packed-index.js';
import { type PackedKeys, packKeys, unpackKeys } from '../../../features/index/packed-keys.js';
import type { SectionFile, Sections } from '../section-file.js';
import type { SparseRows } from '../sparse-rows.js';
import { type PlacedRows, type SharedRows, shareRows, unshareRows } from './shared-rows.js';

/** State features in the header of a compact model file. */
export interface CompactHeader {
  /** Denominator of the weights, which are multiples of `1 / unit`. */
  readonly unit: number;
  /** Number of distinct rows of weights. */
  readonly rows: number;
  /**
   * Base-2 logarithm of the size of the table for which the fingerprints are ordered; absent for a hashed
   * index.
   */
  readonly bits?: number;
}

/** State features of a model file: fingerprints or rows of a hashed index, and their weights. */
export interface StateSections extends Pick<SparseRows, 'masks' | 'values'> {
  readonly keys: Uint32Array;
}

/** The sections of a compact model file, as stored. */
export interface CompactSections {
  /** Packed keys; undefined for a hashed index, whose rows are in `hashedRows`. */
  readonly keys: PackedKeys | undefined;
  readonly hashedRows: Uint32Array | undefined;
  readonly shared: SharedRows;
}

/** Denominator of a compact model file's weights. A power of two, so that sums are exact in float32. */
export const compactUnit = 64;

const names = {
  keys: 'state.keys',
  buckets: 'state.buckets',
  highs: 'state.highs',
  rests: 'state.rests',
  numbers: 'state.numbers',
  rows: 'state.rows',
} as const;

const types = {
  keys: 'Uint32Array',
  buckets: 'Uint8Array',
  highs: 'Uint32Array',
  rests: 'Uint16Array',
  numbers: 'Uint8Array',
  rows: 'Uint8Array',
} as const;

/**
 * Returns the state features in compact form; undefined if weights are not exact multiples.
 *
 * @param isHashed whether `keys` are rows of a hashed index; otherwise they are in the order of
 *   `keyOrder`
 */
export function writeCompact(
  { keys, masks, values }: StateSections,
  labels: number,
  isHashed: boolean,
): { readonly header: CompactHeader; readonly sections: Sections } | undefined {
  const shared = shareRows({ masks, values }, labels, compactUnit);
  if (shared === undefined) return undefined;
  const header = { unit: compactUnit, rows: shared.count };
  const rows = { [names.numbers]: shared.numbers, [names.rows]: shared.rows };
  if (isHashed) return { header, sections: { [names.keys]: keys, ...rows } };
  const { bits, buckets, highs, rests } = packKeys(keys);
  return {
    header: { ...header, bits },
    sections: {
      [names.buckets]: buckets,
      [names.highs]: highs,
      [names.rests]: rests,
      ...rows,
    },
  };
}

/**
 * Returns the sections of a compact file.
 *
 * @throws TagstreamError `model-damaged` if a section is absent or damaged
 */
export function compactSections(file: SectionFile, { rows, bits }: CompactHeader): CompactSections {
  const read = <Part extends keyof typeof types>(part: Part) =>
    file.section(names[part], types[part]);
  return {
    hashedRows: bits === undefined ? read('keys') : undefined,
    keys:
      bits === undefined
        ? undefined
        : { bits, buckets: read('buckets'), highs: read('highs'), rests: read('rests') },
    shared: { count: rows, numbers: read('numbers'), rows: read('rows') },
  };
}

/**
 * Returns the sections of an exact index, to be read directly into a model's memory.
 *
 * @throws TagstreamError `model-damaged` if a section is absent; the result's functions throw it for a
 *   damaged one
 */
export function packedSections(
  file: SectionFile,
  { rows, bits }: CompactHeader & { readonly bits: number },
): { readonly entries: PackedEntries; readonly shared: PlacedRows } {
  const lengthOf = (part: keyof typeof types) => file.lengthOf(names[part], types[part]);
  return {
    entries: {
      bits,
      rows,
      lengths: {
        buckets: lengthOf('buckets'),
        highs: lengthOf('highs'),
        rests: lengthOf('rests'),
        numbers: lengthOf('numbers'),
      },
      open: part => file.open(names[part], types[part]),
    },
    shared: {
      count: rows,
      bytes: lengthOf('rows'),
      place: memory => file.place(names.rows, types.rows, memory),
    },
  };
}

/** Returns each feature with its own weights; undefined if the sections are inconsistent. */
export function readCompact(
  { keys: packed, hashedRows, shared }: CompactSections,
  labels: number,
  unit: number,
): StateSections | undefined {
  const keys = packed === undefined ? hashedRows : unpackKeys(packed);
  if (keys === undefined) return undefined;
  const features = packed === undefined ? keys.length : keys.length / 2;
  const weights = unshareRows(shared, features, labels, unit);
  return weights === undefined ? undefined : { keys, ...weights };
}
