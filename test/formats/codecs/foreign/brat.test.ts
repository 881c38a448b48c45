import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, map, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { brat } from '../../../../src/formats/codecs/foreign/foreign-formats.js';
import { leftOutSpans } from '../../../../src/formats/codecs/foreign/placed-spans.js';
import { JsonText } from '../../../../src/formats/codecs/ndjson/json-text.js';
import { readFileBlocks } from '../../../../src/runtime/io/blocks/read-file-blocks.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../../../src/runtime/io/sources/document-source.js';
import { codecOf } from '../../../../src/runtime/pipeline/catalogue/codec-of.js';
import { content } from '../../../runtime/io/sources/read-all.js';

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
      'annotation T1 has several pieces with words between them',
    );
    await expect(wrong('T1\tPER 0\n')).rejects.toThrow('is not of the form TYPE START END');
    await expect(wrong('T1\tPER 0 99\tx\n')).rejects.toThrow('annotation T1 is [0,99,"PER"]');
    writeFileSync(join(directory, 'c.ann'), '');
    await expect(read([join(directory, 'c.ann')])).rejects.toThrow('has no text file next to it');
    await expect(read([join(directory, 'a.txt')])).rejects.toThrow('is not an annotation file');
  });

  it('takes offsets in UTF-16 units where only there the text stands', () => {
    const record = { text: '😀 Ann', ann: 'T1\tPER 3 6\tAnn\n' };
    expect(brat.toDocument(record)!.spans).toEqual([{ start: 3, end: 6, label: 'PER' }]);
  });
});

describe('annotations of brat in pieces', () => {
  const text = 'The United\n Nations of Ann';
  const line = 'T1\tORG 4 10;12 19\tUnited Nations\n';
  const read = (ann: string, overlaps?: 'longest' | 'first') =>
    brat.toDocument({ text, ann }, { overlaps })?.spans;

  it('are one span where white space alone stands between them, as at a line end', () => {
    expect(read(line)).toEqual([{ start: 4, end: 19, label: 'ORG' }]);
    // The line stays as it was where its span does.
    const own = new JsonText(JSON.stringify({ text, ann: line }));
    const spans = [
      { start: 4, end: 19, label: 'ORG' },
      { start: 23, end: 26, label: 'PER' },
    ];
    const revised = brat.revise(own, { text, spans }).value as { readonly ann: string };
    expect(revised.ann).toBe(`${line}T2\tPER 23 26\tAnn\n`);
  });

  it('are one of their pieces, or refused, where words stand between', () => {
    const divided = 'T1\tORG 0 3;12 19\tThe Nations\n';
    expect(() => read(divided)).toThrow('annotation T1 has several pieces with words between them');
    expect(read(divided, 'first')).toEqual([{ start: 0, end: 3, label: 'ORG' }]);
    expect(read(divided, 'longest')).toEqual([{ start: 12, end: 19, label: 'ORG' }]);
    const three = 'T1\tORG 0 3;4 10;12 19\tThe United Nations\n';
    expect(read(three)).toEqual([{ start: 0, end: 19, label: 'ORG' }]);
  });

  it.each(['T1\tORG 4 10;\tx\n', 'T1\tORG 4 10;a b\tx\n', 'T1\tORG 4 10;9 9\tUnited \n'])(
    'refuses %j',
    ann => {
      expect(() => read(ann)).toThrow();
    },
  );

  it('count what is left out', () => {
    const seen: unknown[] = [];
    const note = (message: unknown) => seen.push(message);
    leftOutSpans.subscribe(note);
    read('T1\tORG 0 3;12 19\tThe Nations\n', 'longest');
    leftOutSpans.unsubscribe(note);
    expect(seen).toEqual([{ count: 1, why: 'pieces' }]);
  });
});
