import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { lastValueFrom, map, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { textCodec } from '../../../../src/formats/codecs/text/text-codec.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../../../src/runtime/io/sources/document-source.js';
import { content, readAll } from '../../../runtime/io/sources/read-all.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function textsOf(codec: ReturnType<typeof textCodec>, files: string[], stdin?: Readable) {
  const deadLetters = new DeadLetters({ policy: 'fail' });
  const documents = documentSource({ files, codec, deadLetters, stdin }).pipe(
    map(({ text, delivery }) => {
      delivery?.release();
      return text;
    }),
    toArray(),
  );
  return lastValueFrom(documents);
}

describe('textCodec', () => {
  it('reads each line as a record, and counts blank ones', async () => {
    const { documents, bad, blanks } = await readAll(textCodec(), 'It rains. {"a"}\r\n\n\t😀 go\n');
    expect(documents.map(content)).toEqual([{ text: 'It rains. {"a"}' }, { text: '\t😀 go' }]);
    expect([bad.length, blanks]).toEqual([0, 1]);
  });

  it('reads a line of other white space as a record, and rejects one that is not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('\u00a0\n'), Buffer.of(0xff, 10), Buffer.from('a\n')]);
    const { documents, bad } = await readAll(textCodec(), [bytes]);
    expect(documents.map(content)).toEqual([{ text: '\u00a0' }, { text: 'a' }]);
    expect(bad.map(({ error }) => error.code)).toEqual(['invalid-utf8']);
  });

  it('reads paragraphs, whose lines stay lines', async () => {
    const codec = textCodec({ records: 'paragraph' });
    const { documents } = await readAll(codec, 'It\nrains.\n\n\nStay in!\n');
    expect(documents.map(({ text }) => text)).toEqual(['It\nrains.', 'Stay in!']);
    expect(codec.writeDocument(documents[0]!)).toBe('It\nrains.\n\n');
  });

  it('reads a whole file as a record, from a file and from the standard input', async () => {
    const codec = textCodec({ records: 'file' });
    const files = ['a', 'b'].map(name => join(directory, `${name}.txt`));
    for (const [i, file] of files.entries()) writeFileSync(file, `one ${i}\n\ntwo\n`);
    expect(await textsOf(codec, files)).toEqual(['one 0\n\ntwo', 'one 1\n\ntwo']);
    expect(await textsOf(codec, ['-'], Readable.from(['a\n', 'b']))).toEqual(['a\nb']);
  });

  it('writes results as NDJSON', () => {
    const tagged = { document: { text: 'a b' }, tokens: ['a', 'b'], tags: ['X', 'Y'] };
    expect(textCodec().write(tagged)).toBe('{"text":"a b","tokens":["a","b"],"tags":["X","Y"]}\n');
    expect(textCodec().write(tagged, { output: 'tags' })).toBe('{"tags":["X","Y"]}\n');
  });

  it('brings back the texts that it wrote', async () => {
    const line = fc.string({ unit: 'grapheme' }).map(text => `x${text.replace(/\p{Cc}/gu, '')}`);
    const property = fc.asyncProperty(fc.array(line), async texts => {
      const written = texts.map(text => textCodec().writeDocument({ text })).join('');
      const { documents } = await readAll(textCodec(), written);
      expect(documents.map(({ text }) => text)).toEqual(texts);
    });
    await fc.assert(property, { seed: 1, numRuns: 100 });
  });

  it('says what a line cannot hold', () => {
    const replaced: string[] = [];
    const note = (_: string, written: string) => replaced.push(written);
    expect(textCodec().writeDocument({ text: 'a\nb' }, note)).toBe('a b\n');
    expect(replaced).toEqual(['a b']);
  });
});
