import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Codec } from '../../../src/formats/codecs/codec.js';
import { conllCodec } from '../../../src/formats/codecs/conll/conll-codec.js';
import { conlluCodec } from '../../../src/formats/codecs/conllu/conllu-codec.js';
import { foreignCodec } from '../../../src/formats/codecs/foreign/foreign-codec.js';
import { doccano } from '../../../src/formats/codecs/foreign/foreign-formats.js';
import { lettersCodec } from '../../../src/formats/codecs/letters/letters-codec.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { type ConvertOptions, convert, type Replaced } from '../../../src/runtime/io/convert.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { openOutput } from '../../../src/runtime/io/writing/open-output.js';

async function converted(
  input: string,
  from: Codec,
  to: Codec,
  limit?: number,
  more: Pick<ConvertOptions, 'onReplaced' | 'onDropped' | 'exact'> = {},
) {
  const stdin = new PassThrough();
  stdin.end(input);
  const stdout = new PassThrough();
  let text = '';
  stdout.on('data', chunk => {
    text += chunk;
  });
  const deadLetters = new DeadLetters({ policy: 'skip' });
  const output = await openOutput('-', { stdout });
  const selection = { limit };
  const { records } = await convert({
    files: ['-'],
    stdin,
    from,
    to,
    output,
    deadLetters,
    selection,
    ...more,
  });
  return { text, records, bad: deadLetters.counts };
}

describe('convert', () => {
  it('names what a record of several annotations does not pass on to each', async () => {
    const input = `${JSON.stringify({
      ...{ id: 1, text: 'Ann flew', mood: 'good' },
      annotations: [
        { user: 1, label: 'PER', start_offset: 0, end_offset: 3 },
        { user: 2, label: 'ORG', start_offset: 0, end_offset: 3, note: 'x' },
      ],
    })}\n`;
    const named = async (annotations: 'each' | 'first') => {
      const names: string[] = [];
      const from = foreignCodec(doccano, { annotations });
      const onDropped = ({ name }: { readonly name: string }) => names.push(name);
      const { records } = await converted(input, from, ndjsonCodec(), undefined, { onDropped });
      return [records, names];
    };
    const [records, names] = await named('each');
    expect(records).toBe(2);
    expect(new Set(names as readonly string[])).toEqual(
      new Set(['mood', 'annotations[].user', 'annotations[].note']),
    );
    // One record keeps the whole of it.
    expect(await named('first')).toEqual([1, []]);
  });

  it('makes NDJSON of CoNLL', async () => {
    const { text, records, bad } = await converted(
      'a N X\nb V Y\n\nc\n\nd N _\n',
      conllCodec(),
      ndjsonCodec(),
    );
    expect(text).toBe(
      '{"tokens":["a","b"],"columns":{"pos":["N","V"]},"tags":["X","Y"]}\n' +
        '{"tokens":["d"],"columns":{"pos":["N"]}}\n',
    );
    expect([records, bad]).toEqual([2, { 'wrong-shape': 1 }]);
  });

  it('makes CoNLL of NDJSON; texts get their tokens', async () => {
    const input =
      '{"tokens":["a"],"columns":{"pos":["N"]},"tags":["X"]}\n{"text":"a"}\n{"tokens":["b"]}\n';
    const { text, records, bad } = await converted(input, ndjsonCodec(), conllCodec());
    expect(text).toBe('a N X\n\na _ _\n\nb _ _\n\n');
    expect([records, bad]).toEqual([3, {}]);
  });

  it('makes CoNLL of CoNLL-U and of letters', async () => {
    const conllu = '# sent_id = 1\n1\ta\tA\tDET\tDT\t_\t0\troot\t_\t_\n\n';
    const to = conllCodec({ columns: ['form', 'xpos', 'tag'] });
    expect((await converted(conllu, conlluCodec(), to)).text).toBe('a DT DET\n\n');
    const letters = lettersCodec({ columns: ['word', 'phonemes'] });
    expect((await converted('ab\txb\n', letters, to)).text).toBe('a _ x\nb _ b\n\n');
  });

  it('copies records between equal formats', async () => {
    const input = '{"n": 1.0, "text": "a"}\n{"text":"b"}\n';
    expect(await converted(input, ndjsonCodec(), ndjsonCodec())).toEqual({
      text: input,
      records: 2,
      bad: {},
    });
  });

  it.each([
    ['conll', conllCodec({ columns: ['form', 'tag'] }), 'a_b X\n\ufffd Y\n_ Z_\n\n'],
    [
      'conllu',
      conlluCodec(),
      ['a_b\t_\t_\tX', '\ufffd\t_\t_\tY', '_\t_\t_\tZ_'].map((row, i) => `${i + 1}\t${row}`),
    ],
  ])('reports each value that %s cannot hold, or rejects its record', async (_, to, wanted) => {
    const text =
      typeof wanted === 'string'
        ? wanted
        : `# tags = xpos\n${wanted.map(row => `${row}${'\t_'.repeat(5)}\n`).join('')}\n`;
    const input = `{"tokens":["c"],"tags":["X"]}\n{"tokens":["a\\tb","\\ud83d",""],"tags":["X","Y","Z\\r\\n"]}\n`;
    const replaced: Replaced[] = [];
    const onReplaced = (one: Replaced) => replaced.push(one);
    const found = await converted(input, ndjsonCodec(), to, undefined, { onReplaced });
    expect([found.records, found.text.slice(found.text.indexOf('\n\n') + 2)]).toEqual([2, text]);
    expect(
      replaced.map(({ position, value, written }) => [position?.line, value, written]),
    ).toEqual(
      expect.arrayContaining([
        [2, 'a\tb', 'a_b'],
        [2, '\ud83d', '\ufffd'],
        [2, '', '_'],
        [2, 'Z\r\n', 'Z_'],
      ]),
    );
    expect(replaced).toHaveLength(4);
    const exact = await converted(input, ndjsonCodec(), to, undefined, { exact: true });
    expect([exact.records, exact.bad]).toEqual([1, { 'wrong-shape': 1 }]);
  });

  it('reports half of a surrogate pair in letters', async () => {
    const replaced: unknown[] = [];
    const onReplaced = ({ value, written }: Replaced) => replaced.push([value, written]);
    const to = lettersCodec({ columns: ['word', 'phonemes'] });
    const input = '{"tokens":["a","\\udc00"],"tags":["x","y"]}\n';
    const { text } = await converted(input, ndjsonCodec(), to, undefined, { onReplaced });
    expect([text, replaced]).toEqual(['a\ufffd\txy\n', [['a\udc00', 'a\ufffd']]]);
  });

  it('moves tags between a column and the field tags', async () => {
    const input = '{"id":7,"tokens":["a"],"columns":{"upos":["N"]}}\n';
    const there = await converted(input, ndjsonCodec({ tag: 'upos' }), ndjsonCodec());
    expect(there.text).toBe('{"id":7,"tokens":["a"],"columns":{"upos":["N"]},"tags":["N"]}\n');
    const back = await converted(there.text, ndjsonCodec(), ndjsonCodec({ tag: 'upos' }));
    expect(back.text).toBe(input);
  });

  it('is held back by nothing over many records, and keeps their order', async () => {
    const input = Array.from({ length: 30_000 }, (_, i) => `w${i} X\n\n`).join('');
    const from = conllCodec({ columns: ['form', 'tag'] });
    const { text, records } = await converted(input, from, ndjsonCodec());
    expect(records).toBe(30_000);
    expect(text).toBe(
      Array.from({ length: 30_000 }, (_, i) => `{"tokens":["w${i}"],"tags":["X"]}\n`).join(''),
    );
    expect((await converted(input, from, ndjsonCodec(), 3)).records).toBe(3);
  });
});
