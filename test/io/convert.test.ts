import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Codec } from '../../src/io/codec.js';
import { conllCodec } from '../../src/io/conll/conll-codec.js';
import { conlluCodec } from '../../src/io/conllu/conllu-codec.js';
import { convert } from '../../src/io/convert.js';
import { DeadLetters } from '../../src/io/dead-letters.js';
import { lettersCodec } from '../../src/io/letters/letters-codec.js';
import { ndjsonCodec } from '../../src/io/ndjson/ndjson-codec.js';
import { openOutput } from '../../src/io/open-output.js';

async function converted(input: string, from: Codec, to: Codec, limit?: number) {
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
  });
  return { text, records, bad: deadLetters.counts };
}

describe('convert', () => {
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

  it('makes CoNLL of NDJSON; what has no tokens goes to the dead letters', async () => {
    const input =
      '{"tokens":["a"],"columns":{"pos":["N"]},"tags":["X"]}\n{"text":"a"}\n{"tokens":["b"]}\n';
    const { text, records, bad } = await converted(input, ndjsonCodec(), conllCodec());
    expect(text).toBe('a N X\n\nb _ _\n\n');
    expect([records, bad]).toEqual([2, { 'wrong-shape': 1 }]);
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

  it('moves tags between a column and the field tags', async () => {
    const input = '{"id":7,"tokens":["a"],"columns":{"upos":["N"]}}\n';
    const there = await converted(input, ndjsonCodec({ tag: 'upos' }), ndjsonCodec());
    expect(there.text).toBe('{"id":"7","tokens":["a"],"tags":["N"]}\n');
    const back = await converted(there.text, ndjsonCodec(), ndjsonCodec({ tag: 'upos' }));
    expect(back.text).toBe('{"id":"7","tokens":["a"],"columns":{"upos":["N"]}}\n');
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
