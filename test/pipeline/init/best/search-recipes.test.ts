import { expect, it } from 'vitest';
import { candidatesFor } from '../../../../src/pipeline/init/best/candidates.js';
import type { Recipe } from '../../../../src/pipeline/init/best/recipe.js';
import { searchRecipes } from '../../../../src/pipeline/init/best/search-recipes.js';

const candidates = [
  { name: 'bioes', change: { encode: 'bioes' } },
  { name: 'seen', change: { seen: true } },
  { name: 'cost 1', change: { cost: 1 } },
  { name: 'cost 3', change: { cost: 3 } },
] as const;

/** Scores by a table; what is not in it finds no time. */
function search(scores: Readonly<Record<string, number>>) {
  const measured: string[] = [];
  const measure = (recipe: Recipe) => {
    const key = JSON.stringify(recipe);
    measured.push(key);
    const score = scores[key];
    return Promise.resolve(score === undefined ? undefined : { score, deviation: 0, seconds: 1 });
  };
  return searchRecipes(candidates, measure).then(found => ({ ...found, measured }));
}

it('keeps what gains, each on top of what was kept before', async () => {
  const { best, trials, measured } = await search({
    '{}': 80,
    '{"encode":"bioes"}': 79,
    '{"seen":true}': 81,
    '{"seen":true,"cost":1}': 81.04,
    '{"seen":true,"cost":3}': 81.05,
  });
  expect(best).toEqual({ seen: true, cost: 3 });
  expect(trials.map(({ name, kept }) => [name, kept])).toEqual([
    ['plain', true],
    ['bioes', false],
    ['seen', true],
    // A gain that small is chance.
    ['cost 1', false],
    ['cost 3', true],
  ]);
  expect(measured).toHaveLength(5);
});

it('stops when the time is over, and names what was not tried', async () => {
  const { best, trials, measured } = await search({ '{}': 80, '{"encode":"bioes"}': 82 });
  expect(best).toEqual({ encode: 'bioes' });
  expect(trials.map(({ result }) => result?.score)).toEqual([
    ...[80, 82],
    ...[undefined, undefined, undefined],
  ]);
  expect(measured).toHaveLength(3);
  expect(await search({})).toMatchObject({ best: {}, measured: ['{}'] });
});

it('tries what fits the data', () => {
  const names = (facts: Parameters<typeof candidatesFor>[0]) =>
    candidatesFor(facts).map(({ name }) => name);
  expect(names({ task: 'letters', spans: false, clusters: 'c.txt' })).toEqual(['dropout']);
  expect(names({ task: 'ner', spans: true, clusters: 'c.txt' })).toEqual([
    ...['clusters', 'seen', 'document', 'bioes', 'margin, cost 1', 'margin, cost 3', 'dropout'],
  ]);
  expect(names({ task: 'chunk', spans: true, clusters: undefined })).not.toContain('document');
});
