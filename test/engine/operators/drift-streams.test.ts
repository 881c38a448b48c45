import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { from, lastValueFrom, map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import { presetTemplates } from '../../../src/engine/features/presets/preset-templates.js';
import { softmaxMarginLoss } from '../../../src/engine/losses/softmax-margin.js';
import { ProgressiveScores } from '../../../src/engine/metrics/scores/progressive-scores.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import {
  DriftMonitor,
  type DriftMonitorOptions,
} from '../../../src/engine/models/learning/drift-monitor.js';
import { createOnlineLearner } from '../../../src/engine/models/learning/learner.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { contribute } from '../../../src/engine/operators/contribute.js';
import { detectDrift } from '../../../src/engine/operators/detect-drift.js';
import { evaluateProgressive } from '../../../src/engine/operators/evaluate-progressive.js';
import { featurize } from '../../../src/engine/operators/featurize.js';
import { optimize } from '../../../src/engine/operators/optimize.js';
import { adagrad } from '../../../src/engine/optimizers/adagrad.js';
import { isSpanScheme } from '../../../src/engine/text/tags/tag-scheme.js';
import { corpora, corporaPresent } from '../../house/corpora/corpora.js';
import { sentenceOf } from '../features/sentence-of.js';

interface Labelled {
  readonly tokens: readonly string[];
  readonly tags: readonly string[];
  readonly pos?: readonly string[] | undefined;
  readonly genre?: string | undefined;
}

interface Corpus {
  readonly preset: string;
  readonly sentences: readonly Labelled[];
}

const full = process.env.TAGSTREAM_FULL === '1';
const present = corporaPresent('drift on streams of public corpora');

function starter(what: 'upos' | 'names'): Corpus {
  const folder = resolve(import.meta.dirname, '../../../corpora/starter');
  const lines = ['train', 'heldout'].flatMap(name =>
    readFileSync(join(folder, `${name}.ndjson`), 'utf8')
      .trim()
      .split('\n'),
  );
  const sentences = lines.map(line => {
    const { tokens, tags, columns, kind } = JSON.parse(line);
    return { tokens, tags: what === 'names' ? tags : columns.upos, genre: kind };
  });
  return { preset: what === 'names' ? 'ner' : 'pos', sentences };
}

/** Sentences in columns: the token, perhaps a part of speech that is used, and the tag last. */
function columns(preset: string, file: string, posAt?: number): Corpus {
  const blocks = readFileSync(join(corpora, file), 'latin1').split('\n\n');
  const sentences = blocks.flatMap(block => {
    const rows = block.split('\n').filter(row => row !== '' && !row.startsWith('-DOCSTART-'));
    const cells = rows.map(row => row.split(' '));
    if (cells.length === 0) return [];
    return {
      tokens: cells.map(row => row[0]!),
      tags: cells.map(row => row.at(-1)!),
      pos: posAt === undefined ? undefined : cells.map(row => row[posAt]!),
    };
  });
  return { preset, sentences };
}

function ewt(): Corpus {
  const text = readFileSync(join(corpora, 'ud-english-ewt/train.conllu'), 'utf8');
  const sentences = text.split('\n\n').flatMap(block => {
    const rows = block.split('\n').filter(row => /^\d+\t/.test(row));
    const cells = rows.map(row => row.split('\t'));
    const genre = /^# sent_id = ([a-z]+)/m.exec(block)?.[1];
    if (cells.length === 0) return [];
    return { tokens: cells.map(row => row[1]!), tags: cells.map(row => row[3]!), genre };
  });
  return { preset: 'pos', sentences };
}

/** What is reported of a stream, and at which sentence. */
async function reported(
  preset: string,
  stream: readonly Labelled[],
  options: DriftMonitorOptions = {},
): Promise<[number, string][]> {
  const names = stream[0]!.pos === undefined ? ['form'] : ['form', 'pos'];
  const model = createModel({ templates: presetTemplates(preset, names), columns: names });
  const learner = createOnlineLearner(model, {
    ...{ loss: softmaxMarginLoss, optimizer: adagrad, corpusSize: 10_000 },
    options: { eta0: 0.2, l2: 0.05 },
  });
  const progress = new ProgressiveScores({ spanScheme: isSpanScheme(model.scheme) });
  const found: [number, string][] = [];
  const steps = from(stream).pipe(
    map(({ tokens, tags, pos }) =>
      sentenceOf([...tokens], {
        tags: [...tags],
        ...(pos === undefined ? {} : { columns: { pos: [...pos] } }),
      }),
    ),
    featurize(model),
    batch(),
    contribute(learner, { predict: true }),
    optimize(learner),
    evaluateProgressive(model, progress),
    detectDrift(
      new DriftMonitor(learner, {
        ...options,
        onWarning: ({ code }) => found.push([progress.sentences, code]),
      }),
    ),
  );
  await lastValueFrom(steps);
  return found;
}

/** So many sentences of a corpus, shuffled. */
function shuffled({ sentences }: Corpus, seed: number, count: number): Labelled[] {
  const order = new Random(seed).shuffle(Uint32Array.from(sentences.keys()));
  return Array.from(order.subarray(0, count), i => sentences[i]!);
}

const typeOf = (tag: string) => tag.replace(/^[BI]-/, '');

/** The types of a corpus, the most frequent one first. */
function typesOf({ sentences }: Corpus): string[] {
  const counts = new Map<string, number>();
  for (const { tags } of sentences) {
    for (const type of tags.map(typeOf)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  counts.delete('O');
  return [...counts].sort(([, a], [, b]) => b - a).map(([type]) => type);
}

const withTypes = (change: (type: string) => string) => (sentence: Labelled) => ({
  ...sentence,
  tags: sentence.tags.map(tag => (tag === 'O' ? tag : tag.replace(/[^-]+$/, change))),
});

type Change = (sentence: Labelled) => Labelled;

/** What becomes of the second half of a stream. */
const changes: Readonly<Record<string, (types: readonly string[]) => Change>> = {
  'labels that have new names': () => withTypes(type => `${type}X`),
  'labels that are permuted': types =>
    withTypes(type => types[(types.indexOf(type) + 1) % types.length]!),
  'words in upper case': () => sentence => ({
    ...sentence,
    tokens: sentence.tokens.map(token => token.toUpperCase()),
  }),
};

/** Corpora, and how much of them a stream has. */
const streams: readonly (readonly [name: string, corpus: () => Corpus, count: number])[] = [
  ['parts of speech', () => starter('upos'), 600],
  ['names', () => starter('names'), 600],
  ...(present
    ? ([['chunks', () => columns('chunk', 'conll2000/train.txt', 1), full ? 3000 : 800]] as const)
    : []),
  ...(present && full
    ? ([
        ['Dutch names', () => columns('ner', 'conll2002-nl/ned.train'), 3000],
        ['Spanish names', () => columns('ner', 'conll2002-es/esp.train'), 3000],
        ['parts of speech of the web', ewt, 12_544],
      ] as const)
    : []),
];

describe.each(streams)('drift of a stream of %s', (_, read, count) => {
  const corpus = read();
  const types = typesOf(corpus);
  const of = (stream: readonly Labelled[]) => reported(corpus.preset, stream);

  it.each(Object.entries(changes))(
    'is reported soon: %s',
    { tags: 'slow' },
    async (_change, changeOf) => {
      const change = changeOf(types);
      const stream = shuffled(corpus, 1, count).map((sentence, i) =>
        i < count / 2 ? sentence : change(sentence),
      );
      const found = await of(stream);
      expect(found.length).toBeGreaterThan(0);
      for (const [at] of found) expect(at).toBeGreaterThan(count / 2);
      expect(found[0]![0]).toBeLessThanOrEqual(count / 2 + 100);
    },
  );

  const has = ({ tags }: Labelled) => tags.some(tag => typeOf(tag) === types[0]);
  const all = shuffled(corpus, 1, corpus.sentences.length);
  const without = all.filter(sentence => !has(sentence)).slice(0, count / 2);

  it.runIf(without.length >= 200)('is reported where the most frequent label is new', async () => {
    const [first] = await of([...without, ...all.filter(has).slice(0, 200)]);
    expect(first![0]).toBeGreaterThan(without.length);
    expect(first![0]).toBeLessThanOrEqual(without.length + 100);
  });

  const genres = [...new Set(corpus.sentences.map(({ genre }) => genre))];

  it.runIf(genres.length > 1)(
    'is not reported of one genre after the other',
    { tags: 'slow' },
    async () => {
      const ordered = genres.map(genre =>
        corpus.sentences.filter(each => each.genre === genre).slice(0, count / genres.length),
      );
      expect(await of(ordered.flat())).toEqual([]);
      expect(await of(ordered.reverse().flat())).toEqual([]);
    },
  );

  const detectors = [
    { detector: 'adwin' },
    { detector: 'adwin', on: 'words' },
    { detector: 'page-hinkley' },
    { detector: 'ddm' },
  ] as const;

  it.each(detectors)(
    'is reported by %o, and only where the labels are permuted',
    { tags: 'slow' },
    async options => {
      const change = changes['labels that are permuted']!(types);
      const stream = shuffled(corpus, 1, count).map((sentence, i) =>
        i < count / 2 ? sentence : change(sentence),
      );
      const found = await reported(corpus.preset, stream, options);
      for (const [at] of found) expect(at).toBeGreaterThan(count / 2);
      // Of names most tags are O, and the share of wrong tags rises little: only the watch looks at spans.
      const isSeen = !('on' in options) && corpus.preset !== 'ner';
      if ('on' in options) expect(found).toEqual([]);
      // DDM compares all errors with the fewest so far.
      const latest = options.detector === 'ddm' ? 250 : 100;
      if (isSeen) expect(found[0]![0]).toBeLessThanOrEqual(count / 2 + latest);
    },
  );

  it.each(full ? [1, 2, 3, 4, 5] : [1, 2, 3])(
    'is not reported of a stream that is only shuffled: seed %i',
    { tags: 'slow' },
    async seed => {
      expect(await of(shuffled(corpus, seed, count))).toEqual([]);
    },
  );
});
