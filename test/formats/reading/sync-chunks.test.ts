import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { syncChunks } from '../../../src/runtime/io/vectors/read-word-vectors.js';
import { workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => `${i}\n`).join(''));

/** The chunks of a file: copies, as their memory is used again. */
function chunksOf(content: Uint8Array): Buffer[] {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  return [
    ...(function* () {
      for (const chunk of syncChunks(path)) yield Buffer.from(chunk);
    })(),
  ];
}

describe('syncChunks', () => {
  it.each([
    ['plain', bytes],
    ['gzip', gzipSync(bytes)],
  ])('gives a %s file in pieces', (_, content) => {
    const chunks = chunksOf(content);
    expect(chunks.length).toBeGreaterThan(1);
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  });

  it('gives nothing of an empty file', () => {
    expect(chunksOf(new Uint8Array(0))).toEqual([]);
  });

  it('names a file that is not there, is a directory, or damaged', () => {
    expect(() => [...syncChunks(join(folder, 'none'))]).toThrow(/none: no such file/);
    expect(() => [...syncChunks(folder)]).toThrow(/it is a directory/);
    expect(() => chunksOf(gzipSync(bytes).subarray(0, 1000))).toThrow(/the gzip data is cut off/);
  });
});
