import { expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { readModel, writeParameters } from '../../../src/engine/models/files/model-file.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { sentenceOf } from '../features/sentence-of.js';

const templates = 'U0:%x[0,0]\nU:start:%first[0,0]\nU:stop:%last[0,0]\nB';
const tags = ['A', 'B', 'C'];

function sequences(length: number): number[][] {
  if (length === 0) return [[]];
  return sequences(length - 1).flatMap(path => tags.map((_, y) => [...path, y]));
}

it('weighs first and last labels as the formula has it, also read from a file', () => {
  const model = createModel({ templates }, undefined, kernels.simd64);
  for (const word of ['a', 'b', 'c']) model.encode(sentenceOf([word, word], { tags: ['A', 'B'] }));
  const [first, second] = [['a'], ['a', 'b']].map(tokens =>
    model.encode(sentenceOf(tokens, { tags: tokens.map(() => 'C') })),
  );
  model.reserve();
  // A token alone has both, of two tokens each has one.
  const [, start, stop] = first!.stateRows;
  expect([...second!.stateRows].filter(row => row === start)).toHaveLength(1);
  expect(second!.stateRows[1]).toBe(start);
  expect(second!.stateRows[3]).toBe(stop);
  const { weights, width } = model.parameters;
  const random = new Random(4);
  const state = (row: number, y: number) => weights.state.view[row * width + y]!;
  for (let row = 0; row < model.stateIndex.size; row += 1) {
    for (const y of tags.keys()) {
      weights.state.view[row * width + y] = Math.fround(2 * random.uniform() - 1);
    }
  }
  for (const from of tags.keys()) {
    for (const to of tags.keys()) {
      weights.edges.view[from * width + to] = Math.fround(2 * random.uniform() - 1);
    }
  }
  const wordRow = (word: string) => model.encodeKnown(sentenceOf([word, word], {})).stateRows[0]!;
  const taggers = [
    new Tagger(model),
    new Tagger(readModel(writeParameters(model, model.parameters), 'file', kernels.simd64)),
  ];
  for (const tokens of [['b'], ['c', 'a'], ['b', 'a', 'a', 'c'], ['unknown', 'a', 'unknown']]) {
    const known = tokens.map(token => (token === 'unknown' ? undefined : wordRow(token)));
    const scores = sequences(tokens.length).map(path => {
      let score = state(start!, path[0]!) + state(stop!, path.at(-1)!);
      for (const [t, y] of path.entries()) {
        if (known[t] !== undefined) score += state(known[t], y);
        if (t > 0) score += weights.edges.view[path[t - 1]! * width + y]!;
      }
      return { path, score };
    });
    const best = scores.reduce((a, b) => (b.score > a.score ? b : a));
    const total = scores.reduce((sum, { score }) => sum + Math.exp(score), 0);
    for (const tagger of taggers) {
      const found = tagger.analyze(tokens, {}, { probability: true, marginals: true });
      expect(found.tags).toEqual(best.path.map(y => tags[y]));
      expect(found.score).toBeCloseTo(best.score, 12);
      expect(found.probability).toBeCloseTo(Math.exp(best.score) / total, 12);
      const explained = tagger.explain(tokens);
      const namesAt = (t: number) => explained.at(t)!.contributions.map(({ name }) => name);
      expect(namesAt(0)).toContain('U:start:_B-1');
      expect(namesAt(-1)).toContain('U:stop:_B+1');
      if (tokens.length > 1) expect(namesAt(-1)).not.toContain('U:start:_B-1');
    }
  }
});
