import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleModels } from '../../../src/engine/models/files/bundle-models.js';
import { writeModel } from '../../../src/engine/models/files/model-file.js';
import { explainSentence } from '../../../src/engine/models/inspection/explain.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { createClient } from '../../../src/entries/client.js';
import { createService, type Service } from '../../../src/service/serve/service.js';
import { workspace } from '../../cli/commands/workspace.js';
import { sentenceOf } from '../../engine/features/sentence-of.js';
import { trainVoted } from '../../engine/models/examples/train-voted.js';
import { namesModel, petsModel } from './served.js';

const folder = workspace();
const text = 'Anna lives in Oslo.';
const sentence = ['Anna', 'lives', 'in', 'Oslo', '.'];

/** A model whose tags are voted for. */
const votedModel = () =>
  writeModel(
    trainVoted(
      [
        sentenceOf(sentence, { tags: ['B-PER', 'O', 'O', 'B-LOC', 'O'] }),
        sentenceOf(['Ben', 'saw', 'Oslo'], { tags: ['B-PER', 'O', 'B-LOC'] }),
      ],
      { templates: 'U0:%x[0,0]\nB' },
    ),
  );

const files = {
  names: namesModel(),
  voted: votedModel(),
  bundle: bundleModels([
    { bytes: namesModel(), column: 'ner' },
    { bytes: petsModel(), column: 'pets' },
  ]),
};

let service: Service;
const client = createClient('http://localhost', { fetch: request => service.fetch(request) });

beforeAll(async () => {
  const models = Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => {
      const file = join(folder, `${name}.model`);
      writeFileSync(file, bytes);
      return [name, file];
    }),
  );
  service = await createService({ models, threads: 1 });
});
afterAll(() => service.close());

describe('/v1/explain', () => {
  it.each(['names', 'bundle'] as const)(
    'explains the tags of %s as the library does',
    async name => {
      const { sentences, explanations } = await client.explain(text, { model: name });
      // Of a bundle it explains the first model, whose tags the record has.
      const first = Tagger.fromBytes(files.names).model;
      const found = explainSentence(first, sentenceOf(sentence, {}));
      expect(sentences).toEqual([[0, 5]]);
      expect(explanations).toEqual(
        found.map(each => ({ ...each, contributions: each.contributions.slice(0, 12) })),
      );
      const { tags, columns } = await client.tag(text, { model: name });
      expect(explanations.map(({ tag }) => tag)).toEqual(tags);
      if (name === 'bundle') expect(columns).toMatchObject({ pets: ['O', 'B-ACT', 'O', 'O', 'O'] });
      for (const { difference, runnerUp, contributions } of explanations) {
        if (runnerUp === undefined || contributions.length === 12) continue;
        const sum = contributions.reduce((total, { amount }) => total + amount, 0);
        expect(difference).toBeCloseTo(sum, 9);
      }
    },
  );

  it('says why it cannot explain tags that are voted for, which it tags with all the same', async () => {
    const asked = { model: 'voted' };
    const error = await client.explain(text, asked).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'config',
      problem: expect.stringMatching(/\d+ weight vectors vote on/),
      fix: expect.stringContaining('one weight vector'),
    });
    const tagger = Tagger.fromBytes(files.voted);
    expect((await client.tag(text, asked)).tags).toEqual(tagger.tag(sentence));
    // Others are explained as before, by the same threads.
    expect((await client.explain(text)).explanations).toHaveLength(5);
    expect(
      (await client.explain([text, 'Ben'], { model: 'bundle' })).map(each => each.sentences),
    ).toEqual([[[0, 5]], [[0, 1]]]);
  });
});
