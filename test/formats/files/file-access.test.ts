import {
  chmodSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAs } from '../../../src/formats/files/open-files.js';
import { RotatingFile } from '../../../src/runtime/io/dead-letters/rotating-file.js';
import { atomicWrite } from '../../../src/runtime/io/writing/atomic-write.js';
import { type Output, openOutput } from '../../../src/runtime/io/writing/open-output.js';
import { ResumableFile } from '../../../src/runtime/io/writing/resumable-file.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tagstream-'));
  path = join(folder, 'out');
});
afterEach(() => rmSync(folder, { recursive: true }));

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
const write = (output: Output, text: string) =>
  new Promise<void>((done, fail) => {
    output.write(text, error => (error === undefined ? done() : fail(error)));
  });

describe.each([['600'], ['640'], ['664'], ['444']])('a file of mode %s', mode => {
  beforeEach(() => {
    writeFileSync(path, 'old');
    chmodSync(path, Number.parseInt(mode, 8));
  });

  it('keeps it when it is replaced at once', () => {
    atomicWrite(path, 'new');
    expect([modeOf(path), readFileSync(path, 'utf8')]).toEqual([mode, 'new']);
  });

  it('keeps it when it is replaced in the end, and nobody else can read it before', async () => {
    const output = await openOutput(path);
    await write(output, 'new');
    expect(readdirSync(folder).map(name => modeOf(join(folder, name)))).toEqual([mode, mode]);
    await output.commit();
    expect(modeOf(path)).toBe(mode);
  });

  it('keeps it when it grows beside its name, also where something already exists', async () => {
    writeFileSync(`${path}.part`, 'left by an earlier run');
    const output = new ResumableFile(path);
    expect(modeOf(`${path}.part`)).toBe(mode);
    await output.commit();
    expect(modeOf(path)).toBe(mode);
  });
});

describe('a file that is replaced', () => {
  it('gives the next one its mode when it is rotated', () => {
    const file = new RotatingFile(path, { maxBytes: 10, keep: 1 });
    file.add('one line\n');
    chmodSync(path, 0o600);
    file.add('two line\n');
    file.close();
    expect([modeOf(path), modeOf(`${path}.1`)]).toEqual(['600', '600']);
  });

  it.runIf(process.getuid?.() === 0)('keeps owner and group', () => {
    writeFileSync(path, 'old');
    chownSync(path, 12345, 12346);
    atomicWrite(path, 'new');
    expect(statSync(path)).toMatchObject({ uid: 12345, gid: 12346 });
    closeSync(openAs(join(folder, 'b'), 'w', statSync(path)));
    expect(statSync(join(folder, 'b'))).toMatchObject({ uid: 12345, gid: 12346 });
  });

  it('is as the system makes new ones where there was none', async () => {
    const output = await openOutput(path);
    await output.commit();
    writeFileSync(join(folder, 'plain'), '');
    expect(modeOf(path)).toBe(modeOf(join(folder, 'plain')));
  });

  it('is the one that a link leads to, also where none is there yet', async () => {
    symlinkSync('real', path);
    atomicWrite(path, 'new');
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('new');
  });
});

describe.runIf(process.platform === 'linux')('an open file of the process', () => {
  it('is written where it stands, and not replaced', async () => {
    const file = openSync(path, 'a');
    writeSync(file, 'before\n');
    for (const name of [
      `/dev/fd/${file}`,
      `/proc/self/fd/${file}`,
      `/proc/${process.pid}/fd/${file}`,
    ]) {
      atomicWrite(name, 'once\n');
    }
    const letters = new RotatingFile(`/dev/fd/${file}`, { maxBytes: 3, keep: 1 });
    letters.add('letter\n');
    letters.close();
    const output = await openOutput(`/dev/fd/${file}`);
    await write(output, 'output\n');
    await output.commit();
    expect(readFileSync(path, 'utf8')).toBe('before\nonce\nonce\nonce\nletter\noutput\n');
    expect(readdirSync(folder)).toEqual(['out']);
  });

  it('that is none is an error at once', async () => {
    await expect(openOutput('/dev/fd/987')).rejects.toMatchObject({ code: 'file' });
    expect(() => atomicWrite('/dev/fd/987', '')).toThrowError('cannot write /dev/fd/987');
  });
});
