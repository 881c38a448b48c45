import type { Reals } from '../../../core/reals.js';
import type { SparseRows } from '../sparse-rows.js';
import { VarIntReader, VarIntWriter } from './var-ints.js';

/** Rows of whole numbers, each of them once, and which of them each feature has. */
export interface SharedRows {
  /** Different rows. */
  readonly count: number;
  /** For each feature the number of its row, as `VarIntWriter` writes them; what most features have comes first. */
  readonly numbers: Uint8Array;
  /**
   * Row by row: the number that most labels have, how many labels have another one, and of each of these how far it is
   * from the one before and its number.
   */
  readonly rows: Uint8Array;
}

/** Weights of larger size are not written as whole numbers. */
const largest = 2 ** 31 - 1;

/**
 * Finds equal rows of weights that are multiples of `1 / unit`; undefined where some are none. Cost O(weights), and
 * O(different rows x labels).
 *
 * @param sparse rows with their weights, in the order of the features
 */
export function shareRows(
  { masks, values }: Pick<SparseRows, 'masks' | 'values'>,
  labels: number,
  unit: number,
): SharedRows | undefined {
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
  const numbers = new VarIntWriter();
  for (const row of rowOf) numbers.write(places[row]!);
  const written = new VarIntWriter();
  const whole = new Int32Array(labels);
  for (const row of order) {
    whole.fill(0);
    const pairs = rows[row]!;
    for (let i = 0; i < pairs.length; i += 2) whole[pairs[i]!] = pairs[i + 1]!;
    writeRow(written, whole);
  }
  return { count: rows.length, numbers: numbers.take(), rows: written.take() };
}

function writeRow(written: VarIntWriter, row: Int32Array): void {
  const usual = usualNumber(row);
  let others = 0;
  for (const number of row) if (number !== usual) others += 1;
  written.writeSigned(usual);
  written.write(others);
  let last = -1;
  for (let y = 0; y < row.length; y += 1) {
    if (row[y] === usual) continue;
    written.write(y - last - 1);
    written.writeSigned(row[y]!);
    last = y;
  }
}

/** The number that comes most often; of several 0, or else the first. */
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

/** Puts shared rows into a table, row by row; false where they are not whole. */
export function placeRows(
  { count, rows }: Pick<SharedRows, 'count' | 'rows'>,
  labels: number,
  unit: number,
  table: Reals,
  width: number,
): boolean {
  const reader = new VarIntReader(rows);
  for (let row = 0; row < count; row += 1) {
    const start = row * width;
    const usual = reader.readSigned() / unit;
    if (usual !== 0) table.fill(usual, start, start + labels);
    let y = -1;
    for (let others = reader.read(); others > 0; others -= 1) {
      y += reader.read() + 1;
      if (reader.failed || y >= labels) return false;
      table[start + y] = reader.readSigned() / unit;
    }
  }
  return reader.ended && !reader.failed;
}

/** What `shareRows` was given; undefined where they are not whole, or a feature has no weight. */
export function unshareRows(
  shared: SharedRows,
  features: number,
  labels: number,
  unit: number,
): Pick<SparseRows, 'masks' | 'values'> | undefined {
  const { count } = shared;
  // A row takes two bytes or more.
  if (2 * count > shared.rows.length) return undefined;
  const reader = new VarIntReader(shared.numbers);
  const numbers = new Uint32Array(features);
  for (let i = 0; i < features; i += 1) numbers[i] = reader.read();
  if (reader.failed || !reader.ended || numbers.some(number => number >= count)) return undefined;
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

/** Shared rows one by one; undefined where they are not whole. */
function rowsOf(
  { count, rows }: SharedRows,
  labels: number,
  unit: number,
): readonly SparseRow[] | undefined {
  const reader = new VarIntReader(rows);
  const all: SparseRow[] = [];
  const row = new Float32Array(labels);
  for (let i = 0; i < count; i += 1) {
    row.fill(reader.readSigned() / unit);
    let y = -1;
    for (let others = reader.read(); others > 0; others -= 1) {
      y += reader.read() + 1;
      if (reader.failed || y >= labels) return undefined;
      row[y] = reader.readSigned() / unit;
    }
    const mask = new Uint8Array(Math.ceil(labels / 8));
    for (let label = 0; label < labels; label += 1) {
      if (row[label] !== 0) mask[label >> 3]! |= 1 << (label & 7);
    }
    all.push({ mask, values: row.filter(value => value !== 0) });
  }
  return reader.ended && !reader.failed ? all : undefined;
}
