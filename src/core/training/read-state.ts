import { TagstreamError } from '../errors.js';
import type { State } from './state.js';

type StateArray = State['arrays'][string];

/**
 * The error of a state that is not as it was saved, though its bytes are.
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
 * A finite number of a saved state.
 *
 * @throws TagstreamError `checkpoint` if there is none
 * @example
 * stateNumber({ json: { loss: 0.5 }, arrays: {} }, 'loss') // => 0.5
 */
export function stateNumber({ json }: State, name: string): number {
  const value = Object.hasOwn(json, name) ? json[name] : undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw wrongState(`${name} is no number`);
}

/**
 * A count of a saved state: a whole number from 0.
 *
 * @throws TagstreamError `checkpoint` if there is none
 * @example
 * stateCount({ json: { steps: 7 }, arrays: {} }, 'steps') // => 7
 */
export function stateCount(state: State, name: string): number {
  const value = stateNumber(state, name);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw wrongState(`${name} is ${value}`);
}

/**
 * An array of a saved state.
 *
 * @param least items that it needs
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
    throw wrongState(`there is no ${name}`);
  }
  if (array.length >= least) return array as InstanceType<Make>;
  throw wrongState(`${name} has ${array.length} items of ${least}`);
}
