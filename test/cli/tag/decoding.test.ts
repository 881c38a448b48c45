import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodingOptions } from '../../../src/cli/options/decoding-options.js';
import { sixDigits } from '../../../src/formats/codecs/conll/result-rows.js';
import { tagstream } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const gold = join(folder, 'gold.ndjson');
const dictionary = join(folder, 'words.tsv');

const sentences: readonly (readonly [string, string])[] = [
  ['in New York now', 'O B-LOC I-LOC O'],
  ['Ann saw Rome', 'B-PER O B-LOC'],
  ['New plans in York', 'O O O B-LOC'],
  ['Ann York saw New York', 'B-PER I-PER O B-LOC I-LOC'],
];

beforeAll(async () => {
  const records = sentences.map(([tokens, tags]) =>
    JSON.stringify({ tokens: tokens.split(' '), tags: tags.split(' ') }),
  );
  writeFileSync(gold, `${records.join('\n')}\n`);
  writeFileSync(dictionary, 'York\tB-PER I-PER\n{"word": "saw", "tags": ["O"]}\n');
  const pipeline = `version: 1
name: toy
source: { ndjson: { files: [gold.ndjson] } }
stages:
  - tokenize: {}
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]", "B"], dictionary: { minCount: 3 } }
  - batch: {}
  - contribute: {}
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
train: { epochs: 8, seed: 7 }
model: toy.model
`;
  writeFileSync(join(folder, 'toy.yaml'), pipeline);
  expect((await tagstream(['train', join(folder, 'toy.yaml')])).stderr).toContain('toy.model');
});

/** What `tag` makes of records. */
async function tagged(lines: readonly string[], ...options: readonly string[]) {
  const given = ['tag', '--model', model, '--format', 'ndjson', ...options];
  const outcome = await tagstream(given, { stdin: `${lines.join('\n')}\n` });
  const made = outcome.stdout.split('\n').slice(0, -1);
  return { ...outcome, lines: made, records: made.map(line => JSON.parse(line)) };
}

/** The same with one thread and with two. */
async function taggedAlike(lines: readonly string[], ...options: readonly string[]) {
  const [alone, together] = await Promise.all([
    tagged(lines, ...options),
    tagged(lines, '--workers', '2', ...options),
  ]);
  expect(together).toEqual(alone);
  return alone;
}

const plain = '{"tokens":["in","New","York"]}';

type Probabilities = Readonly<Record<string, number>>;

/** What is tagged in NDJSON, in columns as `crf_test` of CRF++ writes them. */
function inColumns(record: {
  readonly tokens: readonly string[];
  readonly tags: readonly string[];
  readonly probability?: readonly number[];
  readonly marginals: readonly (number | Probabilities)[];
  readonly nbest?: readonly (readonly { tags: readonly string[]; probability: number }[])[];
}): string {
  const { tokens, tags, probability, marginals, nbest } = record;
  const row = (tag: string, t: number) => {
    const own = marginals[t]!;
    if (typeof own === 'number') return `${tokens[t]} ${tag}/${sixDigits(own)}`;
    const all = Object.entries(own).map(([label, p]) => `${label}/${sixDigits(p)}`);
    return [tokens[t], `${tag}/${sixDigits(own[tag]!)}`, ...all].join(' ');
  };
  const block = (head: string, chosen: readonly string[]) =>
    `${[head, ...chosen.map(row)].join('\n')}\n\n`;
  if (nbest === undefined) return block(`# ${sixDigits(probability![0]!)}`, tags);
  return nbest[0]!
    .map((one, k) => block(`# ${k} ${sixDigits(one.probability)}`, one.tags))
    .join('');
}
const everything = ['--nbest', '3', '--probability', '--scores', '--span-probabilities'];

describe('tagstream tag', () => {
  it('adds the best sequences with --nbest, and probabilities of sequences and spans', async () => {
    const two = '{"text":"in Rome. Ann saw York.","probability":7}';
    const { records } = await taggedAlike([plain, two], ...everything);
    const [first, second] = records;
    const [[nbest], [probability]] = [first.nbest, first.probability];
    expect(nbest).toHaveLength(3);
    expect(nbest[0]).toEqual({
      tags: first.tags,
      score: first.score[0],
      probability,
      logProbability: first.logProbability[0],
    });
    expect(Math.exp(first.logProbability[0])).toBeCloseTo(probability, 12);
    const sum = nbest.reduce((total: number, { probability: p }: never) => total + p, 0);
    expect(probability > 0.3 && sum <= 1).toBe(true);
    const [span] = first.spans;
    expect(span).toMatchObject({ label: 'LOC', start: 1, end: 3, text: 'New York' });
    expect(span.probability > 0.3 && span.probability < 1).toBe(true);
    expect(second.sentences).toHaveLength(2);
    expect(second.probability).toHaveLength(2);
    expect(second.nbest.map((each: unknown[]) => each.length)).toEqual([3, 3]);
  });

  it('adds the probabilities of all tags with --marginals all', { tags: 'slow' }, async () => {
    const two = '{"text":"in Rome. Ann saw York.","marginals":7}';
    // The constraints of the second are looked at record by record, the others in blocks.
    const bound = '{"tokens":["in","York"],"constraints":{"1":["B-PER"]}}';
    const lines = [plain, bound, two];
    const all = await taggedAlike(lines, '--marginals', 'all');
    const single = await taggedAlike(lines, '--marginals');
    const labels = Object.keys(all.records[0].marginals[0]);
    expect([...labels].sort()).toEqual(['B-LOC', 'B-PER', 'I-LOC', 'I-PER', 'O']);
    for (const [r, { tags, marginals }] of all.records.entries()) {
      expect(marginals).toHaveLength(tags.length);
      for (const [t, own] of marginals.entries()) {
        expect(Object.keys(own)).toEqual(labels);
        expect(own[tags[t]]).toBe(single.records[r].marginals[t]);
        const sum = labels.reduce((total, label) => total + own[label], 0);
        expect(sum).toBeCloseTo(1, 5);
      }
    }
    expect(all.records[1].marginals[1]['B-PER']).toBeCloseTo(1, 5);
    expect((await tagged(lines, '--no-marginals')).lines).toEqual((await tagged(lines)).lines);
    const wrong = await tagged(lines, '--marginals=some');
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('--marginals is "some"');
  });

  it('adds the probabilities of pairs of tags with --marginals pairs', {
    tags: 'slow',
  }, async () => {
    const two = '{"text":"in Rome. Ann saw York.","marginals":7}';
    const lines = [plain, two];
    const asked = ['--marginals', 'pairs', '--pair-threshold', '0'];
    const pairs = await taggedAlike(lines, ...asked);
    const all = await taggedAlike(lines, '--marginals', 'all');
    for (const [r, { tags, sentences, marginals }] of pairs.records.entries()) {
      expect(marginals).toHaveLength(tags.length);
      const starts = (sentences ?? [[0, tags.length]]).map(([start]: [number]) => start);
      for (const [t, own] of marginals.entries()) {
        if (starts.includes(t)) {
          expect(own).toEqual({});
          continue;
        }
        for (const [tag, p] of Object.entries(all.records[r].marginals[t] as Probabilities)) {
          let sum = 0;
          for (const to of Object.values(own as Record<string, Probabilities>)) sum += to[tag] ?? 0;
          expect(sum).toBeCloseTo(p, 5);
        }
        for (const [from, to] of Object.entries(own as Record<string, Probabilities>)) {
          const sum = Object.values(to).reduce((total, p) => total + p, 0);
          expect(sum).toBeCloseTo(all.records[r].marginals[t - 1][from], 5);
        }
      }
    }
    const likely = await taggedAlike(lines, '--marginals', 'pairs');
    expect(likely.records[0].tags).toEqual(pairs.records[0].tags);
    expect(likely.lines[0]!.length).toBeLessThan(pairs.lines[0]!.length);
    // What an earlier run found is replaced.
    const pairsOf = ({ records }: { readonly records: readonly { marginals: unknown }[] }) =>
      records.map(({ marginals }) => marginals);
    const again = await taggedAlike(pairs.lines, '--marginals', 'pairs');
    expect(pairsOf(again)).toEqual(pairsOf(likely));
    const [few, wrong, alone, columns] = await Promise.all([
      tagged(lines, '--marginals=pairs', '--pair-threshold', '0.99999'),
      tagged(lines, ...asked.with(-1, '1.5')),
      tagged(lines, '--marginals', '--pair-threshold', '0.1'),
      tagstream(['tag', '--model', model, '--format', 'conll:{columns: [form]}', ...asked]),
    ]);
    expect(few.records[0].marginals).toEqual(few.records[0].tags.map(() => ({})));
    for (const { code, stdout } of [wrong, alone, columns]) {
      expect([code, stdout]).toEqual([2, '']);
    }
    expect(wrong.stderr).toContain('--pair-threshold 1.5 is not a probability (give one number');
    expect(alone.stderr).toContain('--pair-threshold would not be written: it applies to pairs');
    expect(columns.stderr).toContain('columns have no place for pairs of tags (ask for those');
  });

  it.each([
    ['all', '{ marginals: all }', ['--marginals', 'all']],
    [
      'pairs',
      '{ marginals: pairs, pairThreshold: 0.2 }',
      ['--marginals', 'pairs', '--pair-threshold', '0.2'],
    ],
  ])('gives the same bytes where a pipeline asks for %s', async (_, asked, options) => {
    writeFileSync(join(folder, 'some.ndjson'), `${plain}\n`);
    const pipeline = `version: 1
name: all
source: { ndjson: { files: [some.ndjson] } }
stages:
  - tokenize: {}
  - featurize: { model: toy.model }
  - batch: {}
  - tag: ${asked}
`;
    writeFileSync(join(folder, 'all.yaml'), pipeline);
    const { stdout, stderr } = await tagstream(['run', join(folder, 'all.yaml')]);
    expect(stdout, stderr).toBe(`${(await tagged([plain], ...options)).lines[0]}\n`);
    const without = pipeline.replace(asked, '{ pairThreshold: 0.2 }');
    writeFileSync(join(folder, 'all.yaml'), without);
    const refused = await tagstream(['run', join(folder, 'all.yaml')]);
    expect(refused.stderr).toMatch(/all\.yaml:8:\d+: .*it applies to pairs of tags/);
  });

  it('replaces results of an earlier run, and leaves them out where they are not asked for', async () => {
    // What a run found is taken for gold by the next.
    const known = plain.replace('}', ',"tags":["O","B-LOC","I-LOC"],"nbest":7,"probability":2}');
    const options = [...everything, '--marginals'];
    const once = await tagged([known], ...options);
    expect(once.records[0].nbest[0]).toHaveLength(3);
    expect((await tagged(once.lines, ...options)).lines).toEqual(once.lines);
    const [again] = (await tagged(once.lines)).records;
    for (const name of ['nbest', 'probability', 'logProbability', 'marginals', 'score']) {
      expect(again).not.toHaveProperty(name);
    }
    expect(again.spans).toHaveLength(1);
    expect(again.spans[0]).not.toHaveProperty('probability');
  });

  it('refuses results that what is written has no place for', async () => {
    const stdin = 'Ann\nRome\n\n';
    const columns = ['--format', 'conll:{columns: [form]}'];
    const of = (...given: string[]) => tagstream(['tag', '--model', model, ...given], { stdin });
    const [slash, two, several, short] = await Promise.all([
      of('--format', 'slash', '--nbest', '2'),
      of(...columns, '--span-probabilities', '--workers', '2'),
      of(...columns, '--nbest', '2', '--marginals'),
      of('--format', 'ndjson', '--output', 'tags', '--marginals'),
    ]);
    expect(slash).toMatchObject({ code: 2, stdout: '' });
    expect(slash.stderr).toContain('--nbest would not be written: slash holds only tags');
    expect(two.stderr).toContain('--span-probabilities would not be written: conll holds');
    expect(several.stderr).toContain('--marginals would not be written: each of several sequences');
    expect(short.stderr).toContain('--marginals would not be written: the shortest form');
  });

  it.each([
    ['of the tags', ['--probability', '--marginals']],
    ['of all tags', ['--probability', '--marginals', 'all']],
    ['of several sequences', ['--nbest', '2', '--marginals', 'all']],
  ])(
    'writes probabilities %s in columns, whatever way records go',
    { tags: 'slow' },
    async (_, results) => {
      const stdin = 'Ann\nRome\n\nRome\n\n';
      const columns = ['--format', 'conll:{columns: [form]}'];
      const of = (...more: string[]) =>
        tagstream(['tag', '--model', model, ...columns, ...results, ...more], { stdin });
      const [blocks, workers, records] = await Promise.all([
        of(),
        of('--workers', '2'),
        of('--limit', '9'),
      ]);
      expect(blocks.stderr).toBe('');
      expect(workers).toEqual(blocks);
      expect(records.stdout).toBe(blocks.stdout);
      const json = await tagged(['{"tokens":["Ann","Rome"]}', '{"tokens":["Rome"]}'], ...results);
      expect(blocks.stdout).toBe(json.records.map(inColumns).join(''));
    },
  );

  it('decodes at the least risk', async () => {
    const { records } = await tagged([plain], '--decoding', 'minimum-risk', '--marginals');
    expect(records[0].tags).toEqual(['O', 'B-LOC', 'I-LOC']);
    expect(records[0].marginals).toHaveLength(3);
  });

  it('keeps to the constraints of a record, which stays as it is', async () => {
    const own =
      '{ "constraints": {"1" : ["B-PER"],"2":{ "not":["I-PER"]}}, "tokens": ["in","New","York"]';
    // Numbers of the whole record, in each of its sentences.
    const two = '{"text":"in Rome. Ann saw York.","constraints":{"5":["B-LOC"]}}';
    // York came with B-LOC, I-LOC and I-PER; what a record asks for is stronger than the dictionary.
    const strong = '{"tokens":["York","New","York"],"constraints":{"0":["O"]}}';
    const { lines, records } = await taggedAlike([`${own}}`, two, strong]);
    expect(lines[0]!.startsWith(`${own},"tags":`)).toBe(true);
    expect(records[0].tags.slice(0, 2)).toEqual(['O', 'B-PER']);
    expect(records[0].tags[2]).not.toBe('I-PER');
    expect(records[1].sentences).toEqual([
      [0, 3],
      [3, 7],
    ]);
    expect(records[1].tags[5]).toBe('B-LOC');
    expect(records[2].tags[0]).toBe('O');
  });

  it('rejects records whose constraints are wrong or cannot be met, and only these', {
    tags: 'slow',
  }, async () => {
    const withConstraints = (json: string) => plain.replace('{', `{"constraints":${json},`);
    const impossible = ['{"9":["O"]}', '{"0":["NONE"]}', '{"0":["O"],"1":["I-LOC"]}'];
    const malformed = ['[]', '7', '{"x":["O"]}', '{"0":[]}', '{"0":"O"}', '{"0":{"no":["O"]}}'];
    const lines = [...impossible, ...malformed].flatMap(json => [plain, withConstraints(json)]);
    const { code, stderr, records } = await taggedAlike(lines);
    expect(code).toBe(0);
    expect(stderr).toContain('9 bad records (');
    expect(stderr).toMatch(/3 constraint\b/);
    expect(stderr).toMatch(/6 wrong-shape\b/);
    expect(new Set(records.map(({ tags }) => tags.join(' ')))).toEqual(new Set(['O B-LOC I-LOC']));
    expect(records).toHaveLength(9);
    const any = await tagged([withConstraints(impossible[2]!)], '--transitions', 'any');
    expect(any.records[0].tags.slice(0, 2)).toEqual(['O', 'I-LOC']);
  });

  it('takes a dictionary in place of its own, or none', { tags: 'slow' }, async () => {
    const [given, without, bad] = await Promise.all([
      taggedAlike([plain], '--dictionary', dictionary),
      tagged([plain], '--no-dictionary'),
      tagged([plain], '--dictionary', gold),
    ]);
    expect(given.records[0].tags[2]).toMatch(/-PER$/);
    expect(without.records[0].tags).toEqual(['O', 'B-LOC', 'I-LOC']);
    expect([bad.code, bad.stdout]).toEqual([78, '']);
    expect(bad.stderr).toContain('gold.ndjson:1: ');
  });

  it('refuses numbers of sequences that are none', async () => {
    for (const count of [0, -1, 1.5, Number.NaN, 1001]) {
      expect(() => decodingOptions.nbest.coerce(count)).toThrow(`--nbest ${count} is not a number`);
    }
    const { code, stderr } = await tagstream(['tag', '--model', model, '--nbest=two']);
    expect(code).toBe(2);
    expect(stderr).toContain('--nbest');
  });
});

describe('the same elsewhere', () => {
  it('eval takes transitions and dictionaries', async () => {
    const scored = async (...more: readonly string[]) => {
      const outcome = await tagstream(['eval', gold, '--model', model, '--json', ...more]);
      expect(outcome.stderr).toMatch(
        /^tagstream: \S+ has sentences that the model was trained on.*\n$/,
      );
      return JSON.parse(outcome.stdout);
    };
    const [plainly, free, misled] = await Promise.all([
      scored(),
      scored('--transitions', 'any', '--no-dictionary'),
      scored('--dictionary', dictionary),
    ]);
    expect(free).toEqual(plainly);
    expect(misled.accuracy).toBeLessThan(plainly.accuracy);
  });

  it('a pipeline has them as options of its stage, and refuses them where weights are learned', async () => {
    const stages = (options: string) => `version: 1
name: tagging
source: { ndjson: {} }
stages:
  - featurize: { model: toy.model }
  - batch: {}
  - tag: ${options}
`;
    const file = join(folder, 'tagging.yaml');
    writeFileSync(
      file,
      stages('{ nbest: 2, probability: true, spanProbabilities: true, dictionary: words.tsv }'),
    );
    const run = await tagstream(['run', file], { stdin: `${plain}\n` });
    const [line] = (
      await tagged(
        [plain],
        ...['--nbest', '2', '--probability', '--span-probabilities', '--dictionary', dictionary],
      )
    ).lines;
    expect(run.stdout).toBe(`${line}\n`);
    writeFileSync(
      file,
      stages('{ nbest: 2 }').replace('stages:', 'sink: { output: tags }\nstages:'),
    );
    const unreported = await tagstream(['run', file], { stdin: '' });
    expect(unreported.code).toBe(78);
    expect(unreported.stderr).toContain(
      'nbest: it would not be written: the shortest form holds only tags',
    );
    const learning = join(folder, 'learning.yaml');
    const [head, tail] = stages('{ nbest: 2 }').split('  - tag:');
    const learns = `${head!.replace('model: toy.model', 'templates: ["U:%x[0,0]"]')}  - contribute: {}
  - optimize: { sgd: {} }
  - tag:${tail}train: { corpusSize: 4 }
`;
    writeFileSync(learning, learns);
    const refused = await tagstream(['run', learning], { stdin: '' });
    expect(refused.code).toBe(78);
    expect(refused.stderr).toContain('only the best sequence of each record');
    const counted = learns
      .replace('{ nbest: 2 }', '{}')
      .replace('%x[0,0]"]', '%x[0,0]"], dictionary: {}');
    writeFileSync(learning, counted);
    const endless = await tagstream(['run', learning], { stdin: '' });
    expect(endless.stderr).toContain('a tag dictionary needs counts over a whole corpus');
  });
});
