import { beforeEach, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { Enumeration } from './enumeration.js';
import { KernelPlace } from './kernels/kernel-place.js';
import { forgetProblem, lastProblem } from './last-problem.js';
import { randomProblem } from './problems/problem.js';

beforeEach(forgetProblem);

it('is nothing before there is one', () => {
  expect(lastProblem()).toBe('');
});

it('is written with code that makes the same problem and the same sums', () => {
  const kernel = kernels.reference;
  const random = new Random(12);
  for (let i = 0; i < 5; i += 1) randomProblem(random, { longest: 3 }, new KernelPlace(kernel));
  const { scores } = randomProblem(random, { labels: 3, longest: 4 }, new KernelPlace(kernel));
  const { logZ } = new Enumeration(scores[0]!);
  const text = lastProblem();
  expect(text).toMatch(new RegExp(`^${scores[0]!.emissions.length} tokens, 3 labels\ntoken 0: `));
  const code = text.slice(text.indexOf('new Enumeration'));
  const [enumeration, ...drawn] = code.split('\n');
  const problem = drawn.pop();
  const run = new Function(
    ...['Enumeration', 'Random', 'randomProblem', 'KernelPlace', 'kernel'],
    `const chain = ${enumeration}; ${drawn.join('\n')} return [chain, ${problem}];`,
  );
  const [chain, again] = run(Enumeration, Random, randomProblem, KernelPlace, kernel);
  expect(chain.logZ).toBe(logZ);
  expect(again.scores).toEqual(scores);
});

it('keeps scores of what is forbidden', () => {
  new Enumeration({
    emissions: [[0, Number.NEGATIVE_INFINITY]],
    transitions: [
      [
        [0, 0],
        [0, 0],
      ],
    ],
  });
  expect(lastProblem()).toContain('[[0,-Infinity]]');
});
