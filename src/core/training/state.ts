import { TagstreamError } from '../errors.js';

/** Data that a checkpoint can hold: JSON values and typed arrays by name. */
export interface State {
  readonly json: Readonly<Record<string, unknown>>;
  readonly arrays: Readonly<
    Record<string, Uint8Array | Int32Array | Uint32Array | Float32Array | Float64Array>
  >;
}

/** A part of a training run whose state belongs in a checkpoint. */
export interface Stateful {
  /** Returns the current state. Arrays may be views: copy or write them at once. */
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
 * Returns a finite number of a saved state.
 *
 * @throws TagstreamError `checkpoint` if it is missing or not such a number
 * @example
 * stateNumber({ json: { loss: 0.5 }, arrays: {} }, 'loss') // => 0.5
 */
export function stateNumber({ json }: State, name: string): number {
  const value = Object.hasOwn(json, name) ? json[name] : undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw wrongState(`${name} is not a number`);
}

/**
 * Returns a count of a saved state: a whole number from 0.
 *
 * @throws TagstreamError `checkpoint` if it is missing or not such a number
 * @example
 * stateCount({ json: { steps: 7 }, arrays: {} }, 'steps') // => 7
 */
export function stateCount(state: State, name: string): number {
  const value = stateNumber(state, name);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw wrongState(`${name} is ${value}`);
}

/**
 * Returns an array of a saved state.
 *
 * @param least smallest length allowed
 * @throws TagstreamError `checkpoint` if it is absent, of another type, or too short
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

/** Everything a checkpoint holds: one state for each part of the run, by the part's name. */
export type CheckpointParts = Readonly<Record<string, State>>;

/** Where checkpoints are kept; implemented in `io/`, injected by `pipeline/`. */
export interface CheckpointStore {
  /** Writes a new generation atomically and drops those beyond the number to keep. Returns its name. */
  write(parts: CheckpointParts): string;
  /** Returns the newest valid generation; damaged ones are reported to `onDamaged` and skipped. */
  readNewest(onDamaged: (name: string, error: Error) => void): CheckpointParts | undefined;
}
