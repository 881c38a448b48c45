import { from, isObservable, lastValueFrom, of, timeout } from 'rxjs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { TagstreamError } from '../../src/engine/core/errors.js';
import * as root from '../house/entries/library.js';

const everything = new Map<string, unknown>(Object.entries(root));

class Anything {}

/** What no argument should be. */
const junk: Readonly<Record<string, unknown>> = {
  undefined: undefined,
  null: null,
  5: 5,
  'a text': 'x',
  '{}': {},
  '[]': [],
  'a promise': Promise.resolve(1),
  'a class': Anything,
};

/** What is wrong with an answer; undefined where it is none of the errors of the language. */
function fault(thrown: unknown): string | undefined {
  if (thrown instanceof TagstreamError) {
    return /Cannot read|is not a function|is not iterable|undefined \(reading/.test(thrown.message)
      ? thrown.message
      : undefined;
  }
  if (thrown instanceof z.ZodError) return undefined;
  return thrown instanceof Error
    ? `${thrown.name}: ${thrown.message}`
    : `thrown: ${String(thrown)}`;
}

/** Calls, and follows what comes: promises to their end, operators and streams to theirs. */
async function answer(call: () => unknown, item: unknown): Promise<string | undefined> {
  try {
    let made = call();
    if (typeof made === 'function' && made.length <= 1 && !/^class\b/.test(String(made))) {
      made = (made as (source: unknown) => unknown)(of(item));
    }
    if (isObservable(made)) await lastValueFrom(from(made).pipe(timeout(500)), { defaultValue: 0 });
    else await made;
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error && thrown.name === 'TimeoutError' ? undefined : fault(thrown);
  }
}

const isClass = (value: unknown): boolean => /^class\b/.test(String(value));
const functions = [...everything].filter(([, value]) => typeof value === 'function') as [
  string,
  (...args: unknown[]) => unknown,
][];

describe('every export', () => {
  it.each(functions)('%s answers wrong arguments with an error of its own', async (name, made) => {
    const faults: string[] = [];
    for (const [shown, value] of Object.entries(junk)) {
      for (const count of [1, 2, 3]) {
        const args = Array.from({ length: count }, () => value);
        const call = () =>
          isClass(made)
            ? Reflect.construct(made, args)
            : (made as (...all: unknown[]) => unknown)(...args);
        const found = await answer(call, value);
        if (found !== undefined)
          faults.push(`${name}(${args.map(() => shown).join(', ')}): ${found}`);
      }
    }
    expect(faults).toEqual([]);
  });
});

const model = root.createModel({ templates: 'U00:%x[0,0]\nB' });
const learner = root.createLearner(model, {
  loss: root.logLoss(),
  optimizer: root.sgd(),
  corpusSize: 1,
});
const exact = root.createModel({ templates: 'U00:%x[0,0]' }, undefined, root.kernels.simd64);
const batchLearner = root.createLearner(exact, { loss: root.logLoss(), optimizer: root.lbfgs() });
const corpus = [{ tokens: ['a', 'b'], tags: ['X', 'Y'] }];
const trained = await root.train({ corpus, features: { templates: 'U00:%x[0,0]\nB' } });
const store = { write: () => '1', readNewest: () => undefined };
const deadLetters = { policy: 'skip' } as const;
const text = `version: 1
name: x
source: { ndjson: { files: [x.ndjson] } }
stages: [tokenize, { featurize: { templates: ["U00:%x[0,0]"] } }, batch, contribute, { optimize: { sgd: {} } }]
train: { epochs: 1 }
`;
const pipeline = root.parsePipeline(text, 'x.yaml');

/** Functions with options, called with everything that they need; the options that come along are added. */
const withOptions: Readonly<Record<string, (more: object) => unknown>> = {
  assemble: more => root.assemble(more),
  batch: more => root.batch(more),
  checkpoint: more => root.checkpoint(store, () => ({}), { passes: 1, ...more }),
  contribute: more => root.contribute(learner, more),
  evaluate: more =>
    root.evaluate({ evaluate: () => ({ sentences: 0, tokens: 0, accuracy: 0 }) }, more),
  DriftMonitor: more => new root.DriftMonitor(learner, more),
  iterate: more => root.iterate(batchLearner, { iterations: 1, ...more }),
  mergeOrdered: more => root.mergeOrdered((item: object) => [item], more),
  passes: more => root.passes(model, { epochs: 1, ...more }),
  joinLabels: more => root.joinLabels(new root.WaitingRecords(), more),
  WaitingRecords: more => new root.WaitingRecords(more),
  ReplayMemory: more => new root.ReplayMemory(more),
  QuestionBudget: more => new root.QuestionBudget(more),
  replay: more => root.replay(learner, new root.ReplayMemory(), more),
  tag: more => root.tag(model, more),
  tokenize: more => root.tokenize(more),
  tracked: more => root.tracked(source => source, more),
  splitSentences: more => root.splitSentences('a', [[0, 1]], more),
  characterTokenizer: more => root.characterTokenizer(more),
  unicodeTokenizer: more => root.unicodeTokenizer(more),
  ClusterCorpus: more => new root.ClusterCorpus(more),
  gazetteer: more => root.gazetteer(['a'], more),
  quantisedVectors: more =>
    root.quantisedVectors({ words: ['a'], dimensions: 1, values: Float32Array.of(1) }, more),
  wordClusters: more => root.wordClusters('0\ta\t1', more),
  DriftWatch: more => new root.DriftWatch(more),
  Evaluation: more => new root.Evaluation({ spanScheme: false, ...more }),
  pairedBootstrap: more =>
    root.pairedBootstrap([], [], { spanScheme: false, resamples: 1, ...more }),
  ProgressiveScores: more => new root.ProgressiveScores({ spanScheme: false, ...more }),
  exponentialLoss: more => root.exponentialLoss(more),
  pointwiseExponentialLoss: more => root.pointwiseExponentialLoss(more),
  softmaxMargin: more => root.softmaxMargin(more),
  regexTokenizer: more => root.regexTokenizer(more),
  createModel: more => root.createModel({ templates: 'U00:%x[0,0]', ...more }),
  inspectModel: more => root.inspectModel(root.readInspected(trained.bytes), more),
  createLearner: more =>
    root.createLearner(model, { loss: root.logLoss(), optimizer: root.sgd(), ...more }),
  'createLearner in batch': more =>
    root.createLearner(exact, { loss: root.logLoss(), optimizer: root.lbfgs(), ...more }),
  sgd: more => root.sgd(more),
  lbfgs: more => root.lbfgs(more),
  regularisationPath: more => root.regularisationPath({ l1: [1], ...more }),
  featureInduction: more => root.featureInduction(more),
  optimizerSwitch: more => root.optimizerSwitch({ first: root.sgd(), next: root.lbfgs(), ...more }),
  loadTagger: more => root.loadTagger('none', more),
  'Tagger.fromBytes': more => root.Tagger.fromBytes(trained.bytes, more),
  'Tagger.tagText': more => trained.tagger.tagText('a', more),
  writeModel: more => root.writeModel(learner, more),
  'Tagger.analyze': more => trained.tagger.analyze(['a'], {}, more),
  'Decoder.decode': more =>
    new root.Decoder(model.kernel, model).decode(model.parameters, root.packMinibatch([]), more),
  train: more => root.train({ corpus, features: { templates: 'U00:%x[0,0]' }, ...more }),
  'train features': more => root.train({ corpus, features: { templates: 'U00:%x[0,0]', ...more } }),
  pool: more => root.pool({ experts: [trained.bytes], ...more }),
  conllCodec: more => root.conllCodec(more),
  conlluCodec: more => root.conlluCodec(more),
  lettersCodec: more => root.lettersCodec(more),
  ndjsonCodec: more => root.ndjsonCodec(more),
  DeadLetters: more => new root.DeadLetters({ ...deadLetters, ...more }),
  FileCheckpointStore: more => new root.FileCheckpointStore('x', more),
  documentSource: more => root.documentSource({ files: [], codec: root.ndjsonCodec(), ...more }),
  openOutput: more => root.openOutput('/dev/null', more),
  convert: async more =>
    root.convert({
      ...{ files: ['/dev/null'], from: root.ndjsonCodec(), to: root.ndjsonCodec() },
      ...{
        output: await root.openOutput('/dev/null'),
        deadLetters: new root.DeadLetters(deadLetters),
      },
      ...more,
    }),
  parsePipeline: more => root.parsePipeline(text, 'x.yaml', more),
  runPipeline: more => root.runPipeline(pipeline, more),
  'TaggerPool.load': more => root.TaggerPool.load('none', more),
};

describe('options', () => {
  it.each(Object.entries(withOptions))(
    '%s refuses those that it does not know',
    async (_, call) => {
      for (const more of [{ optionz: 1 }, { shufle: false }, { marginal: true }, { nbst: 3 }]) {
        const name = Object.keys(more)[0]!;
        const error = await Promise.resolve()
          .then(() => call(more))
          .then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
        expect(error, name).toBeInstanceOf(TagstreamError);
        expect((error as Error).message).toMatch(new RegExp(`unknown key "${name}"`));
      }
    },
  );

  it('the nearest known one is named', async () => {
    const near: readonly (readonly [string, object, string])[] = [
      ['createLearner', { corpusize: 1 }, 'corpusSize'],
      ['sgd', { eta: 1 }, 'eta0'],
      ['loadTagger', { kernal: 1 }, 'kernel'],
      ['passes', { shufle: false }, 'shuffle'],
      ['tag', { marginal: true }, 'marginals'],
      ['Tagger.analyze', { nbst: 3 }, 'nbest'],
      ['train', { epoch: 3 }, 'epochs'],
      ['train', { corpos: [], onStp: 1 }, 'corpus'],
      ['train', { grop: 1 }, 'group'],
      ['train', { heldout: [] }, 'heldOut'],
      ['train', { los: 'log' }, 'loss'],
    ];
    for (const [name, more, known] of near) {
      const call = Promise.resolve().then(() => withOptions[name]!(more));
      await expect(call).rejects.toThrow(`did you mean ${known}?`);
    }
    const call = Promise.resolve().then(() => withOptions.train!({ epoch: 3 }));
    await expect(call).rejects.toThrow(
      /known: .*optimizer, trainer, .*corpus, task, loss, heldOut, kernel, group, signal, onStep/,
    );
  });
});

describe('operators in a wrong order', () => {
  const documents = () => from(corpus as root.Document[]);
  const any = (operator: unknown) => operator as (source: unknown) => never;
  const orders: readonly (readonly [string, unknown[], RegExp])[] = [
    [
      'tokenize, tag',
      [root.tokenize(), root.tag(model)],
      /tag takes a minibatch .*, got a sentence .*batch groups encoded sentences/,
    ],
    ['tag', [root.tag(model)], /tag takes .*, got a document/],
    ['featurize', [root.featurize(model)], /featurize takes a sentence, got a document .*tokenize/],
    [
      'tokenize, batch',
      [root.tokenize(), root.batch()],
      /batch takes an encoded sentence, got a sentence/,
    ],
    ['tokenize, batch of two', [root.tokenize(), root.batch({ sentences: 2 })], /got a sentence/],
    [
      'tokenize, passes',
      [root.tokenize(), root.passes(model, { epochs: 1 })],
      /passes takes an encoded sentence/,
    ],
    [
      'featurize, contribute',
      [root.tokenize(), root.featurize(model), root.contribute(learner)],
      /contribute takes a minibatch, got an encoded sentence/,
    ],
    [
      'batch, optimize',
      [root.tokenize(), root.featurize(model), root.batch(), root.optimize(learner)],
      /optimize takes a contribution, got a minibatch/,
    ],
    [
      'batch, assemble',
      [root.tokenize(), root.featurize(model), root.batch(), root.assemble()],
      /assemble takes a tagged sentence, got a minibatch/,
    ],
    [
      'batch, checkpoint',
      [
        root.tokenize(),
        root.featurize(model),
        root.batch(),
        root.checkpoint(store, () => ({}), {}),
      ],
      /checkpoint takes a training step, got a minibatch/,
    ],
    ['iterate', [root.tokenize(), root.iterate(batchLearner, { iterations: 1 })], /got a sentence/],
  ];
  it.each(orders)('%s: says what comes before it', async (_, stages, message) => {
    let stream: unknown = documents();
    for (const stage of stages) stream = any(stage)(stream);
    await expect(lastValueFrom(stream as never)).rejects.toThrow(message);
  });
});

describe('names in the place of components', () => {
  const make = (parts: object) => () => root.createLearner(model, parts as never);

  it('a loss or optimizer by its name', () => {
    expect(make({ loss: 'log', optimizer: 'sgd' })).toThrow(
      'createLearner.loss: expected a loss, got "log" (pass the result of a factory, such as logLoss())',
    );
    const loss = root.logLoss();
    const given = 'createLearner.optimizer: expected an optimizer with its options, got';
    expect(make({ loss, optimizer: 'sgd' })).toThrow(`${given} "sgd"`);
    expect(make({ loss })).toThrow(`${given} undefined`);
    expect(make({ loss, optimizer: { sgd: {} } })).toThrow(/as sgd\(\{ eta0: 0\.1 \}\) or lbfgs/);
  });

  it('a factory that is not called', async () => {
    expect(make({ loss: root.logLoss, optimizer: root.sgd() })).toThrow(
      /got a function .*logLoss\(\)/,
    );
    expect(make({ loss: root.logLoss(), optimizer: root.sgd })).toThrow(
      /got a function .*as sgd\(/,
    );
    const ask = (more: object) =>
      root.train({ corpus, features: { templates: 'U00:%x[0,0]' }, ...more });
    await expect(ask({ optimizer: root.sgd })).rejects.toThrow(
      'optimizer: expected an optimizer with its options, got a function (call the factory: sgd(), or sgd({ eta0: 0.1 }))',
    );
    await expect(ask({ loss: root.logLoss })).rejects.toThrow(
      /got a function \(call the factory: logLoss\(\)\)/,
    );
    await expect(ask({ optimizer: 'sgd' })).rejects.toThrow(/got "sgd" \(call a factory/);
    await expect(ask({ optimizer: root.sgd(), trainer: { sgd: {} } })).rejects.toThrow(
      /leave out trainer/,
    );
    await expect(ask({ loss: 5 })).rejects.toThrow(/loss: expected a loss, got 5/);
  });

  it('an option that the other kind of optimizer has', () => {
    const loss = root.logLoss();
    expect(make({ loss, optimizer: root.lbfgs(), corpusSize: 5 })).toThrow(
      /corpusSize: .* no such/,
    );
    expect(make({ loss, optimizer: root.sgd(), order: {} })).toThrow(/order: .* no such option/);
  });

  it('templates for pairs of labels alone', async () => {
    const call = root.train({ corpus, features: { templates: ['B'] } });
    await expect(call).rejects.toThrow(/no template looks at tokens.*add a line such as U00/);
  });
});
