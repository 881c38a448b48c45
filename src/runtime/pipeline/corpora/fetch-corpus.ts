import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { TagstreamError } from '../../../engine/core/errors.js';
import { errnoOf, fileError } from '../../../formats/files/file-error.js';
import { contentDigest } from '../../../formats/files/node-parts.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';
import { zipMember } from '../../../formats/reading/zip-member.js';
import { lockDirectory } from '../../io/checkpoints/directory.js';
import { download, fileDigest } from '../../io/download/download.js';
import type { Downloaded, DownloadOptions } from '../../io/download/transfer.js';
import { atomicWrite } from '../../io/writing/atomic-write.js';
import { archiveName, type Corpus, type CorpusDownload } from './read-catalogue.js';

/** How to fetch a corpus. */
export interface FetchOptions extends Pick<DownloadOptions, 'retries' | 'pause' | 'patience'> {
  /** Folder of all corpora; the files of this one go to a subfolder with its name. */
  readonly directory: string;
  /** Whether the terms of a restricted corpus are accepted. */
  readonly acceptLicence?: boolean | undefined;
  readonly onProgress?:
    | ((file: string, received: number, total: number | undefined) => void)
    | undefined;
}

/** A file of a corpus that is now available. */
export interface FetchedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Whether it was `fetched` now or `present` before. */
  readonly how: 'fetched' | 'present';
  /** What it was checked against: the catalogue, the lock of an earlier fetch, or nothing yet. */
  readonly checkedBy: 'catalogue' | 'lock' | 'nothing';
}

/**
 * Fetches the missing files of a corpus, and checks all of them.
 *
 * @throws TagstreamError `usage` if its licence has to be accepted, `file` for a file that cannot be fetched, or
 *   differs from the catalogue or an earlier fetch
 */
export async function fetchCorpus(corpus: Corpus, options: FetchOptions): Promise<FetchedFile[]> {
  const folder = join(options.directory, corpus.name);
  // Existing files may be in a read-only folder.
  if (isPresent(corpus, options.directory)) return present(corpus, folder, options);
  requireLicence(corpus, options);
  const lock = lockDirectory(folder, 'the folder');
  try {
    const fetched: FetchedFile[] = [];
    for (const item of corpus.downloads) fetched.push(...(await fetchOne(item, folder, options)));
    return fetched;
  } finally {
    lock.release();
  }
}

/** Returns whether all files of a corpus are present. */
export function isPresent({ name, downloads }: Corpus, directory: string): boolean {
  return downloads.flatMap(filesOf).every(file => existsSync(join(directory, name, file)));
}

/**
 * Refuses to fetch a corpus whose terms have not been accepted.
 *
 * @throws TagstreamError `usage`
 */
export function requireLicence(
  corpus: Corpus,
  { directory, acceptLicence }: Pick<FetchOptions, 'directory' | 'acceptLicence'>,
): void {
  const { name, licence, homepage, restricted } = corpus;
  if (!restricted || acceptLicence === true || isPresent(corpus, directory)) return;
  throw new TagstreamError('usage', `the licence of ${name} restricts its use: ${licence}`, {
    fix: `if it allows your use, add --accept-licence; see ${homepage}`,
  });
}

/**
 * Returns the paths of the files that a fetch writes to the folder of all corpora.
 *
 * @example
 * fetchedFiles({ name: 'a', downloads: [] }, 'corpora') // => ['corpora/corpora.lock.json']
 */
export function fetchedFiles(
  { name, downloads }: Pick<Corpus, 'name' | 'downloads'>,
  directory: string,
): string[] {
  const files = downloads.flatMap(filesOf).map(file => join(directory, name, file));
  return [...files, new DigestLock(directory).path];
}

function filesOf({ file, members }: CorpusDownload): string[] {
  return file === undefined ? members!.map(member => member.file) : [file];
}

async function present(
  corpus: Corpus,
  folder: string,
  { directory }: FetchOptions,
): Promise<FetchedFile[]> {
  const lock = new DigestLock(directory);
  const checked: FetchedFile[] = [];
  for (const item of corpus.downloads) {
    for (const file of filesOf(item))
      checked.push(await check(item, join(folder, file), file, lock));
  }
  return checked;
}

/** Compares a present file with its expected digest. */
async function check(
  item: CorpusDownload,
  path: string,
  file: string,
  lock: DigestLock,
): Promise<FetchedFile> {
  const found = await fileDigest(path);
  const member = item.members?.find(one => one.file === file);
  const known = member?.sha256 ?? item.sha256 ?? undefined;
  const expected = known ?? lock.get(item.url)?.sha256;
  if (expected !== undefined && found.sha256 !== expected) {
    throw new TagstreamError('file', `its SHA-256 is ${found.sha256}, expected ${expected}`, {
      place: { source: path },
      fix: 'move it away to download it again',
    });
  }
  const checkedBy = known !== undefined ? 'catalogue' : expected !== undefined ? 'lock' : 'nothing';
  return { path, ...found, how: 'present', checkedBy };
}

async function fetchOne(
  item: CorpusDownload,
  folder: string,
  options: FetchOptions,
): Promise<FetchedFile[]> {
  const lock = new DigestLock(options.directory);
  const files = filesOf(item);
  if (files.every(file => existsSync(join(folder, file)))) {
    return Promise.all(files.map(file => check(item, join(folder, file), file, lock)));
  }
  const locked = item.sha256 === null ? lock.get(item.url) : undefined;
  const name = item.file ?? archiveName(item.url);
  const target = join(folder, name);
  const { retries, pause, patience, onProgress } = options;
  const found = await download({
    url: item.url,
    target,
    sha256: item.sha256 ?? locked?.sha256,
    bytes: item.bytes ?? locked?.bytes,
    ...{ retries, pause, patience },
    onProgress: (received, total) => onProgress?.(name, received, item.bytes ?? total),
  });
  if (item.sha256 === null && locked === undefined) lock.set(item.url, found);
  if (item.members === undefined) {
    const checkedBy =
      item.sha256 !== null ? 'catalogue' : locked === undefined ? 'nothing' : 'lock';
    return [{ path: target, ...found, how: 'fetched', checkedBy }];
  }
  const unpacked = item.members.map(member => unpack(member, target, folder));
  rmSync(target, { force: true });
  return unpacked;
}

type Member = NonNullable<CorpusDownload['members']>[number];

function unpack(
  { member, file, bytes: size, sha256 }: Member,
  archive: string,
  folder: string,
): FetchedFile {
  const bytes = zipMember(readBytes(archive), member, archive, size);
  const found: Downloaded = {
    sha256: contentDigest([bytes]).slice('sha256:'.length),
    bytes: bytes.length,
  };
  if (found.sha256 !== sha256) {
    throw new TagstreamError(
      'file',
      `the SHA-256 of ${member} is ${found.sha256}, expected ${sha256}`,
      {
        place: { source: archive },
        fix: 'the catalogue is wrong: please report it',
      },
    );
  }
  const path = join(folder, file);
  atomicWrite(path, bytes);
  return { path, ...found, how: 'fetched', checkedBy: 'catalogue' };
}

const lockSchema = z.record(
  z.string(),
  z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().min(0) }),
);

/**
 * The digests that unverified files had when first fetched, by address, in `corpora.lock.json`: later fetches must
 * match.
 */
class DigestLock {
  readonly path: string;

  constructor(directory: string) {
    this.path = join(directory, 'corpora.lock.json');
  }

  /** @throws TagstreamError `config` if the file is damaged, `file` if it cannot be read */
  get(url: string): Downloaded | undefined {
    const all = this.#read();
    return Object.hasOwn(all, url) ? all[url] : undefined;
  }

  set(url: string, found: Downloaded): void {
    const all = { ...this.#read(), [url]: found };
    const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
    atomicWrite(this.path, `${JSON.stringify(sorted, null, 2)}\n`);
  }

  #read(): z.output<typeof lockSchema> {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (cause) {
      if (errnoOf(cause) === 'ENOENT') return {};
      throw fileError('read', this.path, cause);
    }
    try {
      return lockSchema.parse(JSON.parse(text));
    } catch (cause) {
      throw new TagstreamError('config', 'the file does not list digests of files', {
        place: { source: this.path },
        fix: 'undo the change, or delete it to accept the files as you download them next',
        cause,
      });
    }
  }
}
