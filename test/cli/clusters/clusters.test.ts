import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { clustersFromText } from '../../../src/cli/clusters/clusters-from-text.js';
import { tagstream } from '../commands/run-command.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const animals = ['cat', 'dog', 'cow'];
const verbs = ['ran', 'sat', 'ate'];
const lines = animals.flatMap(animal =>
  verbs.flatMap(verb => [`The ${animal} ${verb}. A ${animal} ${verb}!`, '']),
);

/** Words by cluster, as one text a cluster. */
function groups(text: string): string[] {
  const clusters = new Map<string, string[]>();
  for (const line of text.trimEnd().split('\n')) {
    const [cluster, word, count] = line.split('\t');
    expect(cluster).toMatch(/^[01]+$/);
    expect(Number(count)).toBeGreaterThan(0);
    clusters.set(cluster!, [...(clusters.get(cluster!) ?? []), word!]);
  }
  return [...clusters.values()].map(words => words.sort().join(' ')).sort();
}

const expected = ['! .', 'A The', 'ate ran sat', 'cat cow dog'];
const few = ['--classes', '4', '--min-count', '1'];

beforeAll(() => {
  writeFileSync(path('raw.txt'), lines.join('\n'));
  const records = lines.filter(line => line !== '').map(text => JSON.stringify({ text }));
  writeFileSync(path('raw.ndjson'), `${records.join('\n')}\nno json\n`);
  const columns = lines
    .join(' ')
    .replace(/\s*([.!])\s*/g, ' $1\n')
    .trim()
    .split('\n')
    .map(sentence => sentence.split(' ').join(' X\n').concat(' X'));
  writeFileSync(path('raw.conll'), `${columns.join('\n\n')}\n`);
});

describe('tagstream word-clusters', () => {
  it('reads lines of text, and reports what was learned', async () => {
    const { code, stdout, stderr } = await tagstream(['word-clusters', path('raw.txt'), ...few]);
    expect(groups(stdout)).toEqual(expected);
    expect(stderr).toMatch(
      /^10 words \(72 tokens\) in 4 clusters, mutual information 1\.\d{4} nats, [\d.]+ s\n$/,
    );
    expect(code).toBe(0);
  });

  it('reads the standard input, gzip, NDJSON and CoNLL, and writes gzip', {
    tags: 'slow',
  }, async () => {
    writeFileSync(path('raw.gz'), gzipSync(lines.join('\n')));
    const packed = await tagstream([
      'word-clusters',
      path('raw.gz'),
      ...few,
      '--out',
      path('p.gz'),
    ]);
    expect(packed).toMatchObject({ code: 0, stdout: '' });
    const written = gunzipSync(readFileSync(path('p.gz'))).toString();
    expect(groups(written)).toEqual(expected);
    const stdin = await tagstream(['word-clusters', ...few], { stdin: lines.join('\r\n') });
    expect(stdin.stdout).toBe(written);
    const records = await tagstream(['word-clusters', path('raw.ndjson'), ...few, '--json']);
    expect(records.stdout).toBe(written);
    expect(records.stderr).toContain('raw.ndjson:10: ');
    const reported = JSON.parse(records.stderr.trimEnd().split('\n').at(-1)!) as object;
    expect(reported).toMatchObject({ words: 10, tokens: 72, clusters: 4 });
    const rows = await tagstream(['word-clusters', path('raw.conll'), ...few]);
    expect(rows).toMatchObject({ code: 0, stdout: written });
  });

  it('says so where it takes an unknown ending for text', async () => {
    const file = join(folder, 'lines.tsv');
    writeFileSync(file, 'a b\na c\n');
    const { stderr } = await tagstream([
      'word-clusters',
      file,
      '--classes',
      '2',
      '--min-count',
      '1',
    ]);
    expect(stderr).toContain('lines.tsv reads as plain text');
  });

  it('folds case, leaves rare words out and takes another tokenizer', async () => {
    const text = "Don't go. don't go. DON'T go. once";
    const given = ['word-clusters', '--classes', '2', '--min-count', '2'];
    const plain = await tagstream([...given, '--tokenizer', 'whitespace', '--fold'], {
      stdin: text,
    });
    expect(groups(plain.stdout).join(' ').split(' ').sort()).toEqual(["don't", 'go.']);
    const penn = await tagstream([...given, '--tokenizer', 'treebank', '--fold'], { stdin: text });
    expect(groups(penn.stdout).join(' ').split(' ').sort()).toEqual(['.', 'do', 'go', "n't"]);
  });

  it('makes files that a pipeline trains and tags with', { tags: 'slow' }, async () => {
    const words = toyRecords(60).map(line => (JSON.parse(line) as { tokens: string[] }).tokens);
    const stdin = words.map(tokens => tokens.join(' ')).join('\n');
    await tagstream(['word-clusters', ...few, '--out', path('toy.txt')], { stdin });
    const pipeline = toyPipeline(folder);
    const clusters = `stages.1.featurize.clusters.brown=${path('toy.txt')}`;
    const trained = await tagstream(['train', pipeline, '--set', clusters]);
    expect(trained).toMatchObject({ code: 0 });
    const input = `${toyRecords(50, false).join('\n')}\n`;
    const tag = ['tag', '--model', path('toy.model')];
    const one = await tagstream(tag, { stdin: input });
    writeFileSync(path('in.ndjson'), input);
    const two = await tagstream([...tag, path('in.ndjson'), '--workers', '2']);
    expect(two.stdout).toBe(one.stdout);
    const gold = toyRecords(50).map(line => (JSON.parse(line) as { tags: string[] }).tags);
    const tags = one.stdout.trim().split('\n');
    expect(tags.map(line => (JSON.parse(line) as { tags: string[] }).tags)).toEqual(gold);
  });

  it.each([
    [{ classes: 1 }, '--classes is 1 (give a whole number from 2 to 4096)'],
    [{ minCount: 0 }, '--min-count is 0 (give a whole number of at least 1)'],
    [{ minCount: 99 }, '0 occur at least 99 times'],
    [{ format: 'none' }, 'unknown format none'],
  ])('refuses %j', async (wrong, message) => {
    const usual = { inputs: [path('raw.txt')], out: path('none.txt'), classes: 4, minCount: 1 };
    await expect(clustersFromText({ ...usual, fold: false, ...wrong })).rejects.toThrow(message);
    expect(existsSync(path('none.txt'))).toBe(false);
  });

  it('reports the option that is wrong', async () => {
    const outcome = await tagstream(['word-clusters', path('raw.txt'), '--tokenizer', 'none']);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain('--tokenizer none: there is no such tokenizer or file');
    const other = await tagstream(['word-clusters', path('raw.txt'), '--locale', 'xx_YY']);
    expect(other).toMatchObject({ code: 2, stdout: '' });
    expect(other.stderr).toContain('--locale: "xx_YY" is not a language tag');
  });
});
