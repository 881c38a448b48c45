// @module-tag slow
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTemplates } from '../../../src/engine/features/template/parse-templates.js';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { EmptyFolder, type Printed } from './empty-folder.js';
import { readPage, shellLines } from './page.js';

const root = resolve(import.meta.dirname, '../../..');
const page = readPage(root, 'README.md');
const { text: readme, blocks } = page;
const index = readPage(root, 'pipelines/guides.md').text;
const guides = [
  'pipelines/guides.md',
  'pipelines/records.md',
  'pipelines/pipeline-files.md',
  'pipelines/models-and-trainers.md',
  'pipelines/in-code.md',
  'src/engine/features/README.md',
  'src/engine/inference/README.md',
  'src/engine/losses/README.md',
  'src/engine/losses/structures.md',
  'src/engine/trainers/README.md',
  'src/engine/metrics/README.md',
  'src/engine/models/README.md',
  'src/runtime/io/README.md',
  'src/formats/formats.md',
  'src/runtime/plugins/README.md',
  'src/runtime/plugins/stages.md',
  'src/engine/text/redaction.md',
].map(file => readPage(root, file));
const shown = ['pipelines/in-code.md', 'src/formats/formats.md', 'src/engine/text/redaction.md'];
const further = {
  page: 'pipelines/coming-from-elsewhere.md',
  from: ['src/formats/formats.md', 'src/engine/losses/README.md'],
};

// The README is followed from top to bottom in an empty folder: blocks with a file name are written,
// shell blocks are run, line by line, in the order in which they stand. The pages beside the code continue
// from there.
const folder = new EmptyFolder(root);
afterAll(() => folder.remove());
folder.write(page);
const results = new Map<string, Printed>();

describe('the README', () => {
  it('has two commands to set up; CI runs the one for the tests', () => {
    const setup = blocks.filter(({ name }) => name === 'setup').map(({ code }) => code.trim());
    expect(setup).toEqual(['npm ci && npm start', 'npm ci && npm test']);
    const script = readFileSync(join(root, '.ci/run'), 'utf8');
    for (const command of setup[1]!.split(' && ')) expect(script).toContain(command);
  });

  it('npm start trains, scores, tags a sample and says what to try', async () => {
    const { stdout, stderr } = await folder.sh('npm start', root);
    expect(stderr).toMatch(/test: accuracy (8[4-9]|9\d)\.\d\d %/);
    expect(stderr).toContain('models/starter.model');
    expect(stderr).toContain('try:   tagstream tag --model');
    const records = stdout.split('\n').filter(line => line.startsWith('{"id":"sample-'));
    expect(records).toHaveLength(8);
    expect(JSON.parse(records[0]!)).toHaveProperty('tags');
  });

  it.each(shellLines(page))('%s', async line => {
    results.set(line, await folder.run(line));
  });

  it('shows what the commands print', async () => {
    const printed = blocks.find(({ language, name }) => language === 'json' && name === '')!;
    const command = shellLines(page).find(line => line.startsWith('echo '))!;
    expect(results.get(command)!.stdout).toBe(printed.code);
    const scored = shellLines(page).find(line => line.startsWith('tagstream eval train.ndjson'))!;
    expect(JSON.parse(results.get(scored)!.stdout)).toMatchObject({ sentences: 4, f1: 100 });
    expect(results.get('node first.mjs')!.stdout).toBe('B-PER O O\n');
    expect(results.get('node tag.mjs')!.stdout).toContain(
      'Ben saw Anna Berg . B-PER O B-PER I-PER O',
    );
  });

  it('has at most 250 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(250);
  });

  it('has pipeline files that are valid', () => {
    const files = blocks.filter(({ language }) => language === 'yaml');
    expect(files.length).toBeGreaterThan(0);
    for (const { name } of files) expect(loadPipeline(join(folder.path, name)).name).toBe('names');
  });
});

/** Whether the README or the index of guides has a link to the page. */
const isIndexed = (file: string): boolean =>
  readme.includes(`(${file})`) || index.includes(`(${relative('pipelines', file)})`);

const followed = (guide: (typeof guides)[number]) => {
  beforeAll(() => folder.write(guide));

  // What the README has run before is not run again.
  const lines = shellLines(guide).filter(line => !shellLines(page).includes(line));
  it.runIf(lines.length > 0).each(lines)('%s', async line => {
    results.set(line, await folder.run(line));
  });

  it('is pointed to by the README or the index of guides', () => {
    expect(isIndexed(guide.file)).toBe(true);
  });
};

// What the last ones print is looked at below.
describe.each(guides.filter(({ file }) => !shown.includes(file)))('$file', followed);
describe.each(guides.filter(({ file }) => shown.includes(file)))('$file', followed);

describe('pipelines/learning-on-a-stream.md', () => {
  const guide = readPage(root, 'pipelines/learning-on-a-stream.md');
  beforeAll(() => folder.write(guide));

  it.each(shellLines(guide))('%s', async line => {
    results.set(line, await folder.run(line));
  });

  it('gives the same labels their places in a file and in code', () => {
    const { stderr } = results.get('tagstream run loop.yaml --html scores.html')!;
    expect(stderr).toContain('late labels: 3 joined, 1 doubled, 0 without a waiting record');
    const { stdout } = results.get('node loop.mjs')!;
    expect(stdout).toContain('joined: 3');
    expect(stdout).toContain('doubled: 1');
    expect(stdout).toContain('sampled: 0');
  });

  it('is pointed to by the README or the index of guides', () => {
    expect(isIndexed(guide.file)).toBe(true);
  });
});

describe(further.page, () => {
  const guide = readPage(root, further.page);
  beforeAll(() => folder.write(guide));

  it.each(shellLines(guide))('%s', async line => {
    results.set(line, await folder.run(line));
  });

  it('shows commands that find what their data teach', () => {
    const printed = (start: string) =>
      results.get(shellLines(guide).find(line => line.startsWith(start))!)!;
    expect(printed('tagstream tag --model crfpp.model').stdout).toContain(
      'Ada NNP B-PER\nlives VBZ O\n',
    );
    const [first] = printed('tagstream tag --model spacy.model --format spacy').stdout.split('\n');
    expect(JSON.parse(first!).entities).toEqual([
      [0, 9, 'PERSON'],
      [19, 23, 'GPE'],
    ]);
    const spans = (start: string) =>
      (JSON.parse(printed(start).stdout) as { spans: { label: string; text: string }[] }).spans.map(
        ({ label, text }) => `${label} ${text}`,
      );
    expect(spans("echo 'Ben lives")).toEqual(['PERSON Ben', 'GPE Oslo']);
    expect(spans("echo 'Anna lives")).toEqual(['PERSON Anna', 'LOCATION Oslo']);
  });

  const python = spawnSync('python3', ['--version']).status === 0;
  it.skipIf(!python)('writes the dictionaries of sklearn-crfsuite as records', async () => {
    await folder.sh('python3 to_ndjson.py');
    const record = JSON.parse(readFileSync(join(folder.path, 'sklearn.ndjson'), 'utf8')) as unknown;
    expect(record).toEqual({
      tokens: ['Anna', 'lives'],
      columns: { pos: ['NNP', 'VBZ'] },
      tags: ['B-PER', 'O'],
    });
  });

  it.each(further.from)('%s points to it', file => {
    expect(readPage(root, file).text).toContain(`(${relative(dirname(file), further.page)}`);
  });
});

describe('the page of code', () => {
  it('shows how operators train', () => {
    expect(results.get('node train.mjs')!.stdout).toMatch(/^5 sentences, loss 0\.\d+ per token\n$/);
  });
});

describe('the page of formats', () => {
  const guide = guides.find(({ file }) => file === 'src/formats/formats.md')!;

  it('shows what becomes of records of other programs, in shell, pipeline and code', () => {
    const shown = guide.blocks.find(({ language }) => language === 'json')!.code;
    const command = shellLines(guide).find(line => line.includes('--text-field'))!;
    expect(results.get(command)!.stdout).toBe(shown);
    expect(results.get('tagstream run logs.yaml')!.stdout).toBe(shown);
    expect(results.get('node logs.mjs')!.stdout).toBe(shown);
  });
});

describe('the page of redaction', () => {
  const guide = guides.find(({ file }) => file === 'src/engine/text/redaction.md')!;

  it('shows what is left, in shell, pipeline and code', () => {
    const shown = guide.blocks.find(({ language }) => language === 'json')!.code;
    const [records, logs, text] = shellLines(guide).map(line => results.get(line)!.stdout);
    expect(records).toBe(shown);
    expect(results.get('tagstream run redact.yaml')!.stdout).toBe(shown);
    expect(logs).toContain('"message": "<PER 1> flew to <LOC 2>.", "tags": ["app", "login"]');
    expect(text).toBe('[PER] flew to [LOC].\n');
    expect(results.get('node redact.mjs')!.stdout).toBe(
      'PER 0-3, LOC 12-20\n[PER] flew to [LOC].\n',
    );
  });
});

describe('the page of features', () => {
  it('has macros that are known', () => {
    const { text } = guides.find(({ file }) => file === 'src/engine/features/README.md')!;
    const macros = [...text.matchAll(/`(%\w+\[[^`]*\])`/g)].map(match => match[1]!);
    expect(macros.length).toBeGreaterThan(8);
    for (const macro of macros) expect(parseTemplates(`U:${macro}`).templates).toHaveLength(1);
  });
});
