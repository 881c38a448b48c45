// @module-tag slow
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { tagstream } from '../commands/run-command.js';
import { toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const names = ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gus', 'Hal'];
const towns = ['Oslo', 'Bath', 'Rome', 'Kyiv', 'Bonn', 'Lyon'];

/** Sentences with a person and a town, which nothing but the word tells from each other. */
const spans = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const [name, town] = [names[i % names.length]!, towns[(i * 5) % towns.length]!];
    const tokens = i % 2 === 0 ? [name, 'likes', town, '.'] : [town, 'likes', name, '.'];
    const tags = i % 2 === 0 ? ['B-PER', 'O', 'B-LOC', 'O'] : ['B-LOC', 'O', 'B-PER', 'O'];
    return JSON.stringify({ tokens, tags });
  });

const best = (...given: string[]) => tagstream(['init', ...given, '--best'], { cwd: folder });

describe('tagstream init --best', () => {
  it('prints what each trial gains, and writes the pipeline that won', async () => {
    writeFileSync(join(folder, 'spans.ndjson'), `${spans(60).join('\n')}\n`);
    const { code, stderr } = await best('spans.ndjson', '--out', 'won.yaml', '--task', 'ner');
    expect(code).toBe(0);
    expect(stderr).toMatch(/\ntrial +F1 +deviation +gain +chance +seconds\nplain +[\d.]+ +[\d.]+ /);
    for (const name of ['seen', 'document', 'bioes', 'margin, cost 3', 'dropout']) {
      expect(stderr).toMatch(new RegExp(`\\n\\+ ${name} +[\\d.]+ +[\\d.]+ +[-+]?[\\d.]+ `));
    }
    const text = readFileSync(join(folder, 'won.yaml'), 'utf8');
    const kept = [...stderr.matchAll(/\n\+ ([\w ,]+?) +\d[^\n]*kept/g)].map(([, name]) => name);
    expect(text.includes('%seen[0,0]')).toBe(kept.includes('seen'));
    expect(text.includes('%document[0,0,case]')).toBe(kept.includes('document'));
    expect(text.includes('encode: bioes')).toBe(kept.includes('bioes'));
    expect(loadPipeline(join(folder, 'won.yaml')).trains).toBe(true);
  });

  it('gives the same table for any number of workers', async () => {
    writeFileSync(join(folder, 'toy.ndjson'), `${toyRecords(60).join('\n')}\n`);
    const figures = async (workers: string) => {
      const out = `toy-${workers}.yaml`;
      const { stderr } = await best('toy.ndjson', '--out', out, '--workers', workers);
      const rows = [...stderr.matchAll(/\n(plain|\+ \w+) +([\d.]+ +[\d.]+)/g)];
      return rows.map(([, name, scores]) => `${name} ${scores}`);
    };
    const [one, two] = [await figures('1'), await figures('2')];
    expect(one).toHaveLength(4);
    expect(two).toEqual(one);
  });

  it('says what there was no time for, and writes the plain pipeline', async () => {
    const { code, stderr } = await best('toy.ndjson', '--out', 'short.yaml', '--minutes', '1e-6');
    expect(code).toBe(0);
    expect(stderr).toMatch(/\nplain +not tried\n\+ seen +not tried\n/);
    expect(stderr).toContain('no trial finished in time: wrote the plain pipeline');
    const plain = await tagstream(['init', 'toy.ndjson', '--out', '-'], { cwd: folder });
    const expected = plain.stdout.replace(/toy-pos/g, 'short');
    expect(readFileSync(join(folder, 'short.yaml'), 'utf8')).toBe(expected);
  });

  it('learns clusters from raw text beside the pipeline, kept if they won', async () => {
    const text = toyRecords(60).map(line => (JSON.parse(line) as { tokens: string[] }).tokens);
    writeFileSync(join(folder, 'raw.txt'), text.map(tokens => tokens.join(' ')).join('\n'));
    const given = ['toy.ndjson', '--raw-text', 'raw.txt', '--out'];
    const { code, stderr } = await best(...given, 'raw.yaml');
    expect(code).toBe(0);
    expect(stderr).toMatch(/\n\+ clusters +[\d.]+ /);
    const written = readFileSync(join(folder, 'raw.yaml'), 'utf8');
    expect(existsSync(join(folder, 'raw.clusters.txt'))).toBe(
      written.includes('raw: { file: "raw.clusters.txt" }'),
    );
    expect(await best(...given, '-')).toMatchObject({ code: 2 });
    const alone = await tagstream(['init', ...given, 'alone.yaml'], { cwd: folder });
    expect(alone.code, alone.stderr).toBe(0);
    expect(readFileSync(join(folder, 'alone.yaml'), 'utf8')).toContain(
      'raw: { file: "alone.clusters.txt" }',
    );
    expect(existsSync(join(folder, 'alone.clusters.txt'))).toBe(true);
  });

  it('tries a first model where spans are of documents, and writes its pipeline if it won', async () => {
    // The second sentence of a document says the type of the name, which the first has too.
    const lines = Array.from({ length: 45 }, (_, d) => {
      const [name, type] = [`N${(d * 7) % 1000}`, d % 3 === 0 ? 'PER' : 'LOC'];
      return ['so', type === 'PER' ? 'Mr' : 'in'].map(before =>
        JSON.stringify({
          ...{ document: `d${d}`, tokens: [before, name, '.'] },
          tags: ['O', `B-${type}`, 'O'],
        }),
      );
    });
    writeFileSync(join(folder, 'documents.ndjson'), `${lines.flat().join('\n')}\n`);
    const given = ['documents.ndjson', '--task', 'ner', '--out'];
    const { code, stderr } = await best(...given, 'stacked.yaml');
    expect(code).toBe(0);
    expect(stderr).toMatch(/\n\+ first model +[\d.]+ [^\n]*kept/);
    const first = loadPipeline(join(folder, 'stacked.first.yaml'));
    expect([first.name, first.model]).toEqual(['stacked-first', 'stacked-first.model']);
    const trained = await tagstream(['train', 'stacked.yaml'], { cwd: folder });
    expect(trained.stderr).toContain('test: F1 100.00');
    // It would be replaced.
    rmSync(join(folder, 'stacked.yaml'));
    expect(await best(...given, 'stacked.yaml')).toMatchObject({ code: 2 });
    const late = await best(...given, 'late.yaml', '--minutes', '0.0001');
    expect(late.stderr).toMatch(/\n\+ first model +not tried/);
    expect(existsSync(join(folder, 'late.first.yaml'))).toBe(false);
  });

  it('refuses a time that is none', async () => {
    const { code, stderr } = await best('toy.ndjson', '--out', 'none.yaml', '--minutes', '0');
    expect(code).toBe(2);
    expect(stderr).toContain('--minutes is 0 (give more than 0)');
    expect(existsSync(join(folder, 'none.yaml'))).toBe(false);
  });
});
