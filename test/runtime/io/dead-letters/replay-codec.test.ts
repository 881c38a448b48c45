import { describe, expect, it } from 'vitest';
import type { Position } from '../../../../src/engine/core/delivery/delivery.js';
import type { BadRecord } from '../../../../src/formats/bad-records/bad-record.js';
import type { Codec } from '../../../../src/formats/codecs/codec.js';
import { conllCodec } from '../../../../src/formats/codecs/conll/conll-codec.js';
import { conlluCodec } from '../../../../src/formats/codecs/conllu/conllu-codec.js';
import { lettersCodec } from '../../../../src/formats/codecs/letters/letters-codec.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { writeRejected } from '../../../../src/runtime/io/dead-letters/rejected-record.js';
import { replayCodec } from '../../../../src/runtime/io/dead-letters/replay-codec.js';
import { bytesOf, cut } from '../sources/read-all.js';

/**
 * What a codec finds in a stream: records with the places they have, and the rejected records of the others.
 */
async function read(codec: Codec, input: Uint8Array, chunk = 1000) {
  const bad: BadRecord[] = [];
  const good: { raw: string | undefined; position: Position; tokens: unknown }[] = [];
  let blanks = 0;
  const chunks = codec.read(cut(input, chunk), {
    source: 'in',
    onBad: record => bad.push(record),
    onBlank: () => {
      blanks += 1;
    },
    deliver: position => ({
      position,
      release: () => undefined,
      ack: () => undefined,
      reject: () => undefined,
    }),
  });
  for await (const documents of chunks) {
    for (const { raw, delivery, tokens, text } of documents) {
      good.push({ raw, position: delivery!.position, tokens: tokens ?? text });
    }
  }
  return { good, rejected: bad.map(record => writeRejected(record)), blanks };
}

const conllu = (form: string) => `1\t${form}\t_\tX\t_\t_\t0\t_\t_\t_`;

/** A codec, records for it of which the second and the third are bad, and the second as it should be. */
const formats: [string, Codec, string, string][] = [
  [
    'ndjson',
    ndjsonCodec(),
    '\ufeff{"text":"é"}\r\n{"text":"b"\n\n{"tokens":{}}\n{"text":"d"}',
    '{"text":"b"}',
  ],
  [
    'conll',
    conllCodec({ columns: ['form', 'tag'] }),
    'a X\nb Y\n\nc X\r\r\nd\ne X\n\nf\n\ng X\n',
    'c X\nd X\ne X',
  ],
  [
    'conllu',
    conlluCodec({}),
    `${conllu('a')}\n\n# id\n${conllu('b')}\n2\tc\n\nx\n\n${conllu('d')}\n`,
    `# id\n${conllu('b')}`,
  ],
  ['letters', lettersCodec({ columns: ['word', 'phonemes'] }), 'ab\txy\nc\nde\tx\nf\tz', 'c\ty'],
];

describe.each(formats)('letters of %s', (_, codec, input, mended) => {
  const replay = replayCodec(codec);

  it('are the same rejected records again, where nothing was mended, however the bytes come', async () => {
    const { rejected } = await read(codec, bytesOf(input));
    expect(rejected).toHaveLength(2);
    for (const chunk of [1, 9, 1000]) {
      const again = await read(replay, bytesOf(rejected.join('')), chunk);
      expect(again).toEqual({ good: [], rejected, blanks: 0 });
    }
  });

  it('are records at their old place, where they were mended', async () => {
    const { rejected } = await read(codec, bytesOf(input));
    const record = JSON.parse(rejected[0]!);
    const edited = `${JSON.stringify({ ...record, raw: mended })}\n\n${rejected[1]}`;
    const again = await read(replay, bytesOf(edited));
    expect(again.rejected).toEqual([rejected[1]]);
    const { source, start, end, recordLine, line } = record;
    const alone = await read(codec, bytesOf(mended));
    expect(again.good).toEqual([
      { ...alone.good[0], position: { source, line: recordLine ?? line, start, end } },
    ]);
  });
});

describe('a replay', () => {
  const codec = ndjsonCodec({ maxLineBytes: 70_000 });

  it('takes bytes that are not UTF-8 as they were, and mended ones from either field', async () => {
    const input = Buffer.from([...Buffer.from('{"text":"a'), 0xff, ...Buffer.from('"}\n')]);
    const { rejected } = await read(codec, input);
    const record = JSON.parse(rejected[0]!);
    expect(Buffer.from(record.rawBase64, 'base64').equals(input.subarray(0, -1))).toBe(true);
    expect((await read(replayCodec(codec), bytesOf(rejected[0]!))).rejected).toEqual(rejected);
    const rawBase64 = Buffer.from('{"text":"aé"}').toString('base64');
    const mended = await read(
      replayCodec(codec),
      bytesOf(JSON.stringify({ ...record, rawBase64 })),
    );
    expect(mended.good.map(({ tokens }) => tokens)).toEqual(['aé']);
  });

  it('keeps rejected records that have only the beginning of their record', async () => {
    const { rejected } = await read(codec, bytesOf(`{"text":"${'x'.repeat(80_000)}"}`));
    expect(JSON.parse(rejected[0]!)).toMatchObject({
      truncated: true,
      code: 'too-long',
      end: 80_011,
    });
    const again = await read(replayCodec(codec), bytesOf(rejected[0]!));
    expect(again).toEqual({ good: [], rejected, blanks: 0 });
  });

  it('takes a record that was too long, and is allowed now', async () => {
    const short = ndjsonCodec({ maxLineBytes: 20 });
    const { rejected } = await read(
      short,
      bytesOf('{"text":"one two three four"}\r\n{"text":"a"}'),
    );
    const again = await read(replayCodec(codec), bytesOf(rejected.join('')));
    expect(again.good.map(({ tokens }) => tokens)).toEqual(['one two three four']);
    expect(again.rejected).toEqual([]);
  });

  it('reports lines that are no rejected records at their own place', async () => {
    const { rejected } = await read(codec, bytesOf('null'));
    const { rejected: reported } = await read(
      replayCodec(codec),
      bytesOf(`{"raw":\n${rejected[0]}[1]`),
    );
    expect(reported.map(text => JSON.parse(text))).toMatchObject([
      { source: 'in', line: 1, start: 0, end: 7, code: 'not-json', raw: '{"raw":' },
      { source: 'in', line: 1, start: 0, end: 4, code: 'not-an-object', raw: 'null' },
      { source: 'in', line: 3, code: 'wrong-shape', raw: '[1]' },
    ]);
  });

  it('takes two records where one was mended into two, and none where it was emptied', async () => {
    const { rejected } = await read(codec, bytesOf('{"text":"a"}{"text":"b"}\nnull'));
    const [one, two] = rejected.map(text => JSON.parse(text));
    const edited = [
      { ...one, raw: '{"text":"a"}\n{"text":"b"}' },
      { ...two, raw: '' },
      { ...two, raw: ' ' },
    ];
    const text = edited.map(record => JSON.stringify(record)).join('\n');
    const { good, rejected: left, blanks } = await read(replayCodec(codec), bytesOf(text));
    expect(good.map(({ tokens, position }) => [tokens, position.line])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect([left, blanks]).toEqual([[], 1]);
  });
});
