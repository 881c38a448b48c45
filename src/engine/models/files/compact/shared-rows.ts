import type { LinearMemory } from '../../../kernels/memory/linear-memory.js';
import type { RealTable } from '../../../kernels/memory/real-table.js';
import { featureFunctions } from '../../../kernels/simd/feature-functions.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import type { SparseRows } from '../sparse-rows.js';

/** Writes integers from 0 to below 2^32 as varints (LEB128). */
export class VarIntWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  write(value: number): void {
    if (this.#length + 5 > this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#bytes.length);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    let rest = value >>> 0;
    for (; rest >= 0x80; rest >>>= 7) {
      this.#bytes[this.#length] = (rest & 0x7f) | 0x80;
      this.#length += 1;
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /** Returns the bytes written. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }
}

/** Reads the output of `VarIntWriter`; sets `failed` past the end or at a malformed integer. */
class VarIntReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  failed = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether everything has been read. */
  get ended(): boolean {
    return this.#at === this.#bytes.length;
  }

  read(): number {
    const bytes = this.#bytes;
    // Most integers take one byte; nothing is read past the end.
    const first = bytes[this.#at]!;
    if (first < 0x80) {
      this.#at += 1;
      return first;
    }
    let value = 0;
    for (let shift = 0; shift <= 28; shift += 7) {
      if (this.#at >= bytes.length) break;
      const byte = bytes[this.#at]!;
      this.#at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    this.failed = true;
    return 0;
  }
}

/** Distinct rows of integers, and each feature's row. */
export interface SharedRows {
  /** Number of distinct rows. */
  readonly count: number;
  /** Number of each feature's row; the most frequent rows have the lowest numbers. */
  readonly numbers: Uint32Array;
  /**
   * Row by row: twice the number of labels that differ from the row's most frequent number, plus 1 if that number is
   * not 0; then, unless it is 0, the most frequent number; then each differing number times the number of labels,
   * plus the label's distance from the previous one. Signed numbers are zigzag-encoded: 0, -1, 1, -2, 2 become 0, 1,
   * 2, 3, 4.
   */
  readonly rows: Uint8Array;
}

/** The rows only, placed on demand. */
export interface PlacedRows {
  readonly count: number;
  /** Number of bytes in `rows`. */
  readonly bytes: number;
  /** Copies the rows into newly allocated memory; returns the address. */
  place(memory: LinearMemory): number;
}

/**
 * Finds equal rows of weights. Returns undefined if a weight is too large or is not a multiple of `1 / unit`. Cost
 * O(weights + distinct rows x labels).
 *
 * @param sparse rows with their weights, in the order of the features
 */
export function shareRows(
  { masks, values }: Pick<SparseRows, 'masks' | 'values'>,
  labels: number,
  unit: number,
): SharedRows | undefined {
  const largest = Math.floor(2 ** 31 / Math.max(1, labels)) - 1;
  for (const value of values) {
    const number = value * unit;
    if (!Number.isInteger(number) || Math.abs(number) > largest) return undefined;
  }
  const maskBytes = Math.ceil(labels / 8);
  const features = maskBytes === 0 ? 0 : masks.length / maskBytes;
  const known = new Map<string, number>();
  const rows: Int32Array[] = [];
  const uses: number[] = [];
  const rowOf = new Uint32Array(features);
  let next = 0;
  const text: number[] = [];
  for (let feature = 0; feature < features; feature += 1) {
    text.length = 0;
    for (let y = 0; y < labels; y += 1) {
      if ((masks[feature * maskBytes + (y >> 3)]! & (1 << (y & 7))) === 0) continue;
      text.push(y, values[next]! * unit);
      next += 1;
    }
    const key = text.join(' ');
    let row = known.get(key);
    if (row === undefined) {
      row = rows.length;
      known.set(key, row);
      rows.push(Int32Array.from(text));
      uses.push(0);
    }
    uses[row]! += 1;
    rowOf[feature] = row;
  }
  const order = Uint32Array.from(rows.keys()).sort((a, b) => uses[b]! - uses[a]! || a - b);
  const places = new Uint32Array(rows.length);
  for (const [place, row] of order.entries()) places[row] = place;
  const written = new VarIntWriter();
  const whole = new Int32Array(labels);
  for (const row of order) {
    whole.fill(0);
    const pairs = rows[row]!;
    for (let i = 0; i < pairs.length; i += 2) whole[pairs[i]!] = pairs[i + 1]!;
    writeRow(written, whole);
  }
  return { count: rows.length, numbers: rowOf.map(row => places[row]!), rows: written.take() };
}

/** Writes numbers with `VarIntWriter`. */
export function writtenNumbers(numbers: Iterable<number>): Uint8Array<ArrayBuffer> {
  const written = new VarIntWriter();
  for (const number of numbers) written.write(number);
  return written.take();
}

/** Inverts `writtenNumbers`; returns undefined if there are not exactly `count` numbers. */
export function readNumbers(bytes: Uint8Array, count: number): Uint32Array | undefined {
  // Each number takes a byte, which limits allocations for untrusted files.
  if (count > bytes.length) return undefined;
  const reader = new VarIntReader(bytes);
  const numbers = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) numbers[i] = reader.read();
  return reader.failed || !reader.ended ? undefined : numbers;
}

function writeRow(written: VarIntWriter, row: Int32Array): void {
  const usual = usualNumber(row);
  let others = 0;
  for (const number of row) if (number !== usual) others += 1;
  written.write(2 * others + (usual === 0 ? 0 : 1));
  if (usual !== 0) written.write(unsigned(usual));
  let last = -1;
  for (let y = 0; y < row.length; y += 1) {
    if (row[y] === usual) continue;
    written.write(unsigned(row[y]!) * row.length + y - last - 1);
    last = y;
  }
}

/** Zigzag-encodes a signed number, so that small ones stay small. */
function unsigned(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function signed(value: number): number {
  return (value & 1) === 0 ? value / 2 : -(value + 1) / 2;
}

/** Returns the most frequent number; ties go to 0, otherwise to the first. */
function usualNumber(row: Int32Array): number {
  let zeros = 0;
  for (const number of row) if (number === 0) zeros += 1;
  if (2 * zeros >= row.length) return 0;
  const counts = new Map<number, number>([[0, zeros]]);
  for (const number of row) if (number !== 0) counts.set(number, (counts.get(number) ?? 0) + 1);
  let usual = 0;
  for (const [number, count] of counts) if (count > counts.get(usual)!) usual = number;
  return usual;
}

/** Reads rows in sequence. */
class RowReader {
  readonly #labels: number;
  readonly #unit: number;
  readonly #reader: VarIntReader;
  #failed = false;

  constructor(rows: Uint8Array, labels: number, unit: number) {
    this.#labels = labels;
    this.#unit = unit;
    this.#reader = new VarIntReader(rows);
  }

  /** Whether all rows were valid and have been read. */
  get isWhole(): boolean {
    return this.#reader.ended && !this.#failed && !this.#reader.failed;
  }

  /** Writes the weights of the next row over zeros; returns false if the row is invalid. */
  next(row: Float32Array): boolean {
    const labels = this.#labels;
    const unit = this.#unit;
    const reader = this.#reader;
    const head = reader.read();
    if ((head & 1) === 1) row.fill(signed(reader.read()) / unit);
    let y = -1;
    for (let others = head >>> 1; others > 0; others -= 1) {
      const value = reader.read();
      const number = Math.floor(value / labels);
      const gap = value - number * labels;
      y += gap + 1;
      if (reader.failed || y >= labels) {
        this.#failed = true;
        return false;
      }
      row[y] = signed(number) / unit;
    }
    return !reader.failed;
  }
}

/** Number of rows per call; see `PackedIndex`. */
const atATime = 4096;

/** Number of bytes by which the alignment of some regions enlarges them at most. */
const margin = 256;

/** Writes shared rows into a table of zeros, row by row; returns false if they are truncated. */
export function placeRows(
  { count, bytes, place }: PlacedRows,
  labels: number,
  unit: number,
  { memory, offset, width, precision }: RealTable,
): boolean {
  const isWide = precision === 'float64';
  const rowBytes = width * (isWide ? 8 : 4);
  const from = place(memory);
  const end = from + bytes;
  const { placeWeights } = featureFunctions(memory);
  let at = from;
  for (let row = 0; at !== 0 && row < count; row += atATime) {
    const some = Math.min(atATime, count - row);
    const table = offset + row * rowBytes;
    at = placeWeights(at, end, some, labels, unit, table, rowBytes, isWide ? 1 : 0);
  }
  memory.free(from, bytes);
  return at === end;
}

/**
 * Writes the weights of shared rows to a store of single pairs, omitting most zeros; returns false if the rows are
 * truncated.
 */
export function placeSharedPairs(
  { count, bytes, place }: PlacedRows,
  labels: number,
  unit: number,
  parameters: ParameterStore,
): boolean {
  const { memory, precision } = parameters;
  const startBytes = 4 * (count + 1);
  memory.expect(bytes + startBytes + margin);
  const from = place(memory);
  const end = from + bytes;
  const starts = memory.allocate(startBytes);
  const { countPairs, placePairs } = featureFunctions(memory);
  let at = from;
  for (let row = 0; at !== 0 && row < count; row += atATime) {
    at = countPairs(at, end, Math.min(atATime, count - row), labels, starts + 4 * row);
  }
  const isWhole = at === end;
  if (isWhole) {
    const ownStarts = new Uint32Array(memory.buffer, starts, count + 1).slice();
    const pairs = ownStarts[count]!;
    const own = new Uint16Array(pairs);
    const wide = precision === 'float64' ? 1 : 0;
    memory.expect((wide === 1 ? 10 : 6) * pairs + margin);
    const pairLabels = memory.allocate(own.byteLength);
    parameters.statePairs!.restore(ownStarts, own);
    parameters.closePairs();
    const { offset } = parameters.weights.state;
    at = from;
    for (let row = 0; row < count; row += atATime) {
      const some = Math.min(atATime, count - row);
      at = placePairs(at, end, some, labels, unit, starts + 4 * row, pairLabels, offset, wide);
    }
    own.set(new Uint16Array(memory.buffer, pairLabels, pairs));
    memory.free(pairLabels, own.byteLength);
  }
  memory.free(starts, startBytes);
  memory.free(from, bytes);
  return isWhole;
}

/**
 * Inverts `shareRows`, whose numbers must be below the number of rows; returns undefined if the rows
 * are truncated or a feature has no weight.
 */
export function unshareRows(
  shared: SharedRows,
  labels: number,
  unit: number,
): Pick<SparseRows, 'masks' | 'values'> | undefined {
  const { count, numbers } = shared;
  const features = numbers.length;
  if (tooFew({ count, bytes: shared.rows.length }, features)) return undefined;
  const rows = rowsOf(shared, labels, unit);
  if (rows === undefined) return undefined;
  const maskBytes = Math.ceil(labels / 8);
  const masks = new Uint8Array(features * maskBytes);
  let weights = 0;
  for (const number of numbers) weights += rows[number]!.values.length;
  const values = new Float32Array(weights);
  let next = 0;
  for (let i = 0; i < features; i += 1) {
    const row = rows[numbers[i]!]!;
    masks.set(row.mask, i * maskBytes);
    values.set(row.values, next);
    next += row.values.length;
  }
  return { masks, values };
}

interface SparseRow {
  readonly mask: Uint8Array;
  readonly values: Float32Array;
}

/** Reads shared rows one by one; returns undefined if they are truncated. */
function rowsOf(
  { count, rows }: Pick<SharedRows, 'count' | 'rows'>,
  labels: number,
  unit: number,
): readonly SparseRow[] | undefined {
  const reader = new RowReader(rows, labels, unit);
  const all: SparseRow[] = [];
  const row = new Float32Array(labels);
  for (let i = 0; i < count; i += 1) {
    row.fill(0);
    if (!reader.next(row)) return undefined;
    const mask = new Uint8Array(Math.ceil(labels / 8));
    for (let label = 0; label < labels; label += 1) {
      if (row[label] !== 0) mask[label >> 3]! |= 1 << (label & 7);
    }
    all.push({ mask, values: row.filter(value => value !== 0) });
  }
  return reader.isWhole ? all : undefined;
}

/**
 * Whether there are fewer bytes or features than rows: each row takes at least one byte and belongs to a feature,
 * which limits allocations for untrusted files.
 */
export function tooFew(
  { count, bytes }: Pick<PlacedRows, 'count' | 'bytes'>,
  features: number,
): boolean {
  return count > bytes || count > features;
}
