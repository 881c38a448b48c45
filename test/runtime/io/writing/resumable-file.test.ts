import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type {
  OutputNote,
  OutputNotes,
  OutputState,
} from '../../../../src/runtime/io/writing/output-place.js';
import { ResumableFile } from '../../../../src/runtime/io/writing/resumable-file.js';

let directory = '';
let path = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
  path = join(directory, 'out');
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (file: ResumableFile, text: string) =>
  new Promise(resolve => file.write(text, resolve));

/** Notes as a run keeps them in its folder of checkpoints. */
function memory(): OutputNotes {
  let noted: OutputNote | undefined;
  return {
    read: () => noted && (JSON.parse(JSON.stringify(noted)) as unknown),
    write: note => {
      noted = note;
    },
    clear: () => {
      noted = undefined;
    },
    close: () => undefined,
  };
}

describe('ResumableFile', () => {
  it('grows beside its name, which it gets with commit', async () => {
    const file = new ResumableFile(path);
    expect(await write(file, 'grün\n')).toBeUndefined();
    expect([file.bytes, existsSync(path)]).toEqual([6, false]);
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('grün\n');
    await file.commit();
    expect(readFileSync(path, 'utf8')).toBe('grün\n');
    expect(existsSync(`${path}.part`)).toBe(false);
  });

  it('is cut back to where it resumes from', async () => {
    const first = new ResumableFile(path);
    await write(first, 'one\ntwo\nthr');
    await first.abort();
    const second = new ResumableFile(path, { from: { bytes: 4 } });
    await write(second, 'TWO\n');
    await second.commit();
    expect(readFileSync(path, 'utf8')).toBe('one\nTWO\n');
  });

  it('refuses what cannot be cut back', () => {
    expect(() => new ResumableFile(`${path}.gz`)).toThrowError('cannot be resumed');
    expect(() => new ResumableFile('/dev/null')).toThrowError('cannot be resumed');
    const rotation = { bytes: 9 };
    expect(() => new ResumableFile(`${path}.gz`, { rotation })).toThrowError('cannot be rotated');
    expect(() => new ResumableFile(join(directory, 'no/out'))).toThrowError('no such file');
  });

  it.runIf(existsSync('/dev/full'))('hands on what the system refuses', async () => {
    const file = new ResumableFile(path);
    await file.abort();
    expect(await write(file, 'x')).toMatchObject({ code: 'EBADF' });
  });
});

/** All files of the folder that are not locks, with their content. */
const files = () =>
  Object.fromEntries(
    readdirSync(directory)
      .filter(name => !name.startsWith('.'))
      .sort()
      .map(name => [name, readFileSync(join(directory, name), 'utf8')]),
  );

/** What other programs do with a file while it grows. */
const disturbances: Record<string, () => void> = {
  'rename, no new file': () => renameSync(`${path}.part`, `${path}.part.1`),
  'rename, create': () => {
    renameSync(`${path}.part`, `${path}.part.1`);
    writeFileSync(`${path}.part`, '');
  },
  copytruncate: () => {
    copyFileSync(`${path}.part`, `${path}.part.1`);
    truncateSync(`${path}.part`);
  },
};

describe.each(Object.entries(disturbances))('after %s', (_, disturb) => {
  it('continues in a file of the same name', async () => {
    const file = new ResumableFile(path);
    await write(file, 'one\n');
    disturb();
    await write(file, 'two\n');
    expect(files()).toEqual({ 'out.part': 'two\n', 'out.part.1': 'one\n' });
    await file.commit();
    expect(files()).toEqual({ out: 'two\n', 'out.part.1': 'one\n' });
  });

  it.each(['before', 'between', 'after'])(
    'leaves out what is in the other file, with a state from %s the last record of it',
    async when => {
      const first = new ResumableFile(path);
      await write(first, 'one\n');
      let { state } = first;
      await write(first, 'two\n');
      if (when !== 'before') state = first.state;
      if (when !== 'after') await write(first, 'three\n');
      disturb();
      if (when === 'between') await write(first, 'four\n');
      await first.abort();
      const found: (string | undefined)[] = [];
      const onMoved = (_part: string, to: string | undefined) => found.push(to);
      const second = new ResumableFile(path, { from: state, onMoved });
      expect(found).toEqual([`${path}.part.1`]);
      const all = 'one\ntwo\nthree\nfour\n';
      for (const line of all.slice(state.bytes).split(/(?<=\n)/)) await write(second, line);
      await second.commit();
      const now = files();
      expect(`${now['out.part.1']}${now.out}`).toBe(all);
    },
  );

  it('resumes from a state that it noted while it left out results', async () => {
    const notes = memory();
    const first = new ResumableFile(path, { notes });
    await write(first, 'one\n');
    const { state } = first;
    await write(first, 'two\nthree\n');
    disturb();
    await first.abort();
    const second = new ResumableFile(path, { from: state, notes });
    await write(second, 'two\n');
    const between = second.state;
    await second.abort();
    const third = new ResumableFile(path, { from: between, notes });
    await write(third, 'three\nfour\n');
    await third.commit();
    expect(files()).toEqual({ out: 'four\n', 'out.part.1': 'one\ntwo\nthree\n' });
  });
});

describe('a file that is gone', () => {
  it('is followed by an empty one, which is reported', async () => {
    const first = new ResumableFile(path);
    await write(first, 'one\n');
    rmSync(`${path}.part`);
    await write(first, 'two\n');
    const { state } = first;
    await first.abort();
    expect(files()).toEqual({ 'out.part': 'two\n' });
    rmSync(`${path}.part`);
    const onMoved = vi.fn();
    const second = new ResumableFile(path, { from: state, onMoved });
    expect(onMoved).toHaveBeenCalledWith(`${path}.part`, undefined);
    await write(second, 'three\n');
    await second.commit();
    expect(files()).toEqual({ out: 'three\n' });
  });

  it('whose results differ from those that are produced again loses none', async () => {
    const first = new ResumableFile(path);
    await write(first, 'one\n');
    const { state } = first;
    await write(first, 'two\nthree\n');
    renameSync(`${path}.part`, `${path}.1`);
    await first.abort();
    const second = new ResumableFile(path, { from: state });
    await write(second, 'two\nTHREE\n');
    await second.commit();
    expect(files()).toEqual({ out: 'THREE\n', 'out.1': 'one\ntwo\nthree\n' });
  });
});

describe('a rotated output', () => {
  const options = { rotation: { bytes: 8 }, recordEnd: '\n' };

  it('is a series of files of whole records with their final names', async () => {
    path = join(directory, 'out.ndjson');
    const file = new ResumableFile(path, options);
    await write(file, 'one\ntwo\nthree\n');
    await write(file, 'longer than eight\nsix\n');
    expect(Object.keys(files())).toEqual([
      ...['out.000001.ndjson', 'out.000002.ndjson', 'out.000003.ndjson'],
      'out.000004.ndjson.part',
    ]);
    await file.commit();
    expect(Object.values(files())).toEqual([
      ...['one\ntwo\n', 'three\n', 'longer than eight\n', 'six\n'],
    ]);
    const next = new ResumableFile(path, options);
    await write(next, 'new\n');
    await next.commit();
    expect(files()['out.000005.ndjson']).toBe('new\n');
  });

  it('resumes from each state that it had, without a line lost or doubled', async () => {
    const lines = Array.from({ length: 7 }, (_, i) => `${'x'.repeat(i % 5)}${i}\n`);
    for (let at = 0; at <= lines.length; at += 1) {
      for (let end = at; end <= lines.length; end += 1) {
        const notes = memory();
        const first = new ResumableFile(path, { ...options, notes });
        for (const line of lines.slice(0, at)) await write(first, line);
        const { state } = first;
        await write(first, lines.slice(at, end).join(''));
        await first.abort();
        const second = new ResumableFile(path, { ...options, notes, from: state });
        for (let next = at; next < lines.length; next += 2) {
          await write(second, lines.slice(next, next + 2).join(''));
        }
        await second.commit();
        expect(Object.values(files()).join(''), `${at} ${end}`).toBe(lines.join(''));
        expect(Object.values(files()).every(text => text.length <= 8)).toBe(true);
        for (const name of Object.keys(files())) rmSync(join(directory, name));
      }
    }
  });

  it('takes over the file of a run that was not rotated', async () => {
    const first = new ResumableFile(path);
    await write(first, 'one\n');
    const { state } = first;
    await write(first, 'two\n');
    await first.abort();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const next = new ResumableFile(path, { ...options, from: state });
      await write(next, 'two\nthree\n');
      await next.abort();
    }
    expect(files()).toEqual({ 'out.000001': 'one\ntwo\n', 'out.000002.part': 'three\n' });
  });

  it('closes files by time, also while no record comes', async () => {
    vi.useFakeTimers({ now: 1e12 });
    try {
      const file = new ResumableFile(path, { rotation: { seconds: 10 }, recordEnd: '\n' });
      await write(file, 'one\n');
      vi.advanceTimersByTime(9000);
      await write(file, 'two\n');
      expect(Object.keys(files())).toEqual(['out.000001.part']);
      vi.advanceTimersByTime(2000);
      expect(files()).toEqual({ 'out.000001': 'one\ntwo\n', 'out.000002.part': '' });
      vi.advanceTimersByTime(100_000);
      expect(Object.keys(files())).toHaveLength(2);
      await file.commit();
      expect(files()).toEqual({ 'out.000001': 'one\ntwo\n' });
    } finally {
      vi.useRealTimers();
    }
  });
});

const runs = process.env.TAGSTREAM_FULL === '1' ? 2000 : 30;

describe('a run that is killed and resumed', () => {
  const options = { recordEnd: '\n' };
  const lines = Array.from({ length: 60 }, (_, i) => `${'x'.repeat((i * 7) % 23)}${i}\n`);

  it.each([
    ['of one file', undefined],
    ['of a series', { bytes: 60 }],
  ])(
    'has each line of an output once, %s, whatever was done to it',
    async (_, rotation) => {
      for (let seed = 0; seed < runs; seed += 1) {
        const random = new Random(seed);
        const notes = memory();
        const shipped: string[] = [];
        const done: string[] = [];
        const open = (from?: OutputState) =>
          new ResumableFile(path, { ...options, rotation, notes, from });
        let file = open();
        let saved = { at: 0, state: file.state };
        let at = 0;
        let moved = 0;
        /** Files that the run knows to be gone. */
        let known: string[] = [];
        const put = async (count: number) => {
          await write(file, lines.slice(at, at + count).join(''));
          at = Math.min(lines.length, at + count);
          known = Object.keys(files()).filter(name => !name.endsWith('.part'));
        };
        const acts: Record<string, () => Promise<void> | void> = {
          write: () => put(1 + random.below(4)),
          'write more': () => put(1 + random.below(9)),
          checkpoint: () => {
            file.sync();
            saved = { at, state: JSON.parse(JSON.stringify(file.state)) as OutputState };
          },
          move: () => {
            if (!existsSync(file.part)) return;
            moved += 1;
            renameSync(file.part, join(directory, `out.${moved}`));
            if (random.below(2) === 0) writeFileSync(file.part, '');
          },
          copytruncate: () => {
            if (!existsSync(file.part)) return;
            moved += 1;
            copyFileSync(file.part, join(directory, `out.${moved}`));
            truncateSync(file.part);
          },
          ship: () => {
            for (const name of known) {
              shipped.push(readFileSync(join(directory, name), 'utf8'));
              rmSync(join(directory, name));
            }
            known = [];
          },
          kill: async () => {
            // A write of which the system has taken a part.
            const half = lines[at] ?? '';
            if (random.below(2) === 0) await write(file, half.slice(0, half.length >> 1));
            await file.abort();
            if (random.below(4) === 0) acts.move!();
            file = open(saved.state);
            at = saved.at;
          },
        };
        const names = Object.keys(acts);
        for (let step = 0; step < 40; step += 1) {
          const name = names[random.below(names.length)]!;
          done.push(name);
          await acts[name]!();
        }
        await put(lines.length);
        await file.commit();
        const all = [...shipped, ...Object.values(files())];
        const found = all.flatMap(text => text.split(/(?<=\n)/)).filter(text => text !== '');
        expect(found.sort(), `${seed}: ${done.join(', ')}`).toEqual([...lines].sort());
        for (const name of Object.keys(files())) rmSync(join(directory, name));
      }
    },
    120_000,
  );
});
