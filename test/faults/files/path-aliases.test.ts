import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { clustersFromText } from '../../../src/cli/clusters/clusters-from-text.js';
import { convertFiles } from '../../../src/cli/convert-files.js';
import { evalFile } from '../../../src/cli/eval/eval-file.js';
import { inspectFile } from '../../../src/cli/inspect/inspect-file.js';
import { textLog } from '../../../src/cli/report/text-log.js';
import { initFile } from '../../../src/cli/run/init-file.js';
import { learningCurve } from '../../../src/cli/run/learning-curve.js';
import { runFromFile } from '../../../src/cli/run/run-from-file.js';
import { studyFromFile } from '../../../src/cli/run/study-from-file.js';
import { tagFiles } from '../../../src/cli/tag/tag-files.js';
import { TagstreamError } from '../../../src/engine/core/errors.js';
import { convertCorpus } from '../../../src/runtime/pipeline/corpora/convert-corpus.js';
import { validatePipeline } from '../../../src/runtime/pipeline/loading/validate-pipeline.js';
import { tagstream } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { longForm } from '../long-form.js';

const folder = workspace();
const at = (name: string) => join(folder, name);
const report = { log: textLog('error'), status: undefined };
const logged = { log: 'text', logLevel: 'error' } as const;

beforeAll(async () => {
  toyPipeline(folder, 20);
  await trainHere(at('toy.yaml'));
  writeFileSync(at('dictionary'), 'dog NOUN\n');
  writeFileSync(at('a.ndjson'), `${toyRecords(5, false).join('\n')}\nbad\n`);
  writeFileSync(at('bad.ndjson.2'), 'rotated\n');
  writeFileSync(at('bad.ndjson.1'), 'rotated\n');
  writeFileSync(at('bad.ndjson'), 'letters\n');
  linkSync(at('a.ndjson'), at('hard.ndjson'));
  symlinkSync('a.ndjson', at('soft.ndjson'));
  mkdirSync(at('real'));
  symlinkSync('real', at('linked'));
  symlinkSync('real/none', at('dangling'));
  writeFileSync(
    at('tag.yaml'),
    `version: 1
name: tag
source: { ndjson: { files: [a.ndjson] } }
stages:
  - tokenize: {}
  - featurize: { model: toy.model }
  - batch: {}
  - tag: { dictionary: dictionary }
  - checkpoint: { dir: steps, sentences: 10 }
sink: { file: tagged.ndjson }
deadLetters: { file: letters.ndjson }
`,
  );
  writeFileSync(
    at('a.study.yaml'),
    `version: 1
name: a
title: A
pipeline: toy.yaml
replications: { set: [train.seed] }
rows: [{ name: one }]
measure: [active]
`,
  );
});

/** Everything in the folder: names, contents and times. */
function state(): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    statSync(at(name), { throwIfNoEntry: false })?.isFile(),
  );
  return Object.fromEntries(
    files.map(name => [name, `${statSync(at(name)).mtimeMs} ${readFileSync(at(name), 'latin1')}`]),
  );
}

/** That some work is refused with a code, names both uses, and touches nothing. */
async function refused(work: () => unknown, code: string, ...reported: string[]): Promise<void> {
  const before = state();
  let thrown: unknown;
  try {
    await work();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(TagstreamError);
  const error = thrown as TagstreamError;
  expect([error.code, error.message]).toEqual([code, expect.stringContaining(reported[0]!)]);
  for (const text of reported) expect(error.message).toContain(text);
  expect(state()).toEqual(before);
}

const paths = (given: object) =>
  Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key,
      Array.isArray(value)
        ? value.map(at)
        : typeof value === 'string' && value !== '-'
          ? at(value)
          : value,
    ]),
  );

describe('tag', () => {
  const tag = (given: object) => () =>
    tagFiles(
      {
        ...{ inputs: [at('a.ndjson')], model: at('toy.model'), out: '-', workers: 1, ...logged },
        ...paths(given),
      } as never,
      report as never,
    );

  it.each<[object, ...string[]]>([
    [{ out: 'x', deadLetter: 'x' }, 'the output', 'the dead-letter file'],
    [{ out: 'linked/x', deadLetter: 'real/x' }, 'the output', 'the dead-letter file'],
    [{ out: 'dangling', deadLetter: 'real/none' }, 'the output', 'the dead-letter file'],
    [{ out: 'a.ndjson' }, 'the output', 'the input'],
    [{ out: 'hard.ndjson' }, 'the output', 'the input'],
    [{ out: 'soft.ndjson' }, 'the output', 'the input'],
    [{ out: 'toy.model' }, 'the output', 'the model'],
    [{ html: 'toy.model' }, 'the page', 'the model'],
    [{ html: 'a.ndjson' }, 'the page', 'the input'],
    [{ html: 'x', deadLetter: 'x' }, 'the page', 'the dead-letter file'],
    [{ out: 'dictionary', dictionary: 'dictionary' }, 'the output', 'the dictionary'],
    [{ out: 'mine.mjs', use: ['./mine.mjs'] }, 'the output', 'the plug-in'],
    [{ deadLetter: 'a.ndjson' }, 'the dead-letter file', 'the input'],
    [{ deadLetter: 'bad.ndjson', out: 'bad.ndjson.3' }, 'the output', 'a rotated dead-letter'],
    [{ replay: 'bad.ndjson', inputs: [], deadLetter: 'bad.ndjson' }, 'the dead letters to replay'],
    [{ replay: 'bad.ndjson', inputs: [], out: 'bad.ndjson.1' }, 'the dead letters to replay'],
    [{ out: 'x', checkpoint: 'c', deadLetter: 'x.part' }, 'the unfinished output'],
    [{ out: 'x', checkpoint: 'x' }, 'the folder of checkpoints', 'the output'],
    [{ out: 'c/in-flight.json', checkpoint: 'c' }, 'inside the folder of checkpoints'],
    [
      { out: 'x', deadLetter: 'c/gen-00000001/arrays.bin', checkpoint: 'c' },
      'the dead-letter file',
    ],
  ])('refuses %o', async (given, ...reported) => {
    mkdirSync(at('c'), { recursive: true });
    await refused(tag(given), 'usage', ...reported);
  });

  it('refuses them in workers too, before the model is read', async () => {
    const before = state();
    const given = ['tag', '--model', 'toy.model', '--workers', '2', '--out', 'a.ndjson'];
    const { code, stderr } = await tagstream([...given, 'a.ndjson'], { cwd: folder });
    expect(stderr).toBe(
      'tagstream: a.ndjson would be both the output and the input (name another file for the output)\n',
    );
    expect(code).toBe(2);
    expect(state()).toEqual(before);
  });

  it('lets several use a device, and reads a file twice', async () => {
    const given = { out: '/dev/null', deadLetter: '/dev/null' };
    const inputs = [at('a.ndjson'), at('hard.ndjson')];
    await tagFiles(
      { inputs, model: at('toy.model'), workers: 1, ...logged, ...given } as never,
      report as never,
    );
  });
});

describe('the commands that write', () => {
  const bad = { onBad: [], strict: false };

  it('convert and clusters refuse their input as output', async () => {
    writeFileSync(at('all-bad.ndjson'), 'bad\n');
    for (const out of ['all-bad.ndjson', './all-bad.ndjson']) {
      const given = { inputs: [at('all-bad.ndjson')], to: 'conll', out: at(out), ...bad };
      await refused(() => convertFiles(given), 'usage', 'both the output and the input');
    }
    const given = { inputs: [at('a.ndjson')], out: at('a.ndjson'), classes: 2, minCount: 1 };
    await refused(() => clustersFromText({ ...given, fold: false }), 'usage', 'the text');
  });

  it('eval, inspect and init refuse what they read', async () => {
    const given = { gold: at('train.ndjson'), model: at('toy.model') };
    for (const html of [given.gold, given.model]) {
      await refused(() => evalFile({ ...given, html } as never), 'usage', 'the page');
    }
    const { model } = given;
    await refused(() => inspectFile({ model, top: 1, sparsity: model }), 'usage', 'the picture');
    await refused(
      () => initFile({ file: given.gold, out: given.gold, force: true }),
      'usage',
      'both the pipeline file and the labelled file',
    );
  });

  it('curve and study refuse what their pipelines read', async () => {
    for (const html of ['toy.yaml', 'train.ndjson']) {
      const given = { pipeline: at('toy.yaml'), sizes: '5', html: at(html), ...logged };
      await refused(() => learningCurve(given as never, report as never), 'usage', 'the page');
    }
    for (const name of ['a.study.yaml', 'train.ndjson']) {
      for (const option of ['html', 'results']) {
        const given = { study: at('a.study.yaml'), [option]: at(name), ...logged };
        await refused(() => studyFromFile(given as never, report as never), 'usage', at(name));
      }
    }
  });

  it('corpora convert refuses to replace a file of the corpus', async () => {
    const corpus = {
      ...{ name: 'c', source: { ndjson: {} }, splits: { train: { file: 'train.ndjson' } } },
    };
    await refused(
      () =>
        convertCorpus(corpus as never, { folder, out: folder, deadLetters: undefined as never }),
      'usage',
      'both a converted part and the corpus',
    );
  });
});

describe('a pipeline', () => {
  const run =
    (pipeline: string, given: object = {}) =>
    () =>
      runFromFile({ pipeline: at(pipeline), ...logged, ...given } as never, false, report as never);

  it.each([
    ['toy.yaml', 'model=train.ndjson', 'both the model to write and the input'],
    ['toy.yaml', 'model=toy.yaml', 'both the model to write and the pipeline file'],
    ['toy.yaml', 'train.start=toy.model', 'the model to start from'],
    ['tag.yaml', 'sink.file=a.ndjson', 'both the output and the input'],
    ['tag.yaml', 'sink.file=toy.model', 'the model that it tags with'],
    ['tag.yaml', 'sink.file=dictionary', 'the dictionary'],
    ['tag.yaml', 'sink.file=letters.ndjson.1', 'a rotated dead-letter file'],
    ['tag.yaml', 'deadLetters.file=a.ndjson', 'both the dead-letter file and the input'],
    ['tag.yaml', 'deadLetters.file=tagged.ndjson.part', 'the unfinished output'],
    ['tag.yaml', 'stages.4.checkpoint.dir=tagged.ndjson', 'the folder of checkpoints'],
  ])('%s with %s is refused by run and validate', async (pipeline, set, reported) => {
    await refused(run(pipeline, { set: [set] }), 'config', reported, `${at(pipeline)}:`);
    await refused(() => validatePipeline(at(pipeline), { set: [set] }), 'config', reported);
    await refused(run(pipeline, { set: [set], dryRun: true }), 'config', reported);
  });

  it('is refused where it would write over its plug-in', async () => {
    writeFileSync(at('mine.mjs'), 'export default { name: "mine", components: [] };\n');
    const set = ['use=[./mine.mjs]', 'model=mine.mjs'];
    await refused(run('toy.yaml', { set }), 'config', 'both the model to write and the plug-in');
  });

  it('is refused where the command line has its part in it', async () => {
    await refused(run('toy.yaml', { model: at('train.ndjson') }), 'usage', 'the model to write');
    await refused(run('tag.yaml', { deadLetter: at('a.ndjson') }), 'usage', 'the dead-letter file');
  });

  it('may evaluate on what it trains on', async () => {
    const on = 'test={ ndjson: { files: [train.ndjson] } }';
    await validatePipeline(at('toy.yaml'), { set: [on] });
  });
});

describe.runIf(longForm)('all pairs of options of tag', () => {
  it('are refused in every spelling, as long as one of them is written', async () => {
    const written = ['out', 'html', 'dead-letter', 'checkpoint'];
    const options = [...written, 'model', 'dictionary', ''];
    const spellings = ['a.ndjson', './a.ndjson', 'hard.ndjson', 'soft.ndjson', at('a.ndjson')];
    for (const [i, one] of options.entries()) {
      for (const other of options.slice(i + 1)) {
        if (!written.includes(one) || (one === 'out' && other === 'html')) continue;
        for (const path of spellings) {
          const before = state();
          const rest = [one, other].includes('model') ? [] : ['--model', 'toy.model'];
          const out = other === 'checkpoint' || one === 'checkpoint' ? ['--out', 'other'] : [];
          const given = [
            ...[`--${one}`, 'a.ndjson'],
            ...(other === '' ? [path] : [`--${other}`, path, 'train.ndjson']),
            ...(one === 'out' || other === 'out' ? [] : out),
          ];
          const { code } = await tagstream(['tag', ...rest, ...given], { cwd: folder });
          expect([one, other, path, code]).toEqual([one, other, path, 2]);
          expect(state()).toEqual(before);
        }
      }
    }
    expect(existsSync(at('other'))).toBe(false);
    rmSync(at('c'), { recursive: true, force: true });
  });
});
