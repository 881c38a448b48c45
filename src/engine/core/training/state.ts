import { TagstreamError } from '../errors.js';

/** Data that a checkpoint can store: JSON values and typed arrays by name. */
export interface State {
  readonly json: Readonly<Record<string, unknown>>;
  readonly arrays: Readonly<
    Record<string, Uint8Array | Int32Array | Uint32Array | Float32Array | Float64Array>
  >;
}

/** A part of a training run whose state is stored in checkpoints. */
export interface Stateful {
  /** Returns the current state. Arrays may be views: they must be copied or written at once. */
  save(): State;
  /** Restores a saved state. */
  restore(state: State): void;
}

type StateArray = State['arrays'][string];

/**
 * Returns the error for a state that is inconsistent although its checksum is correct.
 *
 * @example
 * wrongState('no scale').code // => 'checkpoint'
 */
export function wrongState(problem: string): TagstreamError {
  return new TagstreamError('checkpoint', `the state is inconsistent: ${problem}`, {
    fix: 'resume from an older checkpoint, or train without --resume',
  });
}

/**
 * Returns a finite number from a saved state.
 *
 * @throws TagstreamError `checkpoint` if the value is missing or not a finite number
 * @example
 * stateNumber({ json: { loss: 0.5 }, arrays: {} }, 'loss') // => 0.5
 */
export function stateNumber({ json }: State, name: string): number {
  const value = Object.hasOwn(json, name) ? json[name] : undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw wrongState(`${name} is not a number`);
}

/**
 * Returns a count from a saved state: a non-negative whole number.
 *
 * @throws TagstreamError `checkpoint` if the value is missing or not a count
 * @example
 * stateCount({ json: { steps: 7 }, arrays: {} }, 'steps') // => 7
 */
export function stateCount(state: State, name: string): number {
  const value = stateNumber(state, name);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw wrongState(`${name} is ${value}`);
}

/**
 * Returns an array from a saved state.
 *
 * @param least minimum length
 * @throws TagstreamError `checkpoint` if the array is absent, of another type, or too short
 * @example
 * stateArray({ json: {}, arrays: { a: Int32Array.of(1) } }, 'a', [Int32Array]) // => Int32Array.of(1)
 */
export function stateArray<Make extends new (length: number) => StateArray>(
  { arrays }: State,
  name: string,
  kinds: readonly Make[],
  least = 0,
): InstanceType<Make> {
  const array = Object.hasOwn(arrays, name) ? arrays[name] : undefined;
  if (array === undefined || !kinds.some(kind => array instanceof kind)) {
    throw wrongState(`${name} is missing`);
  }
  if (array.length >= least) return array as InstanceType<Make>;
  throw wrongState(`${name} has ${array.length} items, expected at least ${least}`);
}

/** Content of a checkpoint: the state of each part of the run, by the part's name. */
export type CheckpointParts = Readonly<Record<string, State>>;

/** Storage of checkpoints; implemented in `runtime/io/`, injected by `runtime/pipeline/`. */
export interface CheckpointStore {
  /**
   * Writes a new generation atomically, and drops old ones beyond the number to keep. Returns the
   * name of the new one.
   */
  write(parts: CheckpointParts): string;
  /** Returns the newest valid generation; damaged ones are reported to `onDamaged` and skipped. */
  readNewest(onDamaged: (name: string, error: Error) => void): CheckpointParts | undefined;
}
