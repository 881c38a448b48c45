import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileServer, sha256 } from '../../runtime/io/download/file-server.js';
import { tagstream } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const server = await fileServer();
const body = Buffer.from('a X\nb Y\n\nno-row\n\nc X\n\nd Y\n\n');
server.files.set('/train', {
  body,
  breaks: [10],
  part: join(folder, 'corpora-data/toy/train.txt.part'),
});
const catalogue = join(folder, 'catalogue.yaml');
writeFileSync(
  catalogue,
  `version: 1
corpora:
  - name: toy
    task: pos
    language: en
    about: a toy corpus
    licence: research only
    restricted: true
    homepage: ${server.url}/home
    source: { conll: { columns: [form, tag] } }
    downloads:
      - { url: "${server.url}/train", file: train.txt, bytes: ${body.length}, sha256: ${sha256(body)} }
    splits:
      train: { file: train.txt, split: { every: 2, except: [1] } }
      dev: { file: train.txt, split: { every: 2, take: [1] } }
  - name: free
    task: pos
    language: en
    about: another
    licence: CC BY 4.0
    restricted: false
    homepage: ${server.url}/free
    source: { conll: { columns: [form, tag] } }
    downloads: [{ url: "${server.url}/train", file: free.txt, bytes: null, sha256: null }]
    splits: { train: { file: free.txt } }
`,
);
const run = (...given: string[]) =>
  tagstream(['corpora', ...given, '--catalogue', catalogue], {
    cwd: folder,
    env: { TAGSTREAM_CORPORA: '' },
  });

describe('tagstream corpora', () => {
  it('lists what there is', async () => {
    const { stdout } = await run('list');
    expect(stdout).toBe(
      [
        `toy   pos, en: a toy corpus\n      licence: research only\n      ${server.url}/home\n`,
        `free  pos, en: another\n      licence: CC BY 4.0\n      ${server.url}/free\n`,
        '      some files not verified: trusted on first fetch\n',
      ].join(''),
    );
    const shipped = await tagstream(['corpora', 'list', '--json']);
    const names = (JSON.parse(shipped.stdout) as { name: string }[]).map(({ name }) => name);
    expect(names).toContain('conll2000');
  });

  it('wants the licence accepted, then fetches over a broken connection', async () => {
    // Also where another corpus, named first, could be fetched.
    const refused = await run('fetch', 'free', 'toy');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('toy: licence: research only');
    expect(refused.stderr).toContain('add --accept-licence');
    expect(existsSync(join(folder, 'corpora-data'))).toBe(false);
    expect(server.requests).toEqual([]);
    const fetched = await run('fetch', 'toy', '--accept-licence');
    expect(fetched).toMatchObject({ code: 0, stdout: 'corpora-data/toy/train.txt\n' });
    expect(fetched.stderr).toContain('fetched, SHA-256 as in the catalogue');
    expect(readFileSync(join(folder, 'corpora-data/toy/train.txt')).equals(body)).toBe(true);
    expect(server.requests).toEqual(['/train', '/train bytes=10-']);
    const again = await run('fetch', 'toy', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ corpus: 'toy', files: [{ how: 'present' }] });
  });

  it('writes the parts as NDJSON, and reports what is no record', async () => {
    const { code, stdout, stderr } = await run(
      'convert',
      'toy',
      '--out',
      'made',
      '--accept-licence',
    );
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'made/toy/train.ndjson\nmade/toy/dev.ndjson\n',
    });
    expect(stderr).toContain('1 bad record (1 wrong-shape)');
    const part = (name: string) => readFileSync(join(folder, `made/toy/${name}.ndjson`), 'utf8');
    expect(part('train')).toBe(
      '{"tokens":["a","b"],"tags":["X","Y"]}\n{"tokens":["c"],"tags":["X"]}\n',
    );
    expect(part('dev')).toBe('{"tokens":["d"],"tags":["Y"]}\n');
  });

  it('knows no other names, and fetches nothing where one is wrong', async () => {
    const { code, stderr } = await run('fetch', 'toy', 'joy');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'the catalogue has no corpus joy (did you mean toy? known: toy, free)',
    );
    expect((await run()).code).toBe(2);
    expect((await tagstream(['corpora', 'burn'])).code).toBe(2);
  });
});
