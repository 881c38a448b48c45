import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Outcome, tagstreamProcess } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
let count = 0;

/** A cache of its own, where the compiled code lies in it, and a command that uses it. */
function cache() {
  count += 1;
  const place = join(folder, `cache-${count}`);
  const compiled = join(place, 'compiled');
  return {
    compiled,
    files: () => readdirSync(compiled).map(name => join(compiled, name)),
    run: (env = {}, args = ['--version']): Promise<Outcome> =>
      tagstreamProcess(args, { env: { TAGSTREAM_CACHE: place, ...env } }),
  };
}

const contents = (files: readonly string[]) => files.map(file => readFileSync(file, 'latin1'));
const numbers = (files: readonly string[]) => files.map(file => statSync(file).ino);

const works = { code: 0, stdout: '0.1.0\n', stderr: '' };
const day = 24 * 3600;

// Later versions have a cache of their own, which is taken there.
describe.skipIf('enableCompileCache' in nodeModule)('compiled code of the command', () => {
  it('is kept by the first run, and taken by the next', { tags: 'slow' }, async () => {
    const { run, files } = cache();
    expect(await run()).toEqual(works);
    const first = numbers(files());
    expect(first.length).toBeGreaterThan(0);
    expect(await run()).toEqual(works);
    // What is not taken is written anew, under another number.
    expect(numbers(files())).toEqual(first);
  });

  it('belongs to a command, which calls other functions than another', {
    tags: 'slow',
  }, async () => {
    const { run, files } = cache();
    await run();
    const first = files().length;
    expect((await run({}, ['convert', '--help'])).code).toBe(0);
    expect(files().length).toBeGreaterThan(first);
    const both = numbers(files());
    expect(await run()).toEqual(works);
    expect((await run({}, ['convert', '--help'])).code).toBe(0);
    expect(numbers(files())).toEqual(both);
  });

  it('is not kept for a word that is no command', { tags: 'slow' }, async () => {
    const { run, compiled } = cache();
    expect((await run({}, ['trian'])).code).toBe(2);
    expect(existsSync(compiled)).toBe(false);
  });

  it.each<[string, (content: Buffer) => Buffer]>([
    ['is cut off', content => content.subarray(0, content.length >> 1)],
    ['is empty', content => content.subarray(0, 0)],
    [
      'has zeros in it',
      content => Buffer.from(content).fill(0, content.length >> 1, content.length - 100),
    ],
    ['has one other bit', content => flipped(content, content.length >> 1)],
    ['is of another version of the engine', content => summed(flipped(content, 4))],
    ['has a right sum of nothing', () => Buffer.alloc(4)],
  ])('is made anew where a file of it %s', { tags: 'slow' }, async (_, broken) => {
    const { run, files } = cache();
    await run();
    for (const file of files()) writeFileSync(file, broken(readFileSync(file)));
    const before = numbers(files());
    expect(await run()).toEqual(works);
    expect(numbers(files())).not.toEqual(before);
    const mended = numbers(files());
    expect(await run()).toEqual(works);
    expect(numbers(files())).toEqual(mended);
  });

  it('is neither read from nor written to a folder that others can write to', {
    tags: 'slow',
  }, async () => {
    const { run, compiled, files } = cache();
    mkdirSync(compiled, { recursive: true });
    chmodSync(compiled, 0o777);
    expect(await run()).toEqual(works);
    expect(files()).toEqual([]);
    chmodSync(compiled, 0o755);
    await run();
    for (const file of files()) writeFileSync(file, 'not read');
    chmodSync(compiled, 0o775);
    expect(await run()).toEqual(works);
    expect(new Set(contents(files()))).toEqual(new Set(['not read']));
  });

  it('is private: nobody else can read or write it', async () => {
    const { run, compiled } = cache();
    await run();
    expect(statSync(compiled).mode & 0o777).toBe(0o700);
  });

  it('goes after a month', { tags: 'slow' }, async () => {
    const { run, compiled, files } = cache();
    await run();
    const old = join(compiled, 'of-a-program-before');
    writeFileSync(old, '');
    utimesSync(old, Date.now() / 1000 - 31 * day, Date.now() / 1000 - 31 * day);
    const [main] = files().filter(file => file !== old);
    writeFileSync(main!, '');
    await run();
    expect(existsSync(old)).toBe(false);
    expect(existsSync(main!)).toBe(true);
  });

  it('is not kept where no folder can be made, at once', { tags: 'slow' }, async () => {
    const { run } = cache();
    for (const place of [
      '/proc/nowhere',
      '/dev/null',
      join(folder, 'no', 'such', 'home', 'cache'),
    ]) {
      expect(await run({ TAGSTREAM_CACHE: place })).toEqual(works);
      expect(existsSync(place)).toBe(place === '/dev/null');
    }
  });

  it('is not kept where the process runs because variables are empty', {
    tags: 'slow',
  }, async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    for (const variable of ['TAGSTREAM_CACHE', 'XDG_CACHE_HOME', 'HOME']) {
      const env = { TAGSTREAM_CACHE: '', XDG_CACHE_HOME: join(folder, 'users'), [variable]: '' };
      expect(await tagstreamProcess(['--version'], { cwd: empty, env })).toEqual(works);
    }
    expect(readdirSync(empty)).toEqual([]);
    expect(existsSync(join(folder, 'users/tagstream/compiled'))).toBe(true);
  });

  it('is not kept where the cache cannot be written, or is turned off', {
    tags: 'slow',
  }, async () => {
    const { run, compiled } = cache();
    expect(await run({ NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual(works);
    expect(existsSync(compiled)).toBe(false);
    writeFileSync(join(folder, 'a-file'), '');
    expect(await run({ TAGSTREAM_CACHE: join(folder, 'a-file') })).toEqual(works);
  });
});

function flipped(content: Buffer, place: number): Buffer {
  const other = Buffer.from(content);
  other[place]! ^= 1;
  return other;
}

/** With the sum that belongs to it. */
function summed(content: Buffer): Buffer {
  const { crc32 } = process.getBuiltinModule('node:zlib');
  content.writeUInt32LE(crc32(content.subarray(0, -4)), content.length - 4);
  return content;
}
