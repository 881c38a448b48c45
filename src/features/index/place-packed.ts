import { copiedBytes } from '../../kernels/memory/copied-bytes.js';
import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import {
  allocateFilter,
  entryBytes,
  type Filter,
  filterBytes,
  leastEntries,
} from './index-table.js';
import { mostIndexEntries } from './most-index-entries.js';
import { fitTogether, type PackedKeys } from './packed-keys.js';

/** Packed fingerprints with a row for each, which several may have. */
export interface PackedEntries {
  readonly keys: PackedKeys;
  /** The row of each, in bytes of seven bits, low ones first; the top bit says that more follow. */
  readonly numbers: Uint8Array;
  /** Rows that there are. */
  readonly rows: number;
}

/** Bytes that a region may take beside its own. */
const slack = 64;

/** A table as it is in a memory: its address, its places less one, and its filter. */
export interface PlacedTable {
  readonly table: number;
  readonly mask: number;
  readonly filter: Filter;
}

/**
 * Puts packed fingerprints into a table, from its start to its end; undefined where they, their order or their rows are
 * wrong.
 */
export function placePacked(
  memory: LinearMemory,
  { keys, numbers, rows }: PackedEntries,
): PlacedTable | undefined {
  if (!fitTogether(keys)) return undefined;
  const count = keys.highs.length;
  const parts = [keys.buckets, keys.highs, keys.rests, numbers];
  let capacity = leastEntries;
  while (mostIndexEntries(capacity) < count) capacity *= 2;
  const copies = parts.reduce((sum, { byteLength }) => sum + byteLength + slack, 0);
  memory.expect(copies + capacity * entryBytes + filterBytes(count));
  const [marks, highs, rests, first] = parts.map(part => copiedBytes(part, memory)) as Four;
  const table = memory.allocate(capacity * entryBytes, true);
  const filter = allocateFilter(memory, count);
  const mask = capacity - 1;
  const markBits = 8 * keys.buckets.length;
  const areRight = featureFunctions(memory).placeKeys(
    table,
    mask,
    keys.bits,
    marks,
    markBits,
    highs,
    rests,
    count,
    first,
    first + numbers.length,
    rows,
    filter.offset,
    filter.mask,
  );
  for (const [i, offset] of [marks, highs, rests, first].entries()) {
    memory.free(offset, parts[i]!.byteLength);
  }
  return areRight === 0 ? undefined : { table, mask, filter };
}

type Four = [number, number, number, number];
