import type { State } from '../../core/training/state.js';
import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { Region } from '../../kernels/memory/region.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import type { FingerprintList } from '../fingerprints/fingerprint-list.js';
import { ageOf, entryWorth, recent } from './entry-worth.js';
import { FingerprintInterner } from './fingerprint-interner.js';
import {
  entryBytes,
  entryWords,
  fittingCapacity,
  leastEntries,
  makeFilter,
  mostIndexEntries,
  noFilter,
} from './index-table.js';
import {
  findPlaced,
  type GrowingIndex,
  type IndexGrowth,
  type IndexPlaces,
} from './placed-index.js';
import type { RowList } from './row-list.js';

/** Header words before the rows: number of rows taken, and number of all rows. */
const head = 2;

/**
 * Rows without a feature, in ascending order, which the kernel assigns to new features. 4 bytes per
 * row.
 */
class FreeRows {
  readonly #region: Region;
  /** Number of rows of the list already reported by `takeReused`. */
  #reported = 0;

  constructor(memory: LinearMemory) {
    this.#region = new Region(memory);
    this.#write(new Uint32Array(0));
  }

  /** Address of the list for the kernel. */
  get offset(): number {
    return this.#region.offset;
  }

  /** Number of free rows. */
  get count(): number {
    const [taken, given] = this.#region.words(head);
    return given! - taken!;
  }

  /** Returns a copy of the free rows. */
  rows(): Uint32Array {
    const [taken, given] = this.#region.words(head);
    return this.#region.words(head + given!).slice(head + taken!);
  }

  /** Returns the rows taken since the last call, in order. */
  takeReused(): Uint32Array {
    const [taken] = this.#region.words(head);
    const from = this.#reported;
    this.#reported = taken!;
    return this.#region.words(head + taken!).slice(head + from);
  }

  /** Adds rows, none of which may be free; taken rows must have been reported. */
  add(more: Uint32Array): void {
    const free = this.rows();
    const all = new Uint32Array(free.length + more.length);
    all.set(free);
    all.set(more, free.length);
    this.#write(all.sort());
  }

  #write(rows: Uint32Array): void {
    this.#region.reserve(4 * (head + rows.length));
    const words = this.#region.words(head + rows.length);
    words[0] = 0;
    words[1] = rows.length;
    words.set(rows, head);
    this.#reported = 0;
  }
}

/** Fingerprints of the rows assigned by an index since the last call, in row order. */
class NewFingerprints {
  readonly #region: Region;
  /** Row of the first fingerprint, from 0. */
  firstRow: number;

  /** @param firstRow row that is assigned next */
  constructor(memory: LinearMemory, firstRow: number) {
    this.#region = new Region(memory);
    this.#region.reserve(8);
    this.firstRow = firstRow;
  }

  get offset(): number {
    return this.#region.offset;
  }

  /** Returns the capacity for rows beyond the first `size`. */
  room(size: number): number {
    return Math.floor(this.#region.bytes / 8) - (size - this.firstRow);
  }

  /** Makes room for `more` rows beyond the first `size`. */
  reserve(size: number, more: number): void {
    const words = 2 * (size - this.firstRow);
    const bytes = 4 * words + 8 * more;
    if (bytes <= this.#region.bytes) return;
    const noted = this.#region.words(words).slice();
    this.#region.reserve(bytes);
    this.#region.words(words).set(noted);
  }

  /** Returns a copy of the fingerprints up to row `size`, alternating lo and hi. */
  take(size: number): Uint32Array<ArrayBuffer> {
    const taken = this.#region.words(2 * (size - this.firstRow)).slice();
    this.firstRow = size;
    return taken;
  }
}

/**
 * Number of entries reinserted per call: the engine optimises the code between calls, but continues
 * to run the unoptimised code within a call.
 */
const atATime = 4096;

/**
 * An open-addressing hash table of fingerprints. An entry takes 16 bytes, a lookup about one cache
 * line.
 */
export class ExactIndex implements GrowingIndex {
  readonly mode = 'exact';
  readonly canGrow = true;
  readonly memory: LinearMemory;
  readonly cutoff: number;
  #table: number;
  /** Capacity in entries minus one; the capacity is a power of two. */
  #mask = leastEntries - 1;
  /** Address at which the kernel counts entries, rows, and the rows of a list. */
  readonly #counts: number;
  /** Bit set of the fingerprints, used until the index grows: most misses end here. */
  #filter = noFilter;
  /** Fingerprints of new features, if requested. */
  #fresh: NewFingerprints | undefined;
  /** Rows freed by pruning, if the index is pruned. */
  readonly #free: FreeRows | undefined;

  constructor(cutoff = 1, memory = new LinearMemory(), prunes = false) {
    this.cutoff = cutoff;
    this.memory = memory;
    this.#table = memory.allocate((this.#mask + 1) * entryBytes);
    this.#counts = memory.allocate(12);
    this.#free = prunes ? new FreeRows(memory) : undefined;
  }

  get prunes(): boolean {
    return this.#free !== undefined;
  }

  get entries(): number {
    return this.#countsView()[0]!;
  }

  /** Number of rows with a feature; the other rows below `size` are free. */
  get rowsInUse(): number {
    return this.size - (this.#free?.count ?? 0);
  }

  /** Number of entries for which the table has room. */
  get capacity(): number {
    return this.#mask + 1;
  }

  get size(): number {
    return this.#countsView()[1]!;
  }

  findAll(list: FingerprintList, firstRow: number, rows: RowList): void {
    findPlaced(this, list, firstRow, rows);
  }

  get places(): IndexPlaces {
    return {
      table: this.#table,
      mask: this.#mask,
      filter: this.#filter.offset,
      filterMask: this.#filter.mask,
    };
  }

  get onlyGrows(): boolean {
    return this.cutoff === 1 && !this.prunes;
  }

  get growth(): IndexGrowth {
    this.#dropFilter();
    const [entries, rows] = this.#countsView();
    const fresh = this.#fresh;
    const room = fresh === undefined ? Number.POSITIVE_INFINITY : entries! + fresh.room(rows!);
    const most = Math.min(mostIndexEntries(this.capacity), room);
    const { offset = 0, firstRow = 0 } = fresh ?? {};
    return { counts: this.#counts, most, fresh: offset, freshRow: firstRow };
  }

  makeRoom(more: number): void {
    const entries = this.#countsView()[0]! + more;
    while (entries > mostIndexEntries(this.capacity)) this.#rebuild(2 * this.capacity);
    this.#fresh?.reserve(this.size, more);
  }

  internAll(list: FingerprintList, firstRow: number, rows: RowList): void {
    this.#dropFilter();
    const { internRows } = featureFunctions(this.memory);
    const fresh = this.#fresh;
    fresh?.reserve(this.size, list.places);
    for (let token = 0; token < list.length; ) {
      const from = token;
      token = internRows(
        this.#table,
        this.#mask,
        mostIndexEntries(this.capacity),
        this.cutoff,
        this.#counts,
        list.offset,
        from,
        list.length,
        list.templates,
        firstRow,
        rows.starts,
        rows.rows,
        rows.kept,
        fresh?.offset ?? 0,
        fresh?.firstRow ?? 0,
        this.#free === undefined ? 0 : recent,
        this.#free?.offset ?? 0,
      );
      if (token < list.length) this.#rebuild(2 * this.capacity);
    }
  }

  takeNew(): Uint32Array<ArrayBuffer> {
    const { size } = this;
    this.#fresh ??= new NewFingerprints(this.memory, size);
    return this.#fresh.take(size);
  }

  prune(hasWeight: Uint8Array): Uint32Array {
    return this.#sweep((row, seen) =>
      seen >= recent || (row > 0 && hasWeight[row - 1] !== 0) ? seen % recent : 0,
    );
  }

  evict(strengths: Float32Array, most: number): Uint32Array {
    const worths = new Float32Array(this.entries);
    let entry = 0;
    const table = this.#tableView();
    for (let at = 0; at < table.length; at += entryWords) {
      const seen = table[at + 3]!;
      if (seen === 0) continue;
      const row = table[at + 2]!;
      worths[entry] = entryWorth(seen, row === 0 ? undefined : strengths[row - 1]!);
      entry += 1;
    }
    const excess = Math.max(0, worths.length - most);
    const least = excess === 0 ? -1 : numberAt(worths, excess - 1);
    let equals = excess;
    for (let i = 0; i < worths.length; i += 1) if (worths[i]! < least) equals -= 1;
    entry = 0;
    return this.#sweep((row, seen) => {
      const worth = worths[entry]!;
      entry += 1;
      if (worth < least) return 0;
      if (worth === least && equals > 0) {
        equals -= 1;
        return 0;
      }
      return row === 0 ? seen % recent : ageOf(seen) + 1;
    });
  }

  /**
   * Visits all entries in table order, and removes some.
   *
   * @param staying returns the new last word of an entry; 0 removes the entry
   * @returns the newly freed rows, in ascending order
   */
  #sweep(staying: (row: number, seen: number) => number): Uint32Array {
    const table = this.#tableView();
    const freed: number[] = [];
    let entries = 0;
    for (let at = 0; at < table.length; at += entryWords) {
      const seen = table[at + 3]!;
      if (seen === 0) continue;
      const row = table[at + 2]!;
      const kept = staying(row, seen);
      if (kept > 0) {
        table[at + 3] = kept;
        entries += 1;
        continue;
      }
      if (row > 0) freed.push(row - 1);
      table.fill(0, at, at + entryWords);
    }
    this.#countsView()[0] = entries;
    // Removed entries may be on the probe paths of others, so all entries are reinserted.
    this.#rebuild(fittingCapacity(entries, this.capacity));
    const rows = Uint32Array.from(freed).sort();
    this.#free?.add(rows);
    return rows;
  }

  retain(kept: Uint8Array): Int32Array {
    const rows = new Int32Array(this.size).fill(-1);
    let count = 0;
    for (let row = 0; row < rows.length; row += 1) {
      if (kept[row] === 0) continue;
      rows[row] = count;
      count += 1;
    }
    const table = this.#tableView();
    for (let at = 0; at < table.length; at += entryWords) {
      const row = table[at + 2]!;
      const to = row === 0 ? -1 : rows[row - 1]!;
      if (to < 0) table.fill(0, at, at + entryWords);
      else table[at + 2] = to + 1;
    }
    this.#countsView().set([count, count]);
    this.#rebuild(fittingCapacity(count, this.capacity));
    return rows;
  }

  takeReused(): Uint32Array {
    return this.#free?.takeReused() ?? none;
  }

  fingerprints(): Uint32Array {
    const all = new Uint32Array(this.size * 2);
    const table = this.#tableView();
    for (let at = 0; at < table.length; at += entryWords) {
      const row = table[at + 2]!;
      if (row === 0) continue;
      all[(row - 1) * 2] = table[at]!;
      all[(row - 1) * 2 + 1] = table[at + 1]!;
    }
    return all;
  }

  /** Builds an index of known fingerprints, row by row. */
  static of(fingerprints: Uint32Array, memory = new LinearMemory()): ExactIndex {
    const index = new ExactIndex(1, memory);
    while (fingerprints.length / 2 > index.#mask >>> 1) index.#rebuild(2 * index.capacity);
    new FingerprintInterner(index).rowsOf(fingerprints);
    index.#filter = makeFilter(memory, fingerprints);
    return index;
  }

  save(): State {
    const [entries, size] = this.#countsView();
    const table = this.#tableView().slice();
    const arrays = this.#free === undefined ? { table } : { table, free: this.#free.rows() };
    return { json: { size, entries }, arrays };
  }

  /** Restores a saved index, including its counts of features below the cutoff. */
  static restore(
    state: State,
    cutoff: number,
    memory = new LinearMemory(),
    prunes = false,
  ): ExactIndex {
    const index = new ExactIndex(cutoff, memory, prunes);
    const table = state.arrays.table as Uint32Array;
    memory.free(index.#table, (index.#mask + 1) * entryBytes);
    index.#mask = table.length / entryWords - 1;
    index.#table = memory.allocate(table.byteLength);
    index.#tableView().set(table);
    index.#countsView().set([state.json.entries as number, state.json.size as number]);
    if (prunes && state.arrays.free !== undefined) {
      index.#free!.add(state.arrays.free as Uint32Array);
    }
    return index;
  }

  #tableView(): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.#table, (this.#mask + 1) * entryWords);
  }

  #countsView(): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.#counts, 3);
  }

  /** Reinserts all entries into a new table with room for `capacity`. */
  #rebuild(capacity: number): void {
    const { memory } = this;
    const old = this.#table;
    const entries = this.capacity;
    this.#table = memory.allocate(capacity * entryBytes, true);
    this.#mask = capacity - 1;
    const { rehash } = featureFunctions(memory);
    for (let entry = 0; entry < entries; entry += atATime) {
      const count = Math.min(atATime, entries - entry);
      rehash(old + entry * entryBytes, count, this.#table, this.#mask);
    }
    memory.free(old, entries * entryBytes);
  }

  #dropFilter(): void {
    const { offset, mask } = this.#filter;
    if (offset === 0) return;
    this.memory.free(offset, (mask + 1) / 8);
    this.#filter = noFilter;
  }
}

const none = new Uint32Array(0);

/**
 * Returns the k-th smallest of some non-negative numbers, from 0. Does not modify the input. Cost
 * O(numbers), even with many ties: the bits have the same order as the numbers, so two counting
 * passes over halves of the bits suffice.
 *
 * @example
 * numberAt(Float32Array.of(3, 0, 0.5, 3), 2) // => 3
 */
export function numberAt(numbers: Float32Array, place: number): number {
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  const counts = new Uint32Array(2 ** 16);
  for (let i = 0; i < bits.length; i += 1) counts[bits[i]! >>> 16]! += 1;
  const high = placeIn(counts, place);
  counts.fill(0);
  for (let i = 0; i < bits.length; i += 1) {
    if (bits[i]! >>> 16 === high.value) counts[bits[i]! & 0xffff]! += 1;
  }
  const low = placeIn(counts, high.rest);
  return new Float32Array(Uint32Array.of(high.value * 2 ** 16 + low.value).buffer)[0]!;
}

/** Returns the bucket that contains a rank, and the rank within that bucket. */
function placeIn(counts: Uint32Array, place: number): { value: number; rest: number } {
  let rest = place;
  let value = 0;
  while (rest >= counts[value]!) {
    rest -= counts[value]!;
    value += 1;
  }
  return { value, rest };
}
