import { expect, it } from 'vitest';
import {
  candidatesFor,
  searchRecipes,
} from '../../../../../src/runtime/pipeline/init/search-recipes.js';
import {
  fastRecipe,
  type Recipe,
  recipeFor,
} from '../../../../../src/runtime/pipeline/training/recipe.js';

const candidates = [
  { name: 'bioes', change: { encode: 'bioes' } },
  { name: 'seen', change: { seen: 'near' } },
  { name: 'cost 1', change: { cost: 1 } },
  { name: 'cost 3', change: { cost: 3 } },
] as const;

const plain = fastRecipe('ner', { records: 100, tokens: 1000 });

/** As many sentences of ten tokens, of which a share is right: the same ones first, so that gains add up. */
const countsOf = (score: number) =>
  Array.from({ length: 1000 }, (_, i) => ({
    ...{ tokens: 10, equal: i < score * 10 ? 10 : 0 },
    ...{ correct: 0, gold: 0, predicted: 0 },
  }));

/** Scores by a table of changes; what is not in it finds no time. */
function search(scores: Readonly<Record<string, number>>) {
  const measured: string[] = [];
  const measure = (recipe: Recipe) => {
    const changes = Object.entries(recipe).filter(([key]) => !(key in plain));
    const key = JSON.stringify(Object.fromEntries(changes));
    measured.push(key);
    const score = scores[key];
    return Promise.resolve(
      score === undefined
        ? undefined
        : { score, deviation: 0, seconds: 1, counts: countsOf(score), spanScheme: false },
    );
  };
  return searchRecipes(plain, candidates, measure).then(found => ({ ...found, measured }));
}

it('keeps what gains, each on top of what was kept before', async () => {
  const { best, trials, measured } = await search({
    '{}': 80,
    '{"encode":"bioes"}': 79,
    '{"seen":"near"}': 81,
    '{"seen":"near","cost":1}': 81.04,
    '{"seen":"near","cost":3}': 81.5,
  });
  expect(best).toEqual({ ...plain, seen: 'near', cost: 3 });
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
  expect(best).toEqual({ ...plain, encode: 'bioes' });
  expect(trials.map(({ result }) => result?.score)).toEqual([
    ...[80, 82],
    ...[undefined, undefined, undefined],
  ]);
  expect(measured).toHaveLength(3);
  expect(await search({})).toMatchObject({ best: plain, measured: ['{}'] });
});

it('does not take what chance can bring', async () => {
  // One sentence in a thousand more is right.
  const { best, trials } = await search({ '{}': 80, '{"encode":"bioes"}': 80.1 });
  expect(best).toEqual(plain);
  expect(trials[1]!.pValue).toBeGreaterThan(0.05);
});

it('tries what fits the data, and nothing that the recipe has', () => {
  const names = (facts: Parameters<typeof candidatesFor>[0]) =>
    candidatesFor(facts).map(({ name }) => name);
  expect(
    names({
      task: 'letters',
      spans: false,
      lists: { clusters: { raw: { file: 'c.txt' } } },
      plain,
    }),
  ).toEqual(['dropout']);
  expect(
    names({ task: 'ner', spans: true, lists: { clusters: { raw: { file: 'c.txt' } } }, plain }),
  ).toEqual([
    ...['clusters', 'few features', 'medium features', 'seen', 'document', 'bioes'],
    ...['margin, cost 1', 'margin, cost 3', 'margin, missed spans 3', 'adagrad', 'dropout'],
  ]);
  const small = recipeFor('ner', { records: 300, tokens: 5000 });
  expect(names({ task: 'ner', spans: true, plain: small })).toEqual([
    ...['few features', 'all features', 'bioes', 'margin, cost 1', 'margin, cost 3', 'sgd'],
    'dropout',
  ]);
  expect(names({ task: 'chunk', spans: true, plain })).not.toContain('document');
});
