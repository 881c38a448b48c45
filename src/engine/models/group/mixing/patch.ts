import type { Reals } from '../../../core/arrays.js';
import type { Plane } from '../../../kernels/memory/plane.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import type { PlaneNumbers } from './shard-job.js';

/** The changes of a table. */
export interface TableChanges {
  /** Places of the changed numbers, ascending. */
  readonly places: Uint32Array;
  readonly values: Reals;
}

/** The changes of a plane: all other numbers are `factor` times their old values. */
export interface PlaneChanges {
  readonly factor: number;
  readonly tables: readonly TableChanges[];
}

/**
 * Returns the changes from one state of a plane to another as bytes: the factor; then, for each table, the number of
 * entries that are not `factor` times their old values, the distances between them as varints, and their exact values.
 * Nothing is rounded: `applyPatch` restores the numbers exactly. Cost O(numbers), bytes O(changes).
 *
 * @param factor factor of unchanged numbers, as in a scaled store
 */
export function patchOf(now: PlaneNumbers, before: PlaneNumbers, factor = 1): Uint8Array {
  const parts: Uint8Array[] = [bytesOf(Float64Array.of(factor))];
  for (const [t, table] of now.entries()) parts.push(...tablePatch(table, before[t]!, factor));
  const patch = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    patch.set(part, at);
    at += part.length;
  }
  return patch;
}

function tablePatch(now: Reals, before: Reals, factor: number): Uint8Array[] {
  const places = new Uint32Array(changed(now, before, factor));
  const values =
    now instanceof Float32Array ? new Float32Array(places.length) : new Float64Array(places.length);
  const steps = new Uint8Array(5 * places.length);
  const unmoved = new (now.constructor as Float64ArrayConstructor)(1);
  let count = 0;
  let bytes = 0;
  let last = 0;
  for (let i = 0; i < now.length; i += 1) {
    unmoved[0] = factor * before[i]!;
    if (now[i] === unmoved[0]) continue;
    values[count] = now[i]!;
    count += 1;
    let step = i - last;
    last = i;
    while (step >= 128) {
      steps[bytes] = (step & 127) | 128;
      bytes += 1;
      step >>>= 7;
    }
    steps[bytes] = step;
    bytes += 1;
  }
  return [bytesOf(Uint32Array.of(count, bytes)), steps.subarray(0, bytes), bytesOf(values)];
}

function changed(now: Reals, before: Reals, factor: number): number {
  const unmoved = new (now.constructor as Float64ArrayConstructor)(1);
  let count = 0;
  for (let i = 0; i < now.length; i += 1) {
    unmoved[0] = factor * before[i]!;
    if (now[i] !== unmoved[0]) count += 1;
  }
  return count;
}

/** Returns the changes in a patch; `like` has tables of the same kind. */
export function changesOf(patch: Uint8Array, like: PlaneNumbers): PlaneChanges {
  const take = (at: number, length: number) => patch.slice(at, at + length).buffer;
  const factor = new Float64Array(take(0, 8))[0]!;
  let at = 8;
  const tables = like.map(table => {
    const [count, bytes] = new Uint32Array(take(at, 8)) as unknown as [number, number];
    const places = new Uint32Array(count);
    let next = at + 8;
    let place = 0;
    for (let i = 0; i < count; i += 1) {
      let shift = 0;
      for (;;) {
        const byte = patch[next]!;
        next += 1;
        place += (byte & 127) * 2 ** shift;
        if (byte < 128) break;
        shift += 7;
      }
      places[i] = place;
    }
    const valuesAt = at + 8 + bytes;
    const size = count * table.BYTES_PER_ELEMENT;
    const values =
      table instanceof Float32Array
        ? new Float32Array(take(valuesAt, size))
        : new Float64Array(take(valuesAt, size));
    at = valuesAt + size;
    return { places, values };
  });
  return { factor, tables };
}

/** Applies a patch to a plane in place. */
export function applyPatch(patch: Uint8Array, plane: PlaneNumbers): void {
  const { factor, tables } = changesOf(patch, plane);
  for (const [t, { places, values }] of tables.entries()) {
    const table = plane[t]!;
    if (factor !== 1) for (let i = 0; i < table.length; i += 1) table[i]! *= factor;
    for (let i = 0; i < places.length; i += 1) table[places[i]!] = values[i]!;
  }
}

function bytesOf(numbers: ArrayBufferView): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/**
 * Returns a plane's numbers that are parameters, without spare capacity, as views that are valid until the store
 * grows.
 */
export function planeNumbers(store: ParameterStore, plane: Plane): PlaneNumbers {
  const { stateRows, edgeRows, width, matrixSize, hasEdgeBlocks, pairs } = store;
  return [
    plane.state.view.subarray(0, stateRows * width),
    plane.edges.view.subarray(0, (hasEdgeBlocks ? edgeRows : 1) * matrixSize),
    plane.pairs.view.subarray(0, pairs.size),
  ];
}

/** Copies numbers. */
export function copied(numbers: PlaneNumbers): PlaneNumbers {
  return numbers.map(table => table.slice());
}

/** Returns the same count of zeros. */
export function zeros(numbers: PlaneNumbers): PlaneNumbers {
  return numbers.map(table =>
    table instanceof Float32Array ? new Float32Array(table.length) : new Float64Array(table.length),
  );
}
