import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';
import { digestOf, Recorded } from '../../contracts/digests/recorded.js';
import { corpora, corporaPresent } from '../../house/corpora/corpora.js';

const root = resolve(import.meta.dirname, '../../..');
const folder = workspace();
const env = { TAGSTREAM_CORPORA: corpora };
const shipped = readdirSync(join(root, 'pipelines')).filter(name => name.endsWith('.yaml'));

/** With it, everything is trained in full and compared with the page of scores; it takes many minutes. */
const full = process.env.TAGSTREAM_FULL === '1';

interface Row {
  readonly score: number;
  readonly command: string;
  readonly pipeline: string;
}

/** The page with the scores of all pipelines; the README has some of them. */
const page = readFileSync(join(root, 'src/engine/metrics/README.md'), 'utf8');

/** Its table of accuracy: `| task | data | F1 93.68 | \`tagstream train ...\` |`. */
const rows: Row[] = [
  ...page.matchAll(
    /^\| [^|]+ \| [^|]+ \| [^|]*?(\d+\.\d+)[^|]* \| `(tagstream train pipelines\/(\S+?)\.yaml)` \|$/gm,
  ),
].map(match => ({ score: Number(match[1]), command: match[2]!, pipeline: match[3]! }));

/** Bytes of the models that earlier versions of the code made of the same pipelines and corpora. */
const recorded = new Recorded(full ? 'models-in-full' : 'models-in-short');

interface Result {
  readonly sentencesSeen: number;
  readonly test: { readonly accuracy: number; readonly f1?: number };
}

async function train(pipeline: string, ...settings: string[]): Promise<Result> {
  const given = settings.flatMap(setting => ['--set', setting]);
  const model = join(folder, `${pipeline}.model`);
  const file = `pipelines/${pipeline}.yaml`;
  const { stdout, stderr } = await tagstream(
    ['train', file, '--json', '--model', model, ...given],
    {
      env,
    },
  );
  expect(stdout, stderr).not.toBe('');
  recorded.expect({ [pipeline]: digestOf(readFileSync(model)) });
  return JSON.parse(stdout) as Result;
}

/** What the README gives: F1, phoneme error or accuracy, in percent. */
function scoreOf({ test }: Result, pipeline: string): number {
  if (test.f1 !== undefined && !pipeline.startsWith('nettalk')) return test.f1;
  return pipeline.startsWith('nettalk') ? 100 - test.accuracy : test.accuracy;
}

describe('the shipped pipelines', () => {
  it('are valid', () => {
    for (const name of shipped)
      expect(loadPipeline(join(root, 'pipelines', name)).name).toBe(name.replace('.yaml', ''));
  });

  it('stand on the page of scores, but for starter and online, which it shows by themselves, and ewt-em', () => {
    const named = rows.map(row => `${row.pipeline}.yaml`);
    // Its data are made of a corpus first.
    const others = ['starter.yaml', 'online.yaml', 'ewt-em.yaml'];
    expect(new Set([...named, ...others])).toEqual(new Set(shipped));
  });
});

const present = corporaPresent('training the shipped pipelines');

describe.skipIf(!present || full)('the shipped pipelines, in short', () => {
  // The least score after one pass (L-BFGS: 25) over 600 sentences, tested on 200: far below the real ones.
  const least: Readonly<Record<string, [name: string, bound: number]>> = {
    chunk: ['F1 at least', 84],
    'conll2000-chunking': ['F1 at least', 84],
    'conll2000-lbfgs': ['F1 at least', 84],
    'conll2000-sgd-lbfgs': ['F1 at least', 84],
    'conll2000-memm': ['F1 at least', 75],
    'conll2000-perceptron': ['F1 at least', 84],
    'conll2000-sgd-l1': ['F1 at least', 75],
    'conll2002-es-ner': ['F1 at least', 30],
    'ewt-hmm': ['accuracy at least', 80],
    'ewt-upos': ['accuracy at least', 80],
    ner: ['F1 at least', 30],
    nettalk: ['error at most', 65],
    'nettalk-ngrams': ['error at most', 50],
    pos: ['accuracy at least', 80],
  };
  // The first model of the stacked one, in full length and six times, takes longer than all others together.
  const quick = rows.filter(({ pipeline }) => pipeline !== 'ner-stacked');
  it.each(quick)('$command', { tags: 'slow' }, async ({ pipeline }) => {
    const { source, train: settings } = loadPipeline(join(root, 'pipelines', `${pipeline}.yaml`));
    const format = source.component.name;
    // A batch optimizer has made one step after a pass.
    const epochs = pipeline.endsWith('-lbfgs') ? 25 : 1;
    const result = await train(
      pipeline,
      `train.epochs=${epochs}`,
      `source.${format}.limit=600`,
      `test.${format}.limit=200`,
    );
    expect(result.sentencesSeen).toBe(600 * epochs * (settings?.seeds ?? 1));
    const [what, bound] = least[pipeline]!;
    const score = scoreOf(result, pipeline);
    if (what === 'error at most') expect(score).toBeLessThanOrEqual(bound);
    else expect(score).toBeGreaterThanOrEqual(bound);
  });
});

describe.skipIf(!present || !full)('the shipped pipelines, in full', () => {
  it.each(rows)('$command: $score', async ({ pipeline, score }) => {
    expect(scoreOf(await train(pipeline), pipeline)).toBeCloseTo(score, 2);
  });
});

describe.skipIf(!present)('online', () => {
  it('learns from the standard input in one pass', { tags: 'slow' }, async () => {
    const conll = join(corpora, 'conll2000');
    // In the short form the beginning of the corpus.
    const sentences = readFileSync(join(conll, 'train.txt'), 'utf8').trim().split('\n\n');
    const rows = join(folder, 'rows.conll');
    writeFileSync(rows, `${sentences.slice(0, full ? undefined : 2000).join('\n\n')}\n\n`);
    const records = await tagstream(['convert', rows, '--from', 'conll', '--to', 'ndjson']);
    const lines = records.stdout.trim().split('\n');
    lines.push('{"id":"last","tokens":["He","reckons"],"columns":{"pos":["PRP","VBZ"]}}');
    const model = join(folder, 'online.model');
    const run = await tagstream(
      [
        ...['run', 'pipelines/online.yaml', '--model', model],
        ...['--set', `stages.checkpoint.dir=${join(folder, 'online')}`],
      ],
      { stdin: lines.join('\n') },
    );
    expect(run.stderr).toMatch(
      /2000 sentences: F1 [89]\d\.\d\d .* recently, F1 [89]\d\.\d\d .* in all/,
    );
    expect(run.stdout.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(run.stdout)).toMatchObject({ id: 'last', tags: ['B-NP', 'B-VP'] });
    const gold = join(conll, 'test.txt');
    const scored = await tagstream(['eval', '--model', model, '--format', 'conll', gold, '--json']);
    const { f1 } = JSON.parse(scored.stdout) as { f1: number };
    expect(f1).toBeGreaterThanOrEqual(full ? 94 : 90);
  });
});
