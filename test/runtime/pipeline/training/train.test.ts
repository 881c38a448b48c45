import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { from } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { losses } from '../../../../src/engine/losses/losses.js';
import { contentsOf, readModel } from '../../../../src/engine/models/files/model-file.js';
import { readInspected } from '../../../../src/engine/models/inspection/read-inspected.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { optimizers } from '../../../../src/engine/optimizers/optimizers.js';
import { trainers } from '../../../../src/runtime/pipeline/catalogue/trainers.js';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import type { TrainRequest } from '../../../../src/runtime/pipeline/training/train-request.js';
import type {
  TrainerChoice,
  TrainerOptions,
} from '../../../../src/runtime/pipeline/training/trainer-choice.js';
import { ThreadGroup } from '../../../../src/runtime/workers/thread-group.js';
import { corpusLoss } from '../../../../src/studies/measures/measure-model.js';
import { toyPipeline, toyRecords, workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

const folder = workspace();
const file = toyPipeline(folder, 40);
const corpus: Document[] = toyRecords(40).map(record => JSON.parse(record));
const templates = ['U00:%x[0,0]', 'U01:%x[-1,0]', 'B'];
const request: TrainRequest = {
  corpus,
  features: { templates },
  trainer: { sgd: { eta0: 0.2, l2: 0.1 } },
  tokenize: {},
  batch: 4,
  epochs: 6,
  seed: 7,
};

/** The model file that the same options in a pipeline file give. */
async function byPipeline(...set: string[]): Promise<Uint8Array> {
  const model = join(folder, 'toy.model');
  await runPipeline(loadPipeline(file, { set }), { model });
  return readFileSync(model);
}

/** All of a model file but what its records looked like; `train` is given records, not files. */
function partsOf(bytes: Uint8Array): unknown {
  const { header, sections } = contentsOf(bytes);
  const { input: _, ...spec } = header.spec;
  const { notes } = readInspected(bytes, 'toy.model');
  return { header: { ...header, spec }, sections, notes };
}

/** Options for those that have none by default, or too much to do. */
const choices: Readonly<Record<string, TrainerChoice>> = {
  path: { path: { l1: [2, 0.5], iterations: 3 } },
  switch: { switch: { first: { sgd: {} }, next: { lbfgs: {} } } },
};

/** Losses of those that do not go with `log`. */
const usualLosses: Partial<Record<keyof TrainerOptions, string>> = {
  perceptron: 'perceptron',
  'voted-perceptron': 'perceptron',
  'passive-aggressive': 'perceptron',
  arow: 'perceptron',
  boosting: 'exponential',
  eg: 'hinge',
  smo: 'hinge',
  'cutting-planes': 'hinge',
  'support-vectors': 'hinge',
  'batch-perceptron': 'perceptron',
  counts: 'joint',
  em: 'joint',
  'stepwise-em': 'joint',
  mmi: 'joint',
};

/** What the type has options for. */
const typed = [
  ...readFileSync(
    resolve(import.meta.dirname, '../../../../src/runtime/pipeline/training/trainer-choice.ts'),
    'utf8',
  ).matchAll(/^ {2}readonly '?([\w-]+)'?: Partial</gm),
].map(([, name]) => name!);

const countedRequest = {
  ...{ scorer: 'hmm', trainer: { counts: {} }, features: { templates: ['U00:%x[0,0]'] } },
  ...{ epochs: 1 },
} as const;

/** Options with which the weights of the model are those of the last iteration, over all of the corpus. */
const exact: Readonly<Record<string, TrainerChoice>> = {
  trees: { trees: { sample: 1 } },
  'batch-perceptron': { 'batch-perceptron': { average: false } },
  path: { path: { l1: [2, 0.5], iterations: 1 } },
};

/** Those that report an iteration at the weights before its step. */
const reportsBefore = new Set(['rprop', 'trees', 'batch-perceptron', 'gis', 'iis']);

const names = [...optimizers, ...trainers].map(({ name }) => name);

/** Words alone, of which a hidden Markov model can be made. */
const countable = { templates: ['U00:%x[0,0]', 'B'] };
const countableSet = [
  'model={scorer: hmm}',
  'stages.featurize.templates=["U00:%x[0,0]", "B"]',
  'train.epochs=1',
];

/** What a trainer is usually asked, and the scorer that only it makes. */
function usualRequest(name: string) {
  const trainer = choices[name] ?? ({ [name]: {} } as unknown as TrainerChoice);
  const hmm = usualLosses[name as keyof TrainerOptions] === 'joint';
  const made = name === 'trees' || name === 'support-vectors' ? name : undefined;
  const other = {
    ...(hmm ? { scorer: 'hmm' as const, features: countable, epochs: 1 } : {}),
    ...(made === undefined ? {} : ({ scorer: made } as const)),
    ...(name === 'induction'
      ? { features: { ...request.features, support: 'observed' as const } }
      : {}),
  };
  return { ...request, ...other, trainer, hmm, made };
}

describe('train', () => {
  it('has a type for the options of each optimizer', () => {
    expect(typed.sort()).toEqual([...names].sort());
  });

  it.each(names)(
    'gives the weights, history and names of a pipeline file: %s',
    { tags: 'slow' },
    async name => {
      const { trainer, hmm, made, ...usual } = usualRequest(name);
      const steps: TrainingStep[] = [];
      const trained = await train({ ...usual, trainer, onStep: step => steps.push(step) });
      const expected = await byPipeline(
        `stages.optimize=${JSON.stringify(trainer)}`,
        `stages.contribute.loss=${usualLosses[name as keyof TrainerOptions] ?? 'log'}`,
        ...(hmm ? countableSet : []),
        ...(made === undefined ? [] : [`model={scorer: ${made}}`]),
        ...(name === 'induction' ? ['stages.featurize.support=observed'] : []),
      );
      expect(partsOf(trained.bytes)).toEqual(partsOf(expected));
      expect(trained.passes.length).toBeGreaterThan(0);
      expect(trained.iteration !== undefined).toBe(trainers.some(each => each.name === name));
      expect(steps.at(-1)!.sentencesSeen).toBeGreaterThanOrEqual(40);
    },
  );

  for (const part of everyNth(
    8,
    trainers.map(({ name }) => name),
  )) {
    it.each(part.rows)('reports the mean loss a token: %s', { tags: part.tags }, async name => {
      const { hmm: _, made: __, ...usual } = usualRequest(name);
      const passes = name === 'path' ? 2 : 3;
      const trainer = exact[name] ?? usual.trainer;
      const given = { ...usual, trainer, epochs: passes, kernel: kernels.simd64 };
      const { passes: history, bytes, iteration } = await train(given);
      const before = reportsBefore.has(name)
        ? (await train({ ...given, epochs: passes - 1 })).bytes
        : bytes;
      const model = readModel(before, name, kernels.simd64);
      const sentences = corpus.map(({ tokens, tags }) => ({ tokens: tokens!, tags }) as Sentence);
      const encoded = sentences.map(sentence => model.encodeKnown(sentence));
      const loss = losses.find(each => each.name === (usualLosses[name as never] ?? 'log'))!;
      const sum = corpusLoss(model.kernel, model.parameters, encoded, loss);
      const tokens = encoded.reduce((all, { length }) => all + length, 0);
      const reported = history.at(-1)!.loss;
      if (name !== 'mmi') expect(Math.abs(reported - sum / tokens)).toBeLessThan(1e-5 * reported);
      // What is left of the objective is the penalties that the trainer declares.
      expect(reported / (iteration!.loss / tokens)).toBeCloseTo(1, 8);
      const component = trainers.find(each => each.name === name)!;
      const options = component.options.parse((trainer as never as Record<string, object>)[name]);
      const { others = false, l1 = 0, l2 = 0 } = component.penalty?.(options as never) ?? {};
      const { weights } = model.parameters;
      const all = (['state', 'edges', 'pairs'] as const).flatMap(table => [...weights[table].view]);
      const penalty = all.reduce((a, w) => a + l1 * Math.abs(w) + l2 * w * w, 0);
      const found = iteration!.objective - iteration!.loss;
      if (others) expect(found).toBeGreaterThan(0);
      else expect(Math.abs(found - penalty)).toBeLessThan(1e-5 * Math.max(penalty, 1e-9));
    });
  }

  for (const { rows, tags } of everyNth(2, [
    ['an array', corpus],
    ['an iterable', new Set(corpus)],
    ['an asynchronous iterable', asynchronous()],
    ['an observable', from(corpus)],
    ['records with some that are not labelled', [{ tokens: ['new'] }, ...corpus]],
  ])) {
    it.each(rows)('takes %s', { tags }, async (_, given) => {
      const { bytes } = await train({ ...request, corpus: given });
      const { bytes: usual } = await train(request);
      expect(Buffer.from(bytes).equals(usual)).toBe(true);
    });
  }

  it('gives a tagger that tags what it was trained on', async () => {
    const { tagger } = await train({ corpus, features: { preset: 'pos' } });
    expect(corpus.map(({ tokens }) => tagger.tag(tokens!))).toEqual(corpus.map(({ tags }) => tags));
  });

  it('trains a MEMM, with the loss log', { tags: 'slow' }, async () => {
    const { bytes, tagger } = await train({ ...request, scorer: 'memm' });
    const expected = await byPipeline('model={scorer: memm}');
    expect(partsOf(bytes)).toEqual(partsOf(expected));
    expect(tagger.model.spec.scorer).toBe('memm');
    const named = await train({ ...request, scorer: 'linear' });
    expect(Buffer.from(named.bytes).equals((await train(request)).bytes)).toBe(true);
  });

  it('counts a hidden Markov model in one pass, where nothing else is asked for', async () => {
    const { bytes, tagger, passes } = await train({
      ...{ corpus, scorer: 'hmm', features: { templates: 'U00:%x[0,0]' } },
      ...{ heldOut: corpus.slice(0, 5) },
    });
    expect(passes).toHaveLength(1);
    expect(tagger.model.spec).toMatchObject({
      scorer: 'hmm',
      templates: 'U00:%x[0,0]\nU\nU:first:%first[0,0]\nB',
    });
    const other = await train({
      ...request,
      ...{ scorer: 'hmm', trainer: { counts: {} }, features: countable, epochs: 1 },
    });
    expect(other.passes).toHaveLength(1);
    const tags = (each: typeof tagger) => corpus.map(({ tokens }) => each.tag(tokens!));
    expect(tags(other.tagger)).toEqual(tags(tagger));
    expect(bytes.length).toBeGreaterThan(500);
  });

  it('keeps the best of the passes, by held-out records', async () => {
    const heldOut = corpus.slice(30);
    const given = { ...request, corpus: corpus.slice(0, 30), heldOut, epochs: 30 };
    const { bestPass, passes, scores, tagger } = await train({ ...given, patience: 2 });
    expect(passes.length).toBe(bestPass! + 2);
    expect(passes[bestPass! - 1]!.scores).toEqual(scores);
    const right = heldOut.flatMap(({ tokens, tags }) =>
      tagger.tag(tokens!).map((tag, i) => tag === tags![i]),
    );
    expect(scores!.accuracy).toBeCloseTo((100 * right.filter(Boolean).length) / right.length, 9);
    const { scores: last, passes: all } = await train(given);
    expect(all).toHaveLength(30);
    expect(last!.sentences).toBe(10);
  });

  it('gives the same bytes with several threads', { tags: 'slow' }, async () => {
    const given = { ...request, batch: 16, trainer: { lbfgs: {} }, epochs: 5 } as const;
    const group = new ThreadGroup(2);
    await group.open();
    try {
      const { bytes } = await train({ ...given, group });
      const { bytes: alone } = await train(given);
      expect(Buffer.from(bytes).equals(alone)).toBe(true);
    } finally {
      await group.close();
    }
  });

  it('ends with the reason of its signal', async () => {
    const ending = new AbortController();
    const reason = new Error('enough');
    let steps = 0;
    const onStep = () => {
      steps += 1;
      if (steps === 3) ending.abort(reason);
    };
    const { signal } = ending;
    await expect(train({ ...request, signal, onStep, epochs: 1e6 })).rejects.toBe(reason);
    expect(steps).toBe(3);
  });

  it.each<[string, object, string]>([
    ['an unknown option', { optimiser: {} }, 'optimiser'],
    ['an unknown trainer', { trainer: { lbgfs: {} } }, 'did you mean lbfgs?'],
    ['a wrong number', { trainer: { sgd: { eta0: -1 } } }, 'trainer.sgd.eta0: '],
    ['an unknown preset', { features: { preset: 'post' } }, 'did you mean pos?'],
    ['no features', { features: {} }, 'a preset or templates are needed'],
    ['none at all', { features: undefined }, 'features: '],
    ['an unknown loss', { loss: 'lgo' }, 'did you mean log?'],
    ['a loss that does not fit', { trainer: { lbfgs: {} }, loss: 'hinge' }, 'use the loss log'],
    ['patience without records', { patience: 2 }, 'give heldOut'],
    ['dropout of a batch optimizer', { trainer: { cg: {} }, dropout: 0.1 }, 'as sgd'],
    ['an unknown scorer', { scorer: 'hmmm' }, 'scorer: '],
    ['counts of linear scores', { trainer: { counts: {} } }, 'use the scorer hmm'],
    ['steps of a hidden Markov model', { scorer: 'hmm' }, 'use the optimizer counts'],
    [
      'a perceptron of a MEMM',
      { scorer: 'memm', trainer: { perceptron: {} } },
      'does not support the loss',
    ],
    ['a loss of another scorer', { scorer: 'memm', loss: 'hinge' }, 'the scorer linear'],
    ['dropout of counts', { ...countedRequest, dropout: 0.1 }, 'dropout: the scorer hmm'],
    ['several passes of counts', { ...countedRequest, epochs: 2 }, 'epochs: the optimizer counts'],
    [
      'a preset of an HMM',
      { ...countedRequest, features: { preset: 'pos' } },
      'features.preset: the scorer hmm does not support presets',
    ],
    ['a threshold of counts', { ...countedRequest, threshold: { keep: 9 } }, 'minCount'],
    [
      'rounded counts',
      { ...countedRequest, compact: true },
      'compact: the weights of the scorer hmm',
    ],
    ['counts by several threads', { ...countedRequest, group: new ThreadGroup(2) }, 'group: '],
    [
      'hashed counts',
      { ...countedRequest, features: { ...countable, hashed: {} } },
      'hashed: the scorer hmm',
    ],
    [
      'a window of an HMM',
      { ...countedRequest, features: { templates } },
      '"U01:%x[-1,0]" does not work with the scorer hmm: it looks at another token',
    ],
    ['no labelled record', { corpus: [{ tokens: ['a'] }] }, 'no labelled sentence'],
    ['a record that is wrong', { corpus: [{ tokens: ['a'], tags: [] }] }, '1 token'],
  ])('refuses %s', async (_, wrong, message) => {
    await expect(train({ ...request, ...wrong })).rejects.toMatchObject({
      name: 'TagstreamError',
      message: expect.stringContaining(message),
    });
  });
});

async function* asynchronous(): AsyncGenerator<Document> {
  for (const document of corpus) yield document;
}

describe('what a caller without types gives', () => {
  it.each([
    [undefined, 'corpus: missing (give labelled records'],
    [{ corpus }, "features: missing (give the task, task: 'ner', 'chunk', 'pos' or 'letters', or"],
    [{ ...request, corpus: 'train.ndjson' }, 'corpus is the string "train.ndjson" (give records'],
    [{ ...request, corpus: ['It rains'] }, 'corpus[0]: it is "It rains"'],
    [{ ...request, corpus: [...corpus, { tags: ['X'] }] }, 'corpus[40]: it has neither text nor'],
    [
      { ...request, corpus: [{ tokens: ['a'], tags: ['X', 'Y'] }] },
      '[0]: 1 token but 2 tags (give',
    ],
    [{ ...request, corpus: [{ tokens: ['a'], tags: [null] }] }, 'corpus[0]: tags[0] is null (give'],
    [{ ...request, heldOut: [{ tokens: ['a'], tags: [] }] }, 'heldOut[0]: 1 token but 0 tags'],
  ])('is named: %#', async (given, message) => {
    await expect(train(given as never)).rejects.toThrow(message);
  });
});

describe('train with a task', () => {
  const corpus = Array.from({ length: 12 }, (_, i) =>
    i % 2 === 0
      ? { tokens: [`Anna${i}`, 'flew', 'to', 'Oslo'], tags: ['B-PER', 'O', 'O', 'B-LOC'] }
      : { tokens: ['Oslo', 'is', 'cold', `${i}`], tags: ['B-LOC', 'O', 'O', 'O'] },
  );
  const recipe = {
    features: { preset: 'ner-small' },
    loss: { 'softmax-margin': { cost: 1, missCost: 3 } },
    trainer: { adagrad: { eta0: 0.2, l2: 0.05 } },
    epochs: 15,
    temperature: 1.75,
  } as const;

  it('takes the recipe for the task and the size of the corpus', async () => {
    const chosen = await train({ corpus, task: 'ner' });
    expect(chosen.bytes).toEqual((await train({ corpus, ...recipe })).bytes);
    // An observable is read once.
    expect((await train({ corpus: from(corpus), task: 'ner' })).bytes).toEqual(chosen.bytes);
  });

  it('gives what the pipeline file of the same recipe gives for each task', {
    tags: 'slow',
  }, async () => {
    for (const task of ['pos', 'chunk', 'letters'] as const) {
      const { tagger, passes } = await train({ corpus, task });
      expect(passes.length).toBeGreaterThan(1);
      expect(tagger.tag(corpus[1]!.tokens)).toEqual(corpus[1]!.tags);
    }
  });

  it('keeps what is given besides', async () => {
    const { trainer: _, ...rest } = recipe;
    const given = {
      epochs: 3,
      features: { templates: ['UX:%length[0,0]'], encode: 'bioes' },
    } as const;
    const expected = {
      ...recipe,
      ...given,
      features: { ...given.features, preset: 'ner-small' },
    } as const;
    expect((await train({ corpus, task: 'ner', ...given })).bytes).toEqual(
      (await train({ corpus, ...expected })).bytes,
    );
    const own = { trainer: { sgd: {} }, loss: 'log' } as const;
    expect((await train({ corpus, task: 'ner', ...own })).bytes).toEqual(
      (await train({ corpus, features: rest.features, ...own })).bytes,
    );
  });

  it.each([
    [
      { task: 'names' as never },
      /task: there is no task "names" \(known: pos, chunk, ner, letters\)/,
    ],
    [
      { task: 'ner', features: { preset: 'ner' } },
      /task: cannot be combined with features.preset, which it chooses/,
    ],
    [{ features: { preset: 'ner' }, loss: { 'softmax-margn': {} } }, /did you mean softmax-margin/],
    [{ features: { preset: 'ner' }, loss: { 'softmax-margin': { cots: 1 } } }, /loss.*cots/],
  ] as const)('refuses %j', async (request, message) => {
    await expect(train({ corpus, ...request } as never)).rejects.toThrow(message);
  });
});
