import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDirectory } from '../../../../src/runtime/io/checkpoints/directory.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const lock = () => join(directory, '.lock');
const holdBy = (holder: object) => writeFileSync(lock(), JSON.stringify(holder));

describe('lockDirectory', () => {
  it('keeps a second one out until it is given back', () => {
    const held = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrowError(
      `${directory}: process ${process.pid} on ${hostname()} is using the checkpoints`,
    );
    held.release();
    expect(readdirSync(directory)).toEqual([]);
    lockDirectory(directory).release();
  });

  it('makes the directory', () => {
    const held = lockDirectory(join(directory, 'a/b'));
    expect(readdirSync(join(directory, 'a/b'))).toEqual(['.lock']);
    held.release();
  });

  it('takes over the lock of a process that is gone', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    holdBy({ pid, host: hostname() });
    const held = lockDirectory(directory);
    expect(JSON.parse(readFileSync(lock(), 'utf8'))).toMatchObject({ pid: process.pid });
    held.release();
  });

  it.runIf(process.platform === 'linux')(
    'takes over the lock of a process whose number another has got since',
    () => {
      holdBy({ pid: process.ppid, host: hostname(), began: '1' });
      lockDirectory(directory).release();
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  it('leaves the lock of a living process, and of one on another machine', () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    try {
      holdBy({ pid: child.pid, host: hostname() });
      expect(() => lockDirectory(directory)).toThrowError(`process ${child.pid} on`);
      holdBy({ pid: 1, host: 'elsewhere' });
      expect(() => lockDirectory(directory)).toThrowError('process 1 on elsewhere');
    } finally {
      child.kill();
    }
  });

  it('takes over what is no lock', () => {
    writeFileSync(lock(), '{"pid"');
    lockDirectory(directory).release();
    expect(readdirSync(directory)).toEqual([]);
  });
});
