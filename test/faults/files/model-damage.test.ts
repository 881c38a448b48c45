import { describe, expect, it } from 'vitest';
import { joined } from '../../../src/engine/core/arrays.js';
import { TagstreamError } from '../../../src/engine/core/errors.js';
import { Random } from '../../../src/engine/core/random.js';
import {
  readModel,
  writeModel,
  writeParameters,
} from '../../../src/engine/models/files/model-file.js';
import { modelFormatVersion } from '../../../src/engine/models/files/model-header.js';
import {
  readSections,
  type Sections,
  writeSections,
} from '../../../src/engine/models/files/section-file.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { syntheticCorpus } from '../../engine/models/examples/synthetic-corpus.js';
import { train } from '../../engine/models/examples/train.js';
import { trainVoted } from '../../engine/models/examples/train-voted.js';
import { listTemplates, wordLists } from '../../engine/models/examples/word-lists.js';
import { smallCorpus } from '../../engine/optimizers/small-corpus.js';
import { everyNth } from '../../house/long-forms.js';
import { count, longForm, reportCounts } from '../long-form.js';
import { countAllocations } from '../memory/count-allocations.js';
import { printSeed, randomOf } from '../seed.js';
import { mutated, mutateJson, sealedHeader, sealedText } from './mutate.js';

printSeed('damaged models');

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB\nB0:%x[0,0]';
const hashed = { mode: 'hashed', rows: 64, edgeRows: 16 } as const;
const corpus = syntheticCorpus(new Random(1), 60);
const models: [string, Uint8Array][] = [
  ['exact', writeModel(train(corpus, { spec: { templates } }))],
  ['of observed pairs', writeModel(train(corpus, { spec: { templates, support: 'observed' } }))],
  ['hashed', writeModel(train(corpus, { spec: { templates, index: hashed } }))],
  [
    'with word lists',
    writeModel(train(corpus, { spec: { templates: listTemplates, resources: wordLists } })),
  ],
  [
    'of numbers',
    writeModel(
      train(smallCorpus(new Random(2), 40), {
        spec: { templates: 'U0:%x[0,0]\nU1:%v[0,n]\nB', columns: ['form', 'n'] },
      }),
    ),
  ],
  ['of voters', writeModel(trainVoted(corpus, { templates, support: 'observed' }, { voters: 5 }))],
];
const each = longForm ? 1250 : 60;
const codes = ['model-format', 'model-version', 'model-damaged', 'too-large'];
const ofRecords = ['unknown-column', 'not-a-number'];
const probe = ['w1', 'w2', 'new', 'w9', 'w1'];

/** What the tagger says of some words. */
function answer(tagger: Tagger): string {
  const columns = { n: probe.map((_, i) => i / 2) };
  try {
    return JSON.stringify(tagger.analyze(probe, columns, { marginals: true }));
  } catch (thrown) {
    // A model may ask for a column that these words do not have, or for numbers where they have none.
    if (thrown instanceof TagstreamError && ofRecords.includes(thrown.code)) return thrown.code;
    throw thrown;
  }
}

/** Reads a file; the code that it is refused with, or what was made of it. */
function readAs(bytes: Uint8Array, whole: Uint8Array): string {
  let tagger: Tagger | undefined;
  let failure: unknown;
  const allocated = countAllocations(() => {
    try {
      tagger = Tagger.fromBytes(bytes, { source: 'some.model' });
    } catch (thrown) {
      failure = thrown;
    }
  });
  if (tagger === undefined) {
    if (!(failure instanceof TagstreamError)) throw failure;
    expect(codes).toContain(failure.code);
    expect(failure.place.source).toBe('some.model');
    expect(allocated).toBeLessThanOrEqual(2 * bytes.length);
    return failure.code;
  }
  const before = new Tagger(readModel(whole));
  const same = answer(tagger) === answer(before);
  const { model } = tagger;
  return same && writeParameters(model, model.parameters).length === whole.length
    ? 'loaded unchanged'
    : 'loaded as another';
}

/** A model file whose header or sections are others, with checksums that are right. */
function resealed(random: Random, whole: Uint8Array): { kind: string; bytes: Uint8Array } {
  const { header } = readSections(whole, modelFormatVersion, 'm');
  const file = readSections(whole, modelFormatVersion, 'm');
  const table = header.sections as { name: string; type: 'Uint8Array' }[];
  const sections = Object.fromEntries(table.map(s => [s.name, file.section(s.name, s.type)]));
  const own = structuredClone(header) as Record<string, unknown>;
  if (random.below(2) === 0) {
    const kind = mutateJson(random, own);
    return { kind, bytes: sealedHeader(own, whole) };
  }
  delete own.sections;
  const { name } = table[random.below(table.length)]!;
  return {
    kind: name,
    bytes: joined(
      writeSections(modelFormatVersion, own, {
        ...sections,
        [name]: mutatedArray(random, sections[name]!),
      }),
    ),
  };
}

function mutatedArray(random: Random, array: Sections[string]): Sections[string] {
  const { length } = array;
  if (length === 0) return (array.constructor as Uint32ArrayConstructor).from([1]);
  const at = random.below(length);
  switch (random.below(5)) {
    case 0:
      return array.slice(0, at);
    case 1:
      return (array.constructor as Uint32ArrayConstructor).from([...array, ...array.slice(at)]);
    case 2:
      array[at] = 0xffffffff;
      return array;
    case 3:
      array[at] = array[random.below(length)]!;
      return array;
    default:
      array[at] = Number.NaN;
      return array;
  }
}

for (const part of everyNth(3, models)) {
  describe.each(part.rows)('a damaged model file, %s', { tags: part.tags }, (name, whole) => {
    it('is refused by its code, or loaded unchanged', () => {
      const random = randomOf(90);
      const counts = new Map<string, number>();
      for (let i = 0; i < each; i += 1) {
        const { kind, bytes } = mutated(random, whole);
        const outcome = readAs(bytes, whole);
        if (outcome === 'loaded as another') expect.fail(`${kind}, number ${i}`);
        count(counts, outcome);
      }
      reportCounts(`model files, ${name}`, counts);
      expect(counts.get('model-damaged')).toBeGreaterThan(each / 2);
    });

    it('with checksums that are right is refused, or is a whole model that tags', () => {
      const random = randomOf(91);
      const counts = new Map<string, number>();
      for (let i = 0; i < each; i += 1) {
        const { kind, bytes } = resealed(random, whole);
        try {
          count(counts, readAs(bytes, whole));
        } catch (error) {
          throw new Error(`number ${i}, ${kind}`, { cause: error });
        }
      }
      reportCounts(`model files with new checksums, ${name}`, counts);
      expect(counts.get('model-damaged')).toBeGreaterThan(each / 3);
    });
  });
}

it('counts what reading a whole file takes: its sections, and the model', () => {
  const [, whole] = models[0]!;
  expect(countAllocations(() => new Uint8Array(100).slice(90))).toBe(110);
  expect(countAllocations(() => readModel(whole))).toBeGreaterThan(whole.length);
});

describe('a model file made to do harm', () => {
  const [, whole] = models[0]!;
  const header = () =>
    structuredClone(readSections(whole, modelFormatVersion, 'm').header) as {
      spec: Record<string, unknown>;
      sections: { offset: number; length: number; type: string }[];
      labels: string[];
      [name: string]: unknown;
    };

  it.each([
    [
      'sections one upon the other',
      (h: ReturnType<typeof header>) => {
        for (const section of h.sections) section.offset = 0;
      },
      'model-damaged',
    ],
    [
      'a section of 2^50 items',
      (h: ReturnType<typeof header>) => {
        h.sections[0]!.length = 2 ** 50;
      },
      'model-damaged',
    ],
    [
      'a section type that every object has',
      (h: ReturnType<typeof header>) => {
        h.sections[0]!.type = 'constructor';
      },
      'model-damaged',
    ],
    [
      'hashed rows without end',
      (h: ReturnType<typeof header>) => {
        h.spec.index = { mode: 'hashed', rows: 2 ** 31, edgeRows: 2 ** 31 };
      },
      'model-damaged',
    ],
    ...[
      { tokenizer: false },
      { tokenizer: 'constructor' },
      {},
      { tokenizer: 'regex', pattern: '(' },
      { tokenizer: 'regex', pattern: 5 },
      { tokenizer: 'unicode', locale: 'no such' },
      { tokenizer: 'treebank', sentences: 'yes' },
    ].map(
      tokenize =>
        [
          `the tokenizer ${JSON.stringify(tokenize)}`,
          (h: ReturnType<typeof header>) => {
            h.spec.tokenize = tokenize;
          },
          'model-damaged',
        ] as const,
    ),
    ...[{}, { codec: 5 }, { codec: 'conll', options: [] }, 'conll'].map(
      input =>
        [
          `records in ${JSON.stringify(input)}`,
          (h: ReturnType<typeof header>) => {
            h.spec.input = input;
          },
          'model-damaged',
        ] as const,
    ),
    [
      'the same label twice',
      (h: ReturnType<typeof header>) => {
        h.labels[1] = h.labels[0]!;
      },
      'model-damaged',
    ],
    [
      'a template that looks a billion tokens away',
      (h: ReturnType<typeof header>) => {
        h.spec.templates = 'U:%x[-1000000000,0]';
      },
      'model-damaged',
    ],
    [
      'templates that do not parse',
      (h: ReturnType<typeof header>) => {
        h.spec.templates = 'U:%q[0,0]';
      },
      'model-damaged',
    ],
  ] as const)('%s: %s', (_, change, code) => {
    const changed = header();
    change(changed);
    expect(readAs(sealedHeader(changed, whole), whole)).toBe(code);
  });

  it.each(['[', '{"a":'])('a header of 100,000 levels of %s is refused', open => {
    const json = Buffer.from(open.repeat(100_000));
    expect(readAs(sealedText(json, new Uint8Array(0)), whole)).toBe('model-damaged');
  });

  it.each(['null', '7', '"text"', '[]', '{}', '{"__proto__":{"sections":[]}}', '{"sections":[]}'])(
    'a header that is %s is refused',
    text => {
      expect(readAs(sealedText(Buffer.from(text), new Uint8Array(0)), whole)).toBe('model-damaged');
    },
  );

  const exact = { mode: 'exact', cutoff: 1 };

  // With 30,000 labels it took 3.6 GB, and with 12,000 1.7 GB, before it was refused.
  it.each([
    ['30,000 labels', 30_000, { index: exact }],
    ['12,000 labels', 12_000, { index: exact }],
    ['30,000 labels of a scheme', 30_000, { index: exact }, { scheme: 'BIO', also: [] }],
    ['a hashed index of 2^31 rows', 1, { index: { mode: 'hashed', rows: 2 ** 31, edgeRows: 1 } }],
    [
      'hashed transitions of 2^31 rows',
      1,
      { index: { mode: 'hashed', rows: 1, edgeRows: 2 ** 31 }, support: 'observed' },
    ],
  ])('asks for the memory of %s only if there is any', (_, labels, more, transitions?: object) => {
    const sections: Sections = {
      'state.keys': new Uint32Array(0),
      'state.masks': new Uint8Array(0),
      'state.values': new Float32Array(0),
      'edges.keys': new Uint32Array(0),
      'edges.features': new Uint32Array(0),
      'edges.from': new Uint16Array(0),
      'edges.to': new Uint16Array(0),
      'edges.values': new Float32Array(0),
    };
    const bytes = writeSections(
      modelFormatVersion,
      {
        spec: { ...header().spec, ...more },
        labels: Array.from({ length: labels }, (__, y) => `${'BI'[y % 2]}-${y >> 1}`),
        ...{ stateFeatures: 0, nonZeroWeights: 0, trainingSentences: 0 },
        ...(transitions === undefined ? {} : { transitions }),
      },
      sections,
    );
    expect(readAs(joined(bytes), whole)).toBe('too-large');
  });
});
