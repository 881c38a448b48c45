import { afterEach, beforeEach, expect } from 'vitest';
import { forgetProblem, lastProblem } from '../contracts/oracle/last-problem.js';
import { testSeed } from './long-forms.js';

// Typed arrays with the same numbers are equal without a look at each as a property, which takes fifty times as long. What
// differs goes the usual way, to be shown.
expect.addEqualityTesters([(a, b) => (haveSameNumbers(a, b) ? true : undefined)]);

beforeEach(forgetProblem);

// What one needs to look at the problem alone.
afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return;
  const problem = lastProblem();
  const lines = [
    `TAGSTREAM_SEED=${testSeed}`,
    ...(problem === '' ? [] : [`The last problem:\n${problem}`]),
  ];
  console.error(`${task.name}: ${lines.join('\n')}`);
});

/** Whether both are typed arrays of one type with the same numbers; 0 is not -0, and NaN is NaN, as in `toEqual`. */
function haveSameNumbers(a: unknown, b: unknown): boolean {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a instanceof DataView) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const [x, y] = [a, b] as unknown as [ArrayLike<number>, ArrayLike<number>];
  if (x.length !== y.length) return false;
  for (let i = 0; i < x.length; i += 1) if (!Object.is(x[i], y[i])) return false;
  return true;
}
