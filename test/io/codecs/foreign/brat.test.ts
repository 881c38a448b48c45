import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, map, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFileBlocks } from '../../../../src/io/blocks/read-file-blocks.js';
import { brat } from '../../../../src/io/codecs/foreign/brat.js';
import { DeadLetters } from '../../../../src/io/dead-letters/dead-letters.js';
import { documentSource } from '../../../../src/io/sources/document-source.js';
import { codecOf } from '../../../../src/pipeline/catalogue/codec-of.js';
import { content } from '../../sources/read-all.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const codec = codecOf({ name: 'brat', options: {} });

function pair(name: string, text: string, ann: string): string {
  writeFileSync(join(directory, `${name}.txt`), text);
  writeFileSync(join(directory, `${name}.ann`), ann);
  return join(directory, `${name}.ann`);
}

function read(files: string[]) {
  const deadLetters = new DeadLetters({ policy: 'fail' });
  const documents = documentSource({ files, codec, deadLetters }).pipe(
    map(document => {
      document.delivery?.release();
      return content(document);
    }),
    toArray(),
  );
  return lastValueFrom(documents);
}

describe('brat', () => {
  it('reads pairs of files, past what is no annotation of text', async () => {
    const ann = 'T1\tPER 2 5\tAnn\nR1\tAt Arg1:T1 Arg2:T2\n#1\tNote T1\tx\nT2\tLOC 14 18\tOslo\n';
    const files = [pair('a', '😀 Ann flew to\nOslo.\n', ann), pair('b', 'Nobody.', '')];
    expect(await read(files)).toEqual([
      {
        id: 'a',
        text: '😀 Ann flew to\nOslo.\n',
        spans: [
          { start: 3, end: 6, label: 'PER' },
          { start: 15, end: 19, label: 'LOC' },
        ],
      },
      { id: 'b', text: 'Nobody.', spans: [] },
    ]);
  });

  it('gives them to workers in blocks as well', async () => {
    const file = pair('a', 'Ann.', 'T1\tPER 0 3\tAnn\n');
    const blocks = [];
    for await (const block of readFileBlocks([file], {
      codec,
      signal: new AbortController().signal,
    })) {
      blocks.push(block);
    }
    expect(blocks).toMatchObject([
      { kind: 'block', source: file, block: { offset: 0, lineEnds: 1 } },
    ]);
  });

  it('says which annotation is wrong, and which file is missing', async () => {
    const wrong = (ann: string) => read([pair('a', 'Ann Lee Berg', ann)]);
    await expect(wrong('T1\tPER 0 3;8 12\tAnn Berg\n')).rejects.toThrow(
      'annotation T1, line 1 of its file, is in several pieces',
    );
    await expect(wrong('T1\tPER 0\n')).rejects.toThrow('is not TYPE START END');
    await expect(wrong('T1\tPER 0 99\tx\n')).rejects.toThrow('annotation T1 is [0,99,"PER"]');
    writeFileSync(join(directory, 'c.ann'), '');
    await expect(read([join(directory, 'c.ann')])).rejects.toThrow('there is no text beside');
    await expect(read([join(directory, 'a.txt')])).rejects.toThrow('is not a file of annotations');
  });

  it('takes offsets in UTF-16 units where only there the text stands', () => {
    const record = { text: '😀 Ann', ann: 'T1\tPER 3 6\tAnn\n' };
    expect(brat.toDocument(record)!.spans).toEqual([{ start: 3, end: 6, label: 'PER' }]);
  });
});
