import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type FetchOptions,
  fetchCorpus,
} from '../../../../src/runtime/pipeline/corpora/fetch-corpus.js';
import {
  type Corpus,
  catalogueSchema,
} from '../../../../src/runtime/pipeline/corpora/read-catalogue.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { zipArchive } from '../../../formats/reading/zip-archive.js';
import { fileServer, sha256 } from '../../io/download/file-server.js';

const server = await fileServer();
const directory = join(workspace(), 'all');
const train = Buffer.from('a X\nb Y\n\n');
const test = Buffer.from('c X\n\n');
const archive = zipArchive({ 'in/train.txt': String(train), 'in/test.txt': String(test) });

beforeEach(() => {
  rmSync(directory, { recursive: true, force: true });
  server.requests.length = 0;
  server.files.set('/train', { body: train });
  server.files.set('/all.zip', { body: archive });
});

/** A corpus of the catalogue with some downloads. */
function corpus(downloads: unknown[], more: Record<string, unknown> = {}): Corpus {
  const entry = {
    name: 'toy',
    task: 'pos',
    language: 'en',
    about: 'a toy',
    licence: 'free',
    restricted: false,
    homepage: `${server.url}/home`,
    source: { conll: { columns: ['form', 'tag'] } },
    downloads,
    splits: { train: { file: 'train.txt' } },
    ...more,
  };
  return catalogueSchema.parse({ version: 1, corpora: [entry] }).corpora[0]!;
}

const plain = (digest: string | null = sha256(train)) =>
  corpus([{ url: `${server.url}/train`, file: 'train.txt', bytes: train.length, sha256: digest }]);
const unverified = () => plain(null);
const fetched = (item: Corpus, options: Partial<FetchOptions> = {}) =>
  fetchCorpus(item, { directory, pause: 1, retries: 0, ...options });
const path = (name: string) => join(directory, 'toy', name);

describe('fetchCorpus', () => {
  it('fetches what is not there, and checks what is', async () => {
    const first = await fetched(plain());
    const file = { path: path('train.txt'), bytes: train.length, sha256: sha256(train) };
    expect(first).toEqual([{ ...file, how: 'fetched', checkedBy: 'catalogue' }]);
    expect(await fetched(plain())).toEqual([{ ...file, how: 'present', checkedBy: 'catalogue' }]);
    expect(server.requests).toEqual(['/train']);
    expect(readdirSync(join(directory, 'toy'))).toEqual(['train.txt']);
    expect(readdirSync(directory)).toEqual(['toy']);
    writeFileSync(path('train.txt'), 'changed');
    await expect(fetched(plain())).rejects.toThrow(/train\.txt: its SHA-256 is .* \(move it away/);
  });

  it('takes the files of a corpus out of an archive', async () => {
    const members = [
      { member: 'in/train.txt', file: 'train.txt', bytes: train.length, sha256: sha256(train) },
      { member: 'in/test.txt', file: 'test.txt', bytes: test.length, sha256: sha256(test) },
    ];
    const download = {
      url: `${server.url}/all.zip`,
      bytes: archive.length,
      sha256: sha256(archive),
    };
    const files = await fetched(corpus([{ ...download, members }]));
    expect(files.map(({ how, checkedBy }) => [how, checkedBy])).toEqual([
      ['fetched', 'catalogue'],
      ['fetched', 'catalogue'],
    ]);
    expect(readFileSync(path('test.txt')).equals(test)).toBe(true);
    expect(readdirSync(join(directory, 'toy')).sort()).toEqual(['test.txt', 'train.txt']);
    rmSync(path('test.txt'));
    await fetched(corpus([{ ...download, members }]));
    expect(existsSync(path('test.txt'))).toBe(true);
    const wrong = [{ ...members[0]!, file: 'other.txt', sha256: 'b'.repeat(64) }];
    const splits = { splits: { train: { file: 'other.txt' } } };
    await expect(fetched(corpus([{ ...download, members: wrong }], splits))).rejects.toThrow(
      'the SHA-256 of in/train.txt is',
    );
    expect(existsSync(path('other.txt'))).toBe(false);
  });

  it('pins what nobody has verified at its first fetch', async () => {
    const [first] = await fetched(unverified());
    expect(first).toMatchObject({ how: 'fetched', checkedBy: 'nothing', sha256: sha256(train) });
    const lock = JSON.parse(readFileSync(join(directory, 'corpora.lock.json'), 'utf8')) as unknown;
    expect(lock).toEqual({
      [`${server.url}/train`]: { sha256: sha256(train), bytes: train.length },
    });
    expect((await fetched(unverified()))[0]).toMatchObject({ how: 'present', checkedBy: 'lock' });
    rmSync(path('train.txt'));
    expect((await fetched(unverified()))[0]).toMatchObject({ how: 'fetched', checkedBy: 'lock' });
    rmSync(path('train.txt'));
    server.files.set('/train', { body: Buffer.from('z X\nb Y\n\n') });
    await expect(fetched(unverified())).rejects.toThrow(`expected ${sha256(train)}`);
    expect(existsSync(path('train.txt'))).toBe(false);
    writeFileSync(join(directory, 'corpora.lock.json'), '{"x": 1}');
    await expect(fetched(unverified())).rejects.toThrow('the file does not list digests of files');
  });

  it('leaves what is there without a digest as it is, and says so', async () => {
    mkdirSync(join(directory, 'toy'), { recursive: true });
    writeFileSync(path('train.txt'), 'mine');
    const [file] = await fetched(unverified());
    expect(file).toMatchObject({
      how: 'present',
      checkedBy: 'nothing',
      sha256: sha256(Buffer.from('mine')),
    });
    expect(server.requests).toEqual([]);
  });

  it('wants the licence accepted before anything is fetched, not where all is there', async () => {
    const restricted = { ...plain(), restricted: true, licence: 'research only' };
    await expect(fetched(restricted)).rejects.toThrow(
      /the licence of toy restricts its use: research only \(if it allows your use, add --accept-licence; see /,
    );
    expect(server.requests).toEqual([]);
    expect(await fetched(restricted, { acceptLicence: true })).toHaveLength(1);
    expect(await fetched(restricted)).toHaveLength(1);
  });

  it('reports how far it is', async () => {
    const steps: unknown[] = [];
    await fetched(plain(), { onProgress: (...step) => steps.push(step) });
    expect(steps.at(-1)).toEqual(['train.txt', train.length, train.length]);
  });
});
