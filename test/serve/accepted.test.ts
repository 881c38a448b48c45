import { expect, it } from 'vitest';
import { Random } from '../../src/core/random.js';
import { Problem } from '../../src/http/problem.js';
import { type AnswerType, acceptedType, answerTypes } from '../../src/serve/requests/accepted.js';

const names = Object.keys(answerTypes) as AnswerType[];

it('the type of an answer is the one of the highest weight, the first of those that tie', () => {
  const random = new Random(8);
  const draw = <T>(from: readonly T[]) => from[random.below(from.length)]!;
  const kinds = [...names, '*/*', 'text/*', 'application/*', 'image/png', 'image/*'];
  let ties = 0;
  for (let i = 0; i < 500; i += 1) {
    const otherwise = draw(names);
    const ranges = Array.from({ length: 1 + random.below(4) }, () => ({
      range: draw(kinds),
      weight: draw([undefined, 0, 0.3, 0.5, 1]),
    }));
    const accept = ranges
      .map(({ range, weight }) => (weight === undefined ? range : `${range}; q=${weight}`))
      .join(', ');
    const known = ranges.flatMap(({ range, weight = 1 }) => {
      const [kind] = range.split('/*');
      const isIn = (name: string) =>
        range === '*/*' || range === name || name.split('/')[0] === kind;
      const name = [otherwise, ...names].find(isIn);
      return name === undefined || weight === 0 ? [] : [{ name, weight }];
    });
    const most = Math.max(...known.map(({ weight }) => weight));
    const best = known.filter(({ weight }) => weight === most);
    if (new Set(best.map(({ name }) => name)).size > 1) ties += 1;
    const accepted = () => acceptedType(accept, otherwise);
    if (best.length === 0) expect(accepted, accept).toThrow(Problem);
    else expect(accepted(), accept).toBe(best[0]!.name);
  }
  expect(ties).toBeGreaterThan(50);
});
