import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type FileWatch, watchFile } from '../../../src/formats/reading/watch-file.js';

const folders: string[] = [];
const watches: FileWatch[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A watched file `it` in a folder of its own. */
function watched(
  prepare: (folder: string) => void = folder => writeFileSync(join(folder, 'it'), ''),
) {
  const folder = mkdtempSync(join(tmpdir(), 'tagstream-'));
  folders.push(folder);
  prepare(folder);
  let reported = 0;
  let wake: (() => void) | undefined;
  watches.push(
    watchFile(join(folder, 'it'), {
      onReplaced: () => {
        reported += 1;
        wake?.();
      },
    }),
  );
  const at = (name: string) => join(folder, name);
  const until = async (times: number) => {
    while (reported < times) {
      await new Promise<void>(resolve => {
        wake = resolve;
      });
    }
    expect(reported).toBe(times);
  };
  return { at, until, reported: () => reported };
}

const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

describe('watchFile', () => {
  it('reports a file that is renamed over it, again and again', async () => {
    const { at, until } = watched();
    for (let i = 1; i <= 3; i += 1) {
      writeFileSync(at('new'), '');
      renameSync(at('new'), at('it'));
      await until(i);
    }
  });

  it('reports a file that is written in place once it is left alone', async () => {
    const { at, until, reported } = watched();
    for (let i = 0; i < 20; i += 1) {
      appendFileSync(at('it'), 'more');
      await pause(10);
    }
    expect(reported()).toBe(0);
    await until(1);
  });

  it('reports a file that goes away and comes again, though others change all the time', async () => {
    const { at, until, reported } = watched();
    const busy = setInterval(() => writeFileSync(at('other'), 'x'), 5);
    rmSync(at('it'));
    await pause(300);
    expect(reported()).toBe(0);
    writeFileSync(at('it'), 'again');
    await until(1);
    await pause(300);
    clearInterval(busy);
    expect(reported()).toBe(1);
  });

  it('follows links: that of the file, and that of its folder', async () => {
    const { at, until } = watched(folder => {
      for (const name of ['one', 'two']) {
        mkdirSync(join(folder, name));
        writeFileSync(join(folder, name, 'it'), name);
      }
      symlinkSync('one', join(folder, 'data'));
      symlinkSync('data/it', join(folder, 'it'));
    });
    symlinkSync('two', at('data.new'));
    renameSync(at('data.new'), at('data'));
    await until(1);
    symlinkSync('one/it', at('it.new'));
    renameSync(at('it.new'), at('it'));
    await until(2);
    writeFileSync(at('one/it'), 'changed');
    await until(3);
  });

  it('reports nothing after it is closed', async () => {
    const { at, reported } = watched();
    appendFileSync(at('it'), 'more');
    watches.pop()!.close();
    await pause(300);
    expect(reported()).toBe(0);
  });

  it('cannot watch what is not there', () => {
    expect(() => watchFile(join(tmpdir(), 'absent/it'), { onReplaced: () => undefined })).toThrow(
      /cannot watch .*absent\/it: no such file or directory/,
    );
  });

  it('looks at the file where the process has no file left to watch with, and watches later', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tagstream-'));
    folders.push(folder);
    const script = join(import.meta.dirname, 'watch-without-files.mjs');
    const run = 'ulimit -n 64; exec "$@"';
    const given = ['-c', run, 'sh', process.execPath, script, folder];
    expect(spawnSync('sh', given, { encoding: 'utf8' })).toMatchObject({
      stdout: 'unwatched: EMFILE\nreplaced\nwatched again\nreplaced\n',
      stderr: '',
      status: 0,
    });
  });
});
