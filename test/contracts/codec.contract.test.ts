import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { from } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Document } from '../../src/engine/core/sentence/document.js';
import type { TaggedDocument } from '../../src/engine/core/sentence/tagged-document.js';
import type { Codec } from '../../src/formats/codecs/codec.js';
import { conllCodec } from '../../src/formats/codecs/conll/conll-codec.js';
import { conlluCodec } from '../../src/formats/codecs/conllu/conllu-codec.js';
import { crfsuiteCodec } from '../../src/formats/codecs/crfsuite/crfsuite-codec.js';
import { lettersCodec } from '../../src/formats/codecs/letters/letters-codec.js';
import { ndjsonCodec } from '../../src/formats/codecs/ndjson/ndjson-codec.js';
import { slashCodec } from '../../src/formats/codecs/slash/slash-codec.js';
import { DeadLetters } from '../../src/runtime/io/dead-letters/dead-letters.js';
import { writeDocuments } from '../../src/runtime/io/document-sink.js';
import { documentSource } from '../../src/runtime/io/sources/document-source.js';
import { openOutput } from '../../src/runtime/io/writing/open-output.js';
import { everyNth } from '../house/long-forms.js';
import { bytesOf, content, cut, readAll } from '../runtime/io/sources/read-all.js';

/** A codec with a file of three good records and a bad one, and what is in it. */
interface Row {
  readonly name: string;
  readonly codec: Codec;
  /** The records as they stand in a file, each with its line ends; the second one is bad. */
  readonly records: readonly [string, string, string, string];
  readonly tokens: readonly (readonly string[])[];
  readonly gold: readonly (readonly string[] | undefined)[];
  /** Line of the bad record that the error names, and its code. */
  readonly bad: readonly [line: number, code: string];
  /** Documents that can be written and read again without loss. */
  readonly documents: fc.Arbitrary<Document>;
  /** The tags in a tagged record as it was written, the predicted ones. */
  predicted(record: string): string[];
}

const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).map(text => {
  const plain = text.replace(/[\s\p{C}#_]/gu, '');
  return plain === '' ? 'x' : plain;
});
const letter = fc.constantFrom(...'abcé😀字-@');
const tag = fc.constantFrom('O', 'B-NP', 'I-NP');
/** Universal parts of speech, spans, and others: each has its place in CoNLL-U. */
const anyTag = fc.constantFrom('NOUN', 'X', 'O', 'B-NP', 'NN', '-');

/** Labelled or unlabelled tokens with columns of the given names. */
function sentences(token: fc.Arbitrary<string>, label: fc.Arbitrary<string>, names: string[]) {
  return fc.integer({ min: 1, max: 6 }).chain(count => {
    const items = (item: fc.Arbitrary<string>) =>
      fc.array(item, { minLength: count, maxLength: count });
    return fc
      .record({
        tokens: items(token),
        tags: fc.option(items(label), { nil: undefined }),
        columns: fc.record(Object.fromEntries(names.map(name => [name, items(letter)]))),
      })
      .map(({ tokens, tags, columns }): Document => {
        const own = names.length > 0 ? { columns } : {};
        return { tokens, ...own, ...(tags !== undefined && { tags }) };
      });
  });
}

const conlluRow = (id: string, form: string, upos: string) =>
  `${id}\t${form}\t_\t${upos}\t_\t_\t_\t_\t_\t_\n`;

const conlluNames = ['lemma', 'xpos', 'feats', 'head', 'deprel', 'deps', 'misc'];

const rows: readonly Row[] = [
  {
    name: 'ndjson',
    codec: ndjsonCodec(),
    records: [
      '{"id":1,"tokens":["Ann","é😀"],"columns":{"pos":["N","V"]},"tags":["B-P","O"]}\n',
      '{"tokens":["a","b"],"tags":["X"]}\n',
      '{"tokens":["b"],"tags":["O"]}\n',
      '{"tokens":["c"]}\n',
    ],
    tokens: [['Ann', 'é😀'], ['b'], ['c']],
    gold: [['B-P', 'O'], ['O'], undefined],
    bad: [2, 'length-mismatch'],
    documents: sentences(
      fc.string({ unit: 'binary' }),
      fc.string().filter(text => text.trim() !== ''),
      ['pos', 'x y'],
    ),
    predicted: record => JSON.parse(record).tags,
  },
  {
    name: 'conll',
    codec: conllCodec(),
    records: ['Ann N B-P\né😀 V O\n\n', 'a N X\nb N\n\n', 'b N O\n\n', 'c N _\n\n'],
    tokens: [['Ann', 'é😀'], ['b'], ['c']],
    gold: [['B-P', 'O'], ['O'], undefined],
    bad: [5, 'wrong-shape'],
    documents: sentences(word, tag, ['pos']),
    predicted: record =>
      record
        .trim()
        .split('\n')
        .map(line => line.split(' ').at(-1)!),
  },
  {
    name: 'conllu',
    codec: conlluCodec(),
    records: [
      `# sent_id = 1\n${conlluRow('1', 'Ann', 'NOUN')}${conlluRow('2', 'é😀', 'VERB')}\n`,
      `${conlluRow('1', 'a', 'X')}2\tb\n\n`,
      `${conlluRow('1', 'b', 'ADJ')}\n`,
      `# text = c\n${conlluRow('1-2', 'cd', '_')}${conlluRow('1', 'c', '_')}\n`,
    ],
    tokens: [['Ann', 'é😀'], ['b'], ['c']],
    gold: [['NOUN', 'VERB'], ['ADJ'], undefined],
    bad: [6, 'wrong-shape'],
    documents: sentences(word, anyTag, conlluNames),
    predicted: record =>
      record
        .split('\n')
        .filter(line => /^\d+\t/.test(line))
        .map(line => line.split('\t')[3]!),
  },
  {
    name: 'letters',
    codec: lettersCodec({ columns: ['word', 'phonemes', 'stress'] }),
    records: ['aé\tx-\t10\n', 'ab\txyz\t10\n', 'b\tO\t1\n', 'c\t_\t1\n'],
    tokens: [['a', 'é'], ['b'], ['c']],
    gold: [['x', '-'], ['O'], undefined],
    bad: [2, 'length-mismatch'],
    documents: sentences(letter, letter, ['stress']),
    predicted: record => Array.from(record.trimEnd().split('\t').at(-1)!),
  },
  {
    name: 'slash',
    codec: slashCodec({ tagOptional: true }),
    records: ['Ann/B-P é😀/O\n', 'a/X b\n', 'b/O\n', 'c\n'],
    tokens: [['Ann', 'é😀'], ['b'], ['c']],
    gold: [['B-P', 'O'], ['O'], undefined],
    bad: [2, 'wrong-shape'],
    documents: sentences(
      word.map(text => text.replaceAll('/', 'x')),
      tag,
      [],
    ),
    predicted: record =>
      record
        .trim()
        .split(' ')
        .map(text => text.split('/').at(-1)!),
  },
  {
    name: 'crfsuite',
    codec: crfsuiteCodec({ attributes: { form: 'w[0]', pos: 'pos[0]' } }),
    records: [
      'B-P\tw[0]=Ann\tpos[0]=N\t__BOS__\nO\tw[0]=é😀\tpos[0]=V\tbias\n\n',
      'X\tw[0]=a\tpos[0]=N\nX\tpos[0]=N\n\n',
      'O\tw[0]=b\tpos[0]=N\n\n',
      '_\tw[0]=c\tpos[0]=N\n\n',
    ],
    tokens: [['Ann', 'é😀'], ['b'], ['c']],
    gold: [['B-P', 'O'], ['O'], undefined],
    bad: [5, 'wrong-shape'],
    documents: sentences(word, tag, ['pos']),
    predicted: record =>
      record
        .trim()
        .split('\n')
        .map(line => line.split('\t')[0]!),
  },
];

function tagged(document: Document, label: string): TaggedDocument {
  const tokens = document.tokens!;
  const gold = document.tags === undefined ? {} : { gold: document.tags };
  return { document, tokens, tags: tokens.map(() => label), ...gold };
}

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

for (const part of everyNth(4, rows)) {
  describe.each(part.rows)('codec $name', { tags: part.tags }, row => {
    const { codec, records, documents } = row;
    const file = records.join('');

    it('carries its name', () => {
      expect(codec.name).toBe(row.name);
      expect(codec.format.split(' ')[0]).toBe(row.name);
    });

    it('reads tokens and gold tags, in order, past a bad record that it reports with its line', async () => {
      const { documents: read, bad } = await readAll(codec, file);
      expect(read.map(document => document.tokens)).toEqual(row.tokens);
      expect(read.map(document => document.tags)).toEqual(row.gold);
      expect(bad.map(({ error }) => [error.place.line, error.code])).toEqual([row.bad]);
    });

    it('gives raw records and positions that are those of the file', async () => {
      const { documents: read, bad } = await readAll(codec, file);
      const bytes = Buffer.from(file);
      for (const { raw, delivery, format } of read) {
        const { start, end } = delivery!.position;
        expect(bytes.subarray(start, end).toString()).toBe(raw);
        expect(format).toBe(codec.format);
        expect(file.split('\n')[delivery!.position.line - 1]).toBe(raw!.split('\n')[0]);
      }
      const { start, end } = bad[0]!.position;
      expect(Buffer.from(bad[0]!.raw)).toEqual(bytes.subarray(start, end));
      expect(bytes.subarray(start, end).toString()).toBe(records[1].trimEnd());
    });

    it('reads the same whatever the chunks: whole, by the byte, by seven', async () => {
      const whole = await readAll(codec, file);
      const brief = ({ documents: read, bad, blanks }: typeof whole) => ({
        read: read.map(document => ({
          ...content(document),
          raw: document.raw,
          position: document.delivery!.position,
        })),
        bad: bad.map(({ position, raw, error }) => [position, Buffer.from(raw), error.message]),
        blanks,
      });
      for (const size of [1, 7, 64]) {
        expect(brief(await readAll(codec, cut(bytesOf(file), size)))).toEqual(brief(whole));
      }
    });

    it('reads CRLF, a byte order mark, and a file without a last line end', async () => {
      const plain = (await readAll(codec, file)).documents.map(content);
      for (const text of [file.replaceAll('\n', '\r\n'), `\ufeff${file}`, file.trimEnd()]) {
        const { documents: read, bad } = await readAll(codec, text);
        expect(read.map(content)).toEqual(plain);
        expect(bad.length).toBe(1);
      }
    });

    it('reads files that each begin with a byte order mark, one after the other', async () => {
      const marked = `\ufeff${file}`;
      const plain = await readAll(codec, file.repeat(3));
      for (const text of [marked.repeat(3), `${marked}\ufeff\n\ufeff${marked}${marked}`]) {
        for (const size of [1, 64, text.length * 3]) {
          const { documents: read, bad } = await readAll(codec, cut(bytesOf(text), size));
          expect(read.map(content)).toEqual(plain.documents.map(content));
          expect(read.map(({ raw }) => raw)).toEqual(plain.documents.map(({ raw }) => raw));
          expect(bad.map(({ raw }) => Buffer.from(raw).toString())).toEqual(
            plain.bad.map(({ raw }) => Buffer.from(raw).toString()),
          );
        }
      }
    });

    it('reads nothing from nothing', async () => {
      expect(await readAll(codec, '')).toEqual({ documents: [], bad: [], blanks: 0 });
      expect((await readAll(codec, '\n\n')).documents).toEqual([]);
    });

    it('asks once for each record, good or bad, and passes over what is not wanted', async () => {
      const starts: number[] = [];
      const read: Document[] = [];
      const context = {
        source: 'test',
        onBad: () => read.push({ id: 'bad' }),
        wanted: (start: number) => starts.push(start) % 2 === 0,
      };
      for await (const batch of codec.read([bytesOf(file)], context)) read.push(...batch);
      expect(starts).toEqual([0, 1, 2, 3].map(i => bytesOf(records.slice(0, i).join('')).length));
      expect(read.map(document => document.id ?? document.tokens)).toEqual(['bad', row.tokens[2]]);
    });

    it('brings back what it wrote: read(write(x)) is x', async () => {
      const property = fc.asyncProperty(fc.array(documents, { maxLength: 4 }), async list => {
        const text = list.map(document => codec.writeDocument(document)).join('');
        const { documents: read, bad } = await readAll(codec, text);
        expect(bad).toEqual([]);
        expect(read.map(content)).toEqual(list);
      });
      await fc.assert(property, { seed: 1, numRuns: 300 });
    });

    it('writes a record it has read as it was', async () => {
      const { documents: read } = await readAll(codec, file);
      const good = [records[0], records[2], records[3]];
      expect(read.map(document => codec.writeDocument(document))).toEqual(good);
    });

    it('writes the predicted tags and loses no byte of what is not ours', async () => {
      const { documents: read } = await readAll(codec, file);
      for (const document of read) {
        const written = codec.write(tagged(document, 'X'));
        expect(row.predicted(written)).toEqual(document.tokens!.map(() => 'X'));
        for (const token of document.tokens!) expect(written).toContain(token);
      }
    });

    it('marks each token of an untagged record, also of one that it has not read', async () => {
      const { documents: read } = await readAll(codec, file);
      const made: Document = { id: 'made', tokens: ['a', 'b'] };
      for (const document of [...read, made]) {
        const written = codec.write({
          document,
          tokens: document.tokens!,
          tags: [],
          untagged: true,
        });
        const mark = row.name === 'ndjson' ? null : '_';
        expect(row.predicted(written)).toEqual(document.tokens!.map(() => mark));
      }
    });

    it('does not change the documents it writes', async () => {
      const { documents: read } = await readAll(codec, file);
      for (const document of read) {
        const before = JSON.stringify(document);
        codec.write(tagged(document, 'X'));
        codec.writeDocument(document);
        expect(JSON.stringify(document)).toBe(before);
      }
    });

    it('writes documents of every other codec', async () => {
      for (const other of rows) {
        const { documents: read } = await readAll(other.codec, other.records.join(''));
        // The letters format holds tokens of one letter only.
        const fitting = row.name === 'letters' ? (other.name === 'letters' ? read : []) : read;
        const text = fitting.map(document => codec.writeDocument(document)).join('');
        const again = (await readAll(codec, text)).documents;
        expect(again.map(document => document.tokens)).toEqual(fitting.map(d => d.tokens));
        expect(again.map(document => document.tags)).toEqual(fitting.map(d => d.tags));
        for (const document of fitting) {
          expect(row.predicted(codec.write(tagged(document, 'X')))).toEqual(
            document.tokens!.map(() => 'X'),
          );
        }
      }
    });

    it('passes through files, packed too: one record in is one record out, in order', async () => {
      for (const packed of [false, true]) {
        const input = join(directory, 'in');
        const path = join(directory, packed ? 'out.gz' : 'out');
        const text = `${records[0]}${records[2]}${records[3]}`.repeat(2000);
        writeFileSync(input, packed ? gzipSync(text) : text);
        const deadLetters = new DeadLetters({ policy: 'fail' });
        const list: TaggedDocument[] = [];
        await new Promise<void>((resolve, reject) => {
          documentSource({ files: [input], codec, deadLetters }).subscribe({
            next: document => {
              list.push(tagged(document, 'X'));
              document.delivery!.release();
            },
            error: reject,
            complete: resolve,
          });
        });
        const output = await openOutput(path);
        expect(await writeDocuments(from(list), output, codec)).toEqual({ records: 6000 });
        const bytes = readFileSync(path);
        expect((packed ? gunzipSync(bytes) : bytes).toString()).toBe(
          list.map(item => codec.write(item)).join(''),
        );
      }
    });
  });
}
