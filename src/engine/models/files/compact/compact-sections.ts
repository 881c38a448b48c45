import type { PackedEntries } from '../../../features/index/packed-index.js';
import {
  packKeys,
  type UnpackedKeys,
  unpackKeys,
  unpackOlder,
} from '../../../features/index/packed-keys.js';
import type { SectionFile, Sections } from '../section-file.js';
import type { SparseRows } from '../sparse-rows.js';
import {
  type PlacedRows,
  readNumbers,
  shareRows,
  unshareRows,
  writtenNumbers,
} from './shared-rows.js';

/** State features in the header of a compact model file. */
export interface CompactHeader {
  /** Denominator of the weights, which are multiples of `1 / unit`. */
  readonly unit: number;
  /** Number of distinct rows of weights. */
  readonly rows: number;
  /** Base-2 logarithm of the number of buckets of the features' directory. */
  readonly directory?: number;
  /** See `OlderKeys.bits`; in files of format version 8 or older with an exact index. */
  readonly bits?: number;
}

/** Returns the number of bits of the features' order; undefined for a hashed index. */
export function keyBitsOf({ directory, bits }: CompactHeader): number | undefined {
  return directory ?? bits;
}

/** State features of a model file: fingerprints or rows of a hashed index, and their weights. */
export interface StateSections extends Pick<SparseRows, 'masks' | 'values'> {
  readonly keys: Uint32Array;
}

/** Denominator of a compact model file's weights. A power of two, so that sums are exact in float32. */
export const compactUnit = 64;

const names = {
  keys: 'state.keys',
  entries: 'state.entries',
  directory: 'state.directory',
  buckets: 'state.buckets',
  highs: 'state.highs',
  rests: 'state.rests',
  numbers: 'state.numbers',
  rows: 'state.rows',
} as const;

const types = {
  keys: 'Uint32Array',
  entries: 'Uint32Array',
  directory: 'Uint16Array',
  buckets: 'Uint8Array',
  highs: 'Uint32Array',
  rests: 'Uint16Array',
  numbers: 'Uint8Array',
  rows: 'Uint8Array',
} as const;

/**
 * Returns the state features in compact form; undefined if weights are not exact multiples, or if
 * features do not fit into a directory.
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
  const { count, numbers, rows } = shared;
  const header = { unit: compactUnit, rows: count };
  if (isHashed) {
    const others = { [names.numbers]: writtenNumbers(numbers), [names.rows]: rows };
    return { header, sections: { [names.keys]: keys, ...others } };
  }
  const placed = packKeys(keys, numbers, count);
  if (placed === undefined) return undefined;
  const { bits, entries, directory } = placed;
  return {
    header: { ...header, directory: bits },
    sections: { [names.entries]: entries, [names.directory]: directory, [names.rows]: rows },
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
  { rows, bits, directory }: CompactHeader,
): { readonly entries: PackedEntries; readonly shared: PlacedRows } {
  const lengthOf = (part: keyof typeof types) => file.lengthOf(names[part], types[part]);
  return {
    entries: {
      ...{ bits, rows, directory },
      count: directory === undefined ? lengthOf('highs') : Math.floor(lengthOf('entries') / 2),
      lengthOf,
      open: part => file.open(names[part], types[part]),
    },
    shared: {
      count: rows,
      bytes: lengthOf('rows'),
      place: memory => file.place(names.rows, types.rows, memory),
    },
  };
}

/**
 * Reads each feature with its own weights; returns undefined if the sections are inconsistent.
 *
 * @throws TagstreamError `model-damaged` if a section is absent or damaged
 */
export function readCompact(
  file: SectionFile,
  header: CompactHeader,
  labels: number,
): StateSections | undefined {
  const features = readFeatures(file, header);
  if (features === undefined) return undefined;
  const { keys, rowOf } = features;
  const shared = { count: header.rows, rows: file.section(names.rows, types.rows) };
  const weights = unshareRows({ ...shared, numbers: rowOf }, labels, header.unit);
  return weights === undefined ? undefined : { keys, ...weights };
}

/** Returns the keys of a compact file with the row of each; undefined if they are inconsistent. */
function readFeatures(
  file: SectionFile,
  { rows, bits, directory }: CompactHeader,
): UnpackedKeys | undefined {
  const read = <Part extends keyof typeof types>(part: Part) =>
    file.section(names[part], types[part]);
  if (directory !== undefined) {
    const parts = { entries: read('entries'), directory: read('directory') };
    return unpackKeys({ bits: directory, ...parts }, rows);
  }
  const keys =
    bits === undefined
      ? read('keys')
      : unpackOlder({ bits, buckets: read('buckets'), highs: read('highs'), rests: read('rests') });
  if (keys === undefined) return undefined;
  const rowOf = readNumbers(read('numbers'), bits === undefined ? keys.length : keys.length / 2);
  return rowOf === undefined || rowOf.some(row => row >= rows) ? undefined : { keys, rowOf };
}
