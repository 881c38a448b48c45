import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import {
  distanceClass,
  parseLinkFeatures,
} from '../../../../src/engine/features/links/link-feature.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { logLoss } from '../../../../src/entries/losses.js';
import { sgd } from '../../../../src/entries/optimizers.js';
import { createLearner } from '../../../../src/runtime/pipeline/learners/create-learner.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';

interface Linked {
  readonly tokens: string[];
  readonly tags: string[];
  readonly links: (readonly [number, number])[];
}

/**
 * A telling word and one that says nothing, linked: the second has the class of the first where both are in lower case, and
 * the other class where it has a capital.
 */
function records(count: number, seed: number): Linked[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    const gap = random.below(3);
    const first = random.below(2);
    const turns = random.below(2);
    const word = `${turns === 1 ? 'W' : 'w'}${random.below(1000)}`;
    const between = Array.from({ length: gap }, () => 'x');
    const [own, other] = first === 0 ? ['C', 'D'] : ['D', 'C'];
    return {
      tokens: [`told${first}`, ...between, word],
      tags: [own, ...between.map(() => 'O'), turns === 0 ? own : other],
      links: [[0, gap + 1]],
    };
  });
}

async function learned(linkFeatures?: string[]) {
  const { bytes } = await train({
    corpus: records(200, 3) as readonly object[] as readonly Document[],
    features: { templates: ['U0:%x[0,0]', 'U1:%shape[0,0]'], cutoff: 2 },
    ...{ structure: 'graph', trainer: { sgd: { l2: 0.1 } }, epochs: 8 },
    ...(linkFeatures === undefined ? {} : { linkFeatures }),
  });
  const model = readModel(bytes);
  const tagger = new Tagger(model);
  let wrong = 0;
  for (const { tokens, tags, links } of records(100, 4)) {
    if (tagger.analyze(tokens, {}, { links }).tags.at(-1) !== tags.at(-1)) wrong += 1;
  }
  return { wrong, model };
}

describe('features of links', () => {
  it('say what the pair of labels depends on, which the type of a link does not', async () => {
    const { wrong, model } = await learned(['shape', 'distance']);
    expect(wrong).toBe(0);
    expect(model.spec.graph!.features).toEqual(['shape', 'distance']);
    expect((await learned()).wrong).toBeGreaterThan(30);
  });

  it('are named by what the two ends are', async () => {
    const { model } = await learned(['lower:form', 'distance']);
    const names: string[] = [];
    const [{ tokens, links }] = records(1, 5) as [Linked];
    const document = { links } as unknown as Document;
    model.links!.eachName(
      { tokens, columns: {}, document, part: { index: 0, count: 1, start: 0 } },
      model.edgeIndex,
      (_, name) => names.push(name),
    );
    expect(names).toContain('link:link');
    expect(names).toContain(`link:link distance:${tokens.length - 1}`);
  });

  it.each([
    [1, 2, '1'],
    [9, 5, '4'],
    [0, 5, '..8'],
    [0, 9, '..16'],
  ])('have classes of distances: %i to %i is %s', (from, to, expected) => {
    expect(distanceClass(from, to)).toBe(expected);
  });

  it.each(['colour', 'distance:form', 'lower:'])('are refused where there is none: %s', source => {
    expect(() => parseLinkFeatures([source])).toThrow(/no link feature/);
  });
});

describe('links of three and more tokens', () => {
  const tags = ['A', 'B', 'B'];
  const record = (links: unknown) => ({ tokens: ['a', 'b', 'c'], tags, links }) as Document;
  const request = {
    features: { templates: ['U0:%x[0,0]'] },
    structure: 'graph',
    epochs: 2,
  } as const;
  const failure = (run: Promise<unknown>) => run.then(() => undefined).catch(error => error);

  it.each([
    [[[0, 1, 1]]],
    [[[0, 1, 3]]],
    [[[0, 1, 2, '']]],
    [[[0, 1, 2, 0]]],
    [[[0, 'one', 1, 2]]],
    [[[0]]],
  ])('are refused where there can be none: %j', async links => {
    const model = (await train({ ...request, corpus: [record([[0, 1, 2, 'three']])] })).tagger;
    expect(() => model.analyze(['a', 'b', 'c'], {}, { links: links as never })).toThrow(
      expect.objectContaining({ code: 'wrong-shape' }),
    );
  });

  it('name their features by the labels of all but two', async () => {
    const { tagger } = await train({ ...request, corpus: [record([[2, 0, 1, 'three']])] });
    const names: string[] = [];
    const { tokens, links } = record([[2, 0, 1, 'three']]);
    const part = { index: 0, count: 1, start: 0 };
    tagger.model.links!.eachName(
      { tokens: tokens!, columns: {}, document: { links }, part },
      tagger.model.edgeIndex,
      (_, name) => names.push(name),
    );
    expect(names).toEqual(['link:three[A]', 'link:three[B]']);
  });

  it('are refused on streams, with associative potentials, and where there are too many tuples', async () => {
    const corpus = [record([[0, 1, 2]])];
    expect(await failure(train({ ...request, corpus, potentials: 'associative' }))).toMatchObject({
      code: 'config',
      fix: expect.stringMatching(/potentials: free/),
    });
    const tokens = Array.from({ length: 9 }, (_, i) => `w${i}`);
    const wide = { tokens, tags: tokens, links: [tokens.slice(1).map((_, t) => t)] } as Document;
    expect(await failure(train({ ...request, corpus: [wide] }))).toMatchObject({
      code: 'too-large',
      message: expect.stringMatching(/8 tokens/),
    });
    const model = createModel({
      templates: 'U0:%x[0,0]',
      graph: { potentials: 'free', maxWidth: 3, schedule: 'residual' },
    });
    const learner = createLearner(model, { loss: logLoss(), optimizer: sgd(), corpusSize: 1 });
    const { links } = corpus[0]!;
    const sentence = { tokens: ['a', 'b', 'c'], tags, columns: {}, document: { links } };
    const encoded = model.encode({ ...sentence, part: { index: 0, count: 1, start: 0 } });
    expect(() => learner.contribute(packMinibatch([encoded]))).toThrow(
      /complete label set before training/,
    );
  });
});
