import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FileCheckpointStore } from '../../../../src/runtime/io/checkpoints/file-checkpoint-store.js';
import { FileLock, lease } from '../../../../src/runtime/io/locks/file-lock.js';
import { ResumableFile } from '../../../../src/runtime/io/writing/resumable-file.js';
import { longForm } from '../../../faults/long-form.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tagstream-'));
  path = join(folder, '.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

const take = () => new FileLock(path, { source: folder, what: 'the folder', code: 'checkpoint' });
const elsewhere = { pid: 1, host: 'elsewhere', boot: 'a', namespace: 'b' };

/** Puts a lock there that has given its last sign of life so many milliseconds ago. */
function holdBy(holder: object, age = 0): void {
  writeFileSync(path, JSON.stringify(holder));
  const seconds = (statSync(path).mtimeMs - age) / 1000;
  utimesSync(path, seconds, seconds);
}

describe('a lock of another machine', () => {
  it('is refused while it gives signs of life, and says when it is free', () => {
    holdBy(elsewhere, lease - 20_000);
    expect(take).toThrowError(
      `${folder}: process 1 on elsewhere is using the folder (wait until it ends; if it was killed, its lock expires 60 s after its last sign of life)`,
    );
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(elsewhere);
  });

  it.each([
    ['a minute after its last sign', lease + 1000],
    ['where a clock was set back by an hour', -3_600_000],
  ])('is taken over %s', (_, age) => {
    holdBy(elsewhere, age);
    const lock = take();
    expect(lock.held).toBe(true);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('is one of another container of this machine too', () => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const here = { pid: process.ppid, host: hostname(), boot };
    holdBy({ ...here, namespace: 'pid:[1]' });
    expect(take).toThrowError('is using the folder');
    // In this one the number is of another process now.
    holdBy({ ...here, namespace: readlinkSync('/proc/self/ns/pid'), began: '1' });
    take().release();
  });
});

describe.runIf(process.platform === 'linux')('a lock of a process that was killed', () => {
  it('is taken over though its parent has not asked for its end', async () => {
    // A name that a status line could be misread by.
    const name = join(folder, 'a) R (b');
    copyFileSync('/bin/sleep', name);
    const parent = spawn('sh', ['-c', '"$0" 600 & echo $!; exec sleep 600', name]);
    try {
      const [text] = await once(parent.stdout, 'data');
      const pid = Number(text);
      const state = () => {
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split('a) R (b) ')[1]?.split(' ');
        return { letter: fields?.[0], began: fields?.[19] };
      };
      await vi.waitFor(() => expect(state().letter).toBe('S'), { timeout: 60_000 });
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      const namespace = readlinkSync('/proc/self/ns/pid');
      holdBy({ pid, host: hostname(), boot, namespace, began: state().began });
      expect(take).toThrowError(`process ${pid} on ${hostname()} is using the folder`);
      process.kill(pid, 'SIGKILL');
      await vi.waitFor(() => expect(state().letter).toBe('Z'), { timeout: 60_000 });
      take().release();
      expect(readdirSync(folder)).toEqual(['a) R (b']);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

describe('a holder', () => {
  it('gives signs of life', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const lock = take();
      utimesSync(path, 1, 1);
      vi.advanceTimersByTime(5000);
      expect(statSync(path).mtimeMs).toBeGreaterThan(1_000_000);
      lock.release();
    } finally {
      vi.useRealTimers();
    }
  });

  it('notices before its next write that another has taken over, and leaves the lock to it', async () => {
    const lock = take();
    const store = new FileCheckpointStore(folder, { lock });
    store.write({ a: { json: { b: 1 }, arrays: {} } });
    renameSync(path, `${path}.away`);
    holdBy(elsewhere);
    const before = readdirSync(folder);
    const lost = 'another process took over the lock of the folder';
    expect(() => store.write({ a: { json: { b: 2 }, arrays: {} } })).toThrowError(lost);
    expect(() => lock.require()).toThrowError(lost);
    lock.release();
    expect(readdirSync(folder)).toEqual(before);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(elsewhere);
  });

  it('of an output notices it too', async () => {
    const out = join(folder, 'out');
    const file = new ResumableFile(out);
    rmSync(join(folder, '.out.lock'));
    const failure = await new Promise(done => file.write('x', done));
    expect(failure).toMatchObject({
      code: 'file',
      problem: 'another process took over the lock of the file',
    });
    await expect(file.commit()).rejects.toThrowError('took over');
    expect(readFileSync(`${out}.part`, 'utf8')).toBe('');
    await file.abort();
  });
});

describe('several that take over one lock at once', () => {
  it('are refused, but for one', async () => {
    const takers = Array.from({ length: 4 }, () =>
      program(`
        import { createInterface } from 'node:readline';
        let lock;
        console.log('ready');
        for await (const line of createInterface({ input: process.stdin })) {
          if (line === 'end') lock?.release();
          else try { lock = new FileLock(path, { source: 'a', what: 'b', code: 'checkpoint' }); } catch {}
          console.log(lock?.held === true ? 'mine' : 'not mine');
        }
      `),
    );
    await Promise.all(takers.map(({ line }) => line()));
    for (let round = 0; round < (longForm ? 2000 : 20); round += 1) {
      holdBy(elsewhere, lease + 1000);
      const all = (text: string) => {
        for (const { child } of takers) child.stdin.write(`${text}\n`);
        return Promise.all(takers.map(({ line }) => line()));
      };
      expect((await all('go')).filter(answer => answer === 'mine')).toHaveLength(1);
      expect(await all('end')).not.toContain('mine');
      expect(readdirSync(folder)).toEqual([]);
    }
    for (const { child } of takers) child.stdin.end();
    await Promise.all(takers.map(({ child }) => once(child, 'exit')));
  });
});

/** A program beside this one that knows `FileLock` and the path of the lock. */
function program(text: string) {
  const built = resolve(import.meta.dirname, '../../../../dist/runtime/io/locks/file-lock.js');
  const head = `import { FileLock } from ${JSON.stringify(pathToFileURL(built).href)};
    const path = ${JSON.stringify(path)};`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${head}${text}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let reported = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    reported += chunk;
  });
  const line = async (): Promise<string> => {
    while (!reported.includes('\n')) await once(child.stdout, 'data');
    const end = reported.indexOf('\n');
    const first = reported.slice(0, end);
    reported = reported.slice(end + 1);
    return first;
  };
  return { child, line };
}
