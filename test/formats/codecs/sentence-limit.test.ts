import { lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { TagstreamError } from '../../../src/engine/core/errors.js';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import { tokenize } from '../../../src/engine/operators/tokenize.js';
import { characterTokenizer } from '../../../src/engine/text/tokenizers/character-tokenizer.js';
import { regexTokenizer } from '../../../src/engine/text/tokenizers/regex-tokenizer.js';
import type { Tokenizer } from '../../../src/engine/text/tokenizers/tokenizer.js';
import { treebankTokenizer } from '../../../src/engine/text/tokenizers/treebank-tokenizer.js';
import { unicodeTokenizer } from '../../../src/engine/text/tokenizers/unicode-tokenizer.js';
import { whitespaceTokenizer } from '../../../src/engine/text/tokenizers/whitespace-tokenizer.js';
import type { Codec } from '../../../src/formats/codecs/codec.js';
import { conllCodec } from '../../../src/formats/codecs/conll/conll-codec.js';
import { conlluCodec } from '../../../src/formats/codecs/conllu/conllu-codec.js';
import { lettersCodec } from '../../../src/formats/codecs/letters/letters-codec.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { bytesOf, cut, readAll } from '../../runtime/io/sources/read-all.js';

const maxTokens = 3;
const row = '1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n';
const advice = '(the limit is 3; split it, or raise maxTokens)';

/** A codec, records of which the second one is too large, and what is said of that. */
const rows: readonly [string, Codec, string, string][] = [
  [
    'CoNLL',
    conllCodec({ columns: ['form', 'tag'], maxTokens }),
    ['a X\n'.repeat(3), 'b X\n'.repeat(50), 'c X\n'].join('\n'),
    'a sentence of 50 lines',
  ],
  [
    'CoNLL with comments',
    conllCodec({ columns: ['form', 'tag'], comment: '#', maxTokens }),
    ['a X\n'.repeat(3), `${'#\n'.repeat(9)}b X\n`, '#\n'.repeat(9), 'c X\n'].join('\n'),
    'a sentence of 10 lines',
  ],
  [
    'CoNLL-U',
    conlluCodec({ maxTokens }),
    [row.repeat(3), row.repeat(4), row].join('\n'),
    'a sentence of 4 lines',
  ],
  [
    'letters',
    lettersCodec({ columns: ['word', 'tags'], tag: 'tags', maxTokens }),
    'a😀b\txyz\n😀😀😀😀\txy\na\tx\n',
    'a word of 4 letters',
  ],
];

describe.each(rows)('a record of too many tokens: %s', (_, codec, text, problem) => {
  it.each([1, 7, 1000])('is bad, and the next one is read (chunks of %i)', async size => {
    const { documents, bad } = await readAll(codec, cut(bytesOf(text), size));
    expect(documents.map(({ tokens }) => tokens!.length)).toEqual([3, 1]);
    expect(bad.map(({ error }) => [error.code, error.problem, error.fix])).toEqual([
      ['too-large', problem, advice.slice(1, -1)],
    ]);
    const { start, end } = bad[0]!.position;
    expect(Buffer.from(text).subarray(start, end).toString()).toBe(
      text.split(/\n\n|\n(?=a\tx\n|😀)/)[1]!.trimEnd(),
    );
  });
});

/** What becomes of a document: the lengths of its sentences, or why it is rejected. */
async function outcome(document: Document, tokenizer?: Tokenizer): Promise<unknown> {
  let rejected: TagstreamError | undefined;
  const delivery = {
    position: { source: 'test', line: 1, start: 0, end: 1 },
    release: () => undefined,
    ack: () => undefined,
    reject: (error: TagstreamError) => {
      rejected = error;
    },
  };
  const sentences = await lastValueFrom(
    of({ ...document, delivery }).pipe(
      tokenize(tokenizer === undefined ? {} : { tokenizer }),
      toArray(),
    ),
  );
  return rejected?.message ?? sentences.map(({ tokens }) => tokens.length);
}

describe('tokens and text of a record', () => {
  it('may have so many tokens in each sentence, as the source says', async () => {
    const [document] = (await readAll(ndjsonCodec({ maxTokens }), '{"text":"a b c. d"}')).documents;
    expect(document!.maxTokens).toBe(3);
    expect(await outcome(document!)).toBe(`a sentence of 5 tokens ${advice}`);
    expect(await outcome({ tokens: ['a', 'b', 'c'], maxTokens })).toEqual([3]);
    expect(await outcome({ tokens: ['a', 'b', 'c', 'd'], maxTokens })).toBe(
      `a sentence of 4 tokens ${advice}`,
    );
    const divided = {
      tokens: ['a', 'b', 'c', 'd'],
      sentences: [
        [0, 1],
        [1, 4],
      ] as const,
    };
    expect(await outcome({ ...divided, maxTokens })).toEqual([1, 3]);
  });

  it('may have 100,000 by default', async () => {
    const tokens = Array<string>(100_000).fill('a');
    expect(await outcome({ tokens })).toEqual([100_000]);
    expect(await outcome({ tokens: [...tokens, 'a'] })).toMatch('a sentence of 100001 tokens');
    expect(await outcome({ text: 'a '.repeat(100_001) })).toMatch('a sentence of 100001 tokens');
  });

  it('may have so many tokens and sentences in all', async () => {
    const short = 'It rains now.\n\n';
    expect(await outcome({ text: short.repeat(8), maxTokens: 4 })).toHaveLength(8);
    expect(await outcome({ text: short.repeat(9), maxTokens: 4 })).toMatch('more than 8 sentences');
    expect(await outcome({ text: 'a '.repeat(65), maxTokens: 4 })).toMatch('more than 64 tokens');
  });

  it.each([
    ['regex', regexTokenizer()],
    ['treebank', treebankTokenizer()],
    ['unicode', unicodeTokenizer()],
    ['whitespace', whitespaceTokenizer()],
    ['graphemes', characterTokenizer()],
    ['code points', characterTokenizer({ unit: 'code-point' })],
  ])('are not collected past what is of use: %s', (_, tokenizer) => {
    const text = 'a ( b ) '.repeat(100) + '()'.repeat(500);
    expect(tokenizer(text, 10)).toEqual(tokenizer(text).slice(0, 11));
    expect(tokenizer('(('.repeat(9), 3).length).toBeLessThanOrEqual(4);
  });

  it('with a word of millions of characters is read, or rejected by what is wrong with it', async () => {
    expect(await outcome({ text: 'a'.repeat(4_000_000) })).toEqual([1]);
    expect(await outcome({ text: '日'.repeat(5_000_000) })).toMatch(
      /^the token pattern finds no end of the word at character 0 \(split/,
    );
    expect(await outcome({ text: '日'.repeat(5_000_000) }, whitespaceTokenizer())).toEqual([1]);
  });
});
