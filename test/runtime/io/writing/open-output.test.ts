import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Output, openOutput } from '../../../../src/runtime/io/writing/open-output.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (output: Output, text: string) =>
  new Promise<void>((resolve, reject) => {
    output.write(text, error => (error === undefined ? resolve() : reject(error)));
  });

describe('openOutput', () => {
  it('gives a file its name when it is committed, and not before', async () => {
    const path = join(directory, 'out.ndjson');
    const output = await openOutput(path);
    await write(output, 'é\n');
    await write(output, 'b\n');
    expect(readdirSync(directory)).not.toContain('out.ndjson');
    await output.commit();
    expect(readdirSync(directory)).toEqual(['out.ndjson']);
    expect(readFileSync(path, 'utf8')).toBe('é\nb\n');
  });

  it.each(['out', 'out.gz'])(
    'continues in a new file where %s is moved while it grows',
    async name => {
      const textOf = (path: string) => {
        const bytes = readFileSync(join(directory, path));
        return String(name.endsWith('.gz') ? gunzipSync(bytes) : bytes);
      };
      const output = await openOutput(join(directory, name));
      for (const [at, text] of ['one\n', 'two\n', 'three\n'].entries()) {
        await write(output, text);
        const growing = readdirSync(directory).find(found => found.endsWith('.tmp'))!;
        if (at < 2) renameSync(join(directory, growing), join(directory, `moved.${at}`));
      }
      await output.commit();
      expect(readdirSync(directory).sort()).toEqual(['moved.0', 'moved.1', name]);
      expect(['moved.0', 'moved.1', name].map(textOf)).toEqual(['one\n', 'two\n', 'three\n']);
    },
  );

  it('does not end well where its file is deleted while it grows', async () => {
    const output = await openOutput(join(directory, 'out'));
    await write(output, 'one\n');
    for (const found of readdirSync(directory)) rmSync(join(directory, found));
    await write(output, 'two\n');
    await expect(output.commit()).rejects.toMatchObject({ code: 'file' });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('leaves the old file and nothing else when it is given up', async () => {
    const path = join(directory, 'out');
    writeFileSync(path, 'old');
    const output = await openOutput(path);
    await write(output, 'new');
    await output.abort();
    expect(readdirSync(directory)).toEqual(['out']);
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  it('packs what is named .gz, and can give it up', async () => {
    const path = join(directory, 'out.gz');
    const output = await openOutput(path);
    await write(output, 'some text');
    await output.commit();
    expect(gunzipSync(readFileSync(path)).toString()).toBe('some text');
    const second = await openOutput(path);
    await write(second, 'other');
    await second.abort();
    expect(readdirSync(directory)).toEqual(['out.gz']);
    expect(gunzipSync(readFileSync(path)).toString()).toBe('some text');
  });

  it('keeps a link and replaces the file it points to', async () => {
    writeFileSync(join(directory, 'real'), 'old');
    symlinkSync(join(directory, 'real'), join(directory, 'link'));
    const output = await openOutput(join(directory, 'link'));
    await write(output, 'new');
    await output.commit();
    expect(lstatSync(join(directory, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(directory, 'real'), 'utf8')).toBe('new');
  });

  it('writes devices directly', async () => {
    const output = await openOutput('/dev/null');
    await write(output, 'x');
    await output.commit();
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('writes to the standard output and leaves it open', async () => {
    const stdout = new PassThrough();
    const output = await openOutput('-', { stdout });
    await write(output, 'x');
    await output.commit();
    expect([output.name, stdout.read().toString(), stdout.writableEnded]).toEqual([
      '<stdout>',
      'x',
      false,
    ]);
  });

  it('listens to a stream once, however often it is opened', async () => {
    const stdout = new PassThrough();
    for (let i = 0; i < 20; i += 1) await openOutput('-', { stdout });
    expect(stdout.listenerCount('error')).toBe(1);
  });

  it('says what is wrong with a path', async () => {
    const path = join(directory, 'no', 'out');
    await expect(openOutput(path)).rejects.toMatchObject({
      code: 'file',
      message: `cannot write ${path}: no such file or directory (the folder ${join(directory, 'no')} does not exist: create it, or correct the path)`,
    });
    await expect(openOutput(directory)).rejects.toMatchObject({
      message: `cannot write ${directory}: it is a directory (name a file)`,
    });
  });
});
