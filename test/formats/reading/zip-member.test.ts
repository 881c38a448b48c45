import { describe, expect, it } from 'vitest';
import { zipMember } from '../../../src/formats/reading/zip-member.js';
import { zipArchive } from './zip-archive.js';

const files = { 'a/one.txt': 'one\n'.repeat(500), 'a/två.txt': 'två', 'a/empty': '' };
const text = (archive: Uint8Array, name: string) =>
  new TextDecoder().decode(zipMember(archive, name, 'x.zip'));

describe('zipMember', () => {
  it.each([false, true])('takes files out of an archive (stored: %s)', stored => {
    const archive = zipArchive(files, stored);
    for (const [name, content] of Object.entries(files)) expect(text(archive, name)).toBe(content);
    const within = Buffer.concat([Buffer.from('xyz'), archive]).subarray(3);
    expect(text(within, 'a/två.txt')).toBe('två');
  });

  it('says what is not in it, and what is no archive', () => {
    const archive = zipArchive(files);
    expect(() => text(archive, 'b')).toThrow('x.zip: there is no file b in the archive');
    expect(() => text(Buffer.from('no archive'), 'b')).toThrow(
      'x.zip: it is not a ZIP archive, or',
    );
    expect(() => text(archive.subarray(0, archive.length - 30), 'a/one.txt')).toThrow(
      'it is not a ZIP',
    );
    expect(zipMember(archive, 'a/one.txt', 'x.zip', 2000)).toHaveLength(2000);
    expect(() => zipMember(archive, 'a/one.txt', 'x.zip', 1999)).toThrow(
      'x.zip: a/one.txt in the archive has more than the expected 1999 bytes',
    );
    const damaged = Buffer.from(archive);
    damaged.fill(255, 40, 50);
    expect(() => text(damaged, 'a/one.txt')).toThrow('it is not a ZIP archive, or it is damaged');
  });
});
