import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileCheckpointStore } from '../../../src/io/checkpoints/file-checkpoint-store.js';
import { syncDirectory } from '../../../src/io/files/directories.js';
import { atomicWrite } from '../../../src/io/writing/atomic-write.js';
import { ResumableFile } from '../../../src/io/writing/resumable-file.js';
import { workspace } from '../../cli/commands/workspace.js';
import { notDurable } from './recorded-disk.js';

const folder = workspace();
const path = (name: string) => join(folder, name);

describe('a machine that stops', () => {
  it('loses nothing of a file that is replaced', () => {
    expect(notDurable(() => atomicWrite(path('a'), 'one'))).toEqual([]);
    expect(notDurable(() => atomicWrite(path('a'), [Uint8Array.of(1), Uint8Array.of(2)]))).toEqual(
      [],
    );
  });

  it('loses no checkpoint that was written, nor what its name stands for', () => {
    const store = new FileCheckpointStore(path('checkpoints'), { keep: 2 });
    const parts = { part: { json: { a: 1 }, arrays: { b: Float64Array.of(1, 2) } } };
    for (let i = 0; i < 4; i += 1) expect(notDurable(() => store.write(parts))).toEqual([]);
  });

  it('loses nothing of an output that is committed, nor of those that rotation closed', async () => {
    const faults = notDurable(() => {
      const file = new ResumableFile(path('out'), {
        rotation: { bytes: 4 },
        recordEnd: '\n',
      });
      for (let i = 0; i < 3; i += 1) file.write(`${i}ab\n`, () => undefined);
      void file.commit();
    });
    expect(faults.filter(fault => !fault.includes('.lock'))).toEqual([]);
  });
});

describe('what a disk may lose', () => {
  const write = (name: string, text: string, flush: boolean) => {
    const file = openSync(path(name), 'w');
    writeSync(file, text);
    if (flush) fsyncSync(file);
    closeSync(file);
  };

  it.each([
    ['all', true, true, 0],
    ['not the content', false, true, 1],
    ['not the name', true, false, 1],
    ['neither', false, false, 2],
  ] as const)('is found: %s is flushed', (_, content, name, faults) => {
    const found = notDurable(() => {
      write('b.tmp', 'text', content);
      renameSync(path('b.tmp'), path('b'));
      if (name) syncDirectory(folder);
    });
    expect(found).toHaveLength(faults);
  });
});
