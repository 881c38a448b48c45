import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFileBytes } from '../../../src/formats/files/with-file-bytes.js';
import { workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const path = join(folder, 'numbers');
writeFileSync(path, Uint8Array.of(1, 2, 3, 4, 5));

describe('withFileBytes', () => {
  it('reads parts of a file into memory that is there', () => {
    const room = new Uint8Array(6);
    const length = withFileBytes(path, bytes => {
      bytes.read(3, room.subarray(1, 3));
      bytes.read(0, room.subarray(4, 6));
      return bytes.length;
    });
    expect(length).toBe(5);
    expect(room).toEqual(Uint8Array.of(0, 4, 5, 0, 1, 2));
  });

  it('says what cannot be read, and why', () => {
    mkdirSync(join(folder, 'directory'));
    const first = (name: string) =>
      withFileBytes(join(folder, name), bytes => bytes.read(0, new Uint8Array(1)));
    expect(() => first('none')).toThrow(/cannot read .*none: no such file or directory/);
    expect(() => first('directory')).toThrow(/cannot read .*directory: it is a directory/);
  });

  it('says that a file has become shorter', () => {
    const shrinking = join(folder, 'shrinking');
    writeFileSync(shrinking, new Uint8Array(100));
    const read = () =>
      withFileBytes(shrinking, bytes => {
        truncateSync(shrinking, 10);
        bytes.read(0, new Uint8Array(bytes.length));
      });
    expect(read).toThrow(/cannot read .*shrinking: it was truncated while being read/);
  });

  it('passes errors of who reads on as they are', () => {
    const error = new Error('mine');
    const read = () =>
      withFileBytes(path, () => {
        throw error;
      });
    expect(read).toThrow(error);
  });
});
