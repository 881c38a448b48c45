import { describe, expect, test } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { BadRecord } from '../../../../src/formats/bad-records/bad-record.js';
import type { ReadContext } from '../../../../src/formats/codecs/codec.js';
import { conllOptions } from '../../../../src/formats/codecs/conll/conll-codec.js';
import { conllLayout } from '../../../../src/formats/codecs/conll/conll-layout.js';
import { readSentence } from '../../../../src/formats/codecs/conll/read-sentence.js';
import { readBlockRecords } from '../../../../src/formats/codecs/read-block-records.js';
import type { StreamStart } from '../../../../src/formats/lines/line-splitter.js';

interface Given {
  readonly options: Parameters<typeof conllOptions.parse>[0];
  readonly maxLineBytes: number;
  readonly from?: StreamStart;
}

/** All that comes of a stream: what is asked for and bad records, in their order, then the documents with their places. */
async function read(chunks: readonly Uint8Array[], given: Given) {
  const layout = conllLayout(conllOptions.parse(given.options));
  const found: unknown[] = [];
  let asked = 0;
  const context: ReadContext = {
    source: 'some',
    from: given.from,
    onBad: ({ position, error, ...bad }: BadRecord) =>
      found.push({ position, error: `${error.message} ${error.place?.line}`, ...bad }),
    wanted: start => {
      asked += 1;
      found.push(start);
      return asked % 7 !== 0;
    },
    deliver: (position, raw) => ({ position, raw }) as never,
  };
  const records = readBlockRecords(chunks, context, {
    format: 'rows',
    maxLineBytes: given.maxLineBytes,
    isComment: layout.isComment,
    parse: lines => readSentence(lines, layout),
  });
  const documents: unknown[] = [];
  for await (const some of records) documents.push(...some);
  return [...found, ...documents];
}

function chunksOf(bytes: Uint8Array, random: Random): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random.below(random.below(4) === 0 ? 8 : 400);
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  return chunks;
}

const words = ['a', 'the', 'É', '日本', 'Rockwell', '_', 'x'.repeat(24), 'y'.repeat(25), '\ufeff'];
const odd = [
  '',
  ' ',
  '\t',
  '\r',
  '# c',
  '-DOCSTART- O',
  '-DOCSTART-',
  'a\rb',
  '\u00a0',
  '\u0000',
  'z'.repeat(70),
];

/** A text of rows, most of them right. */
function text(random: Random): Uint8Array {
  const any = <T>(list: readonly T[]) => list[random.below(list.length)]!;
  const oddness = any([0, 0, 5, 40]);
  const lineEnd = any(['\n', '\n', '\n', '\r\n']);
  let rows = any(['', '', '\ufeff', '\n', ' \n']);
  for (let i = 0; i < 40; i += 1) {
    if (random.below(4) === 0) rows += any(['', '', '', ' ', '\t\t\t\t']) + lineEnd;
    const cells = Array.from({ length: any([3, 3, 3, 3, 2, 4]) }, () => any(words));
    if (random.below(100) < oddness) rows += any(odd);
    rows += cells.join(any([' ', '\t', ' ', '  '])) + any(['', '', '', ' ']) + lineEnd;
  }
  if (random.below(2) === 0) rows += lineEnd;
  const bytes = new TextEncoder().encode(rows);
  if (random.below(5) === 0) bytes[random.below(bytes.length)] = 0xff;
  return bytes;
}

describe('rows', () => {
  const all: Given['options'][] = [
    {},
    { separator: 'tab' },
    { tagOptional: true, unknown: '?' },
    { columns: ['form', 'tag'] },
    { columns: ['_', 'form', 'pos'], separator: 'tab' },
    { comment: '#' },
    { alternatives: '|' },
  ];

  test.each(all)('are the same however their bytes are cut: %j', async options => {
    const random = new Random(7);
    let documents = 0;
    for (let i = 0; i < 60; i += 1) {
      const bytes = text(random);
      const given: Given = {
        options,
        maxLineBytes: [60, 200, 100_000][random.below(3)]!,
        ...(random.below(4) === 0 ? { from: { offset: 100, line: 9, atLineStart: true } } : {}),
        ...(random.below(9) === 0 ? { from: { offset: 100, line: 9 } } : {}),
      };
      const chunks = chunksOf(bytes, random);
      const expected = await read([bytes], given);
      expect(await read(chunks, given)).toEqual(expected);
      documents += expected.filter(one => typeof one === 'object').length;
    }
    expect(documents).toBeGreaterThan(100);
  });

  test('continue for long without a blank line', async () => {
    const line = new TextEncoder().encode('token NN B-NP\n'.repeat(2 ** 13));
    const chunks = [
      ...Array.from({ length: 12 }, () => line),
      new TextEncoder().encode('\na b c\n'),
    ];
    const given = { options: {}, maxLineBytes: 2 ** 21 };
    const [, , first, second] = await read(chunks, given);
    expect((first as { tokens: string[] }).tokens.length).toBe(12 * 2 ** 13);
    expect(second).toMatchObject({ tokens: ['a'], tags: ['c'] });
  });
});
