import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import type { Range } from '../../../../src/engine/core/sentence/document.js';
import { splitSentences } from '../../../../src/engine/text/sentences/sentence-splitter.js';
import { characterTokenizer } from '../../../../src/engine/text/tokenizers/character-tokenizer.js';
import { regexTokenizer } from '../../../../src/engine/text/tokenizers/regex-tokenizer.js';
import type { Tokenizer } from '../../../../src/engine/text/tokenizers/tokenizer.js';
import { unicodeTokenizer } from '../../../../src/engine/text/tokenizers/unicode-tokenizer.js';
import { whitespaceTokenizer } from '../../../../src/engine/text/tokenizers/whitespace-tokenizer.js';

function sentenceTexts(text: string, tokenize: Tokenizer, locale?: string): string[] {
  const tokens = tokenize(text);
  return splitSentences(text, tokens, locale === undefined ? {} : { locale }).map(([first, end]) =>
    text.slice(tokens[first][0], tokens[end - 1][1]),
  );
}

/** Sentences, to be found again in the text that they make with spaces between them. */
const paragraphs: readonly (readonly string[])[] = [
  ['The river rose.', 'We moved the boats!', 'Did it help?', 'A little.'],
  ['Mr. Fox met Dr. Low and Prof. Hart.', 'They spoke for an hour.'],
  ['J. Fox and A. B. Low wrote it.', 'Nobody read it.'],
  ['Bring fruit, e.g. Apples from the shed.', 'Wash them first.'],
  ['It rained (i.e. Nobody came).', 'We went home.'],
  ['See Fig. 3 and pp. 12 to 14.', 'On Jan. 5 it closed.'],
  ['He lives in the U.S.', 'The house is small.'],
  ['The U.S. Navy bought it.', 'It sank.'],
  ['So did I.', 'Then we left.'],
  ['It cost 3.50 a pound.', 'That was in 1999.', 'It is 4.20 now.'],
  ['“Stop!” she said.', '“Why?” he asked.'],
  ['"Stop!" she said.', '"Why?" he asked.'],
  ['“Stop!”', 'She ran.'],
  ['She left (at last!).', 'We slept.'],
  ['Well... it may be so.', 'Who knows?!', 'Not I.'],
  ['At 5 p.m. the bell rings.', 'Nobody hears it.'],
  ['No.', 'That is No. 7 in the row.'],
  ['The file is at https://a.example/b.txt now.', 'Read it.'],
  ['¿Vienes?', '¡Claro!', 'Vamos.'],
  ['Он пришёл.', 'Она ушла.'],
  ['We use .NET here.', 'They do not.'],
  ['See example.org/find?Q=x or //a.example/!B now.', 'Read it.'],
  ['She cites Roe v. Wade twice.', 'He does not.'],
];

describe('splitSentences', () => {
  it.each(paragraphs)('%s | %s', (...sentences) => {
    const text = sentences.join(' ');
    expect(sentenceTexts(text, regexTokenizer())).toEqual(sentences);
    expect(sentenceTexts(text, whitespaceTokenizer())).toEqual(sentences);
    expect(sentenceTexts(text, unicodeTokenizer())).toEqual(sentences);
  });

  it('finds the sentences of a text without spaces', () => {
    expect(sentenceTexts('雨が降る。犬が走る。', characterTokenizer(), 'ja')).toEqual([
      '雨が降る。',
      '犬が走る。',
    ]);
  });

  it('ends sentences of a text without spaces that has a slash', () => {
    const sentences = ['风速为5km/h。', '雨停了。'];
    expect(sentenceTexts(sentences.join(''), characterTokenizer(), 'zh')).toEqual(sentences);
  });

  it('takes a single line break for a space', () => {
    for (const lineBreak of ['\n', '\r\n', '\r', '\u2028', ' \n ']) {
      expect(
        sentenceTexts(`The old${lineBreak}River rose. It${lineBreak}fell.`, whitespaceTokenizer()),
      ).toEqual([`The old${lineBreak}River rose.`, `It${lineBreak}fell.`]);
    }
  });

  it('ends a sentence at an empty line, also after an abbreviation or without a full stop', () => {
    for (const empty of ['\n\n', '\r\n\r\n', '\r\r', '\n \t\n', '\n\n\n', ' \n\n ', '\u2029']) {
      expect(
        sentenceTexts(`A heading${empty}by Mr.${empty}fox, e.g.${empty}so`, whitespaceTokenizer()),
      ).toEqual(['A heading', 'by Mr.', 'fox, e.g.', 'so']);
    }
  });

  it('never ends a sentence inside a token', () => {
    const text = 'We met. They left. Good.';
    expect(
      splitSentences(text, [
        [0, 2],
        [3, 12],
        [13, 18],
        [19, 24],
      ]),
    ).toEqual([
      [0, 3],
      [3, 4],
    ]);
  });

  it('finds a boundary among characters that are in no token', () => {
    const text = 'We met. ** They left.';
    expect(
      splitSentences(text, [
        [0, 2],
        [3, 6],
        [11, 15],
        [16, 20],
      ]),
    ).toEqual([
      [0, 2],
      [2, 4],
    ]);
  });

  it('gives nothing for no tokens and one sentence for one', () => {
    expect(splitSentences('', [])).toEqual([]);
    expect(splitSentences(' \n\n ', [])).toEqual([]);
    expect(splitSentences(' a ', [[1, 2]])).toEqual([[0, 1]]);
    expect(splitSentences('\n\na\n\n', [[2, 3]])).toEqual([[0, 1]]);
  });

  it('refuses a locale that is no language tag', () => {
    expect(() => splitSentences('a', [[0, 1]], { locale: '?' })).toThrow(TagstreamError);
  });

  it('takes time in proportion to a long text', () => {
    const text = 'Mr. Fox ran. "No!" he said.\n'.repeat(5000);
    const tokens: Range[] = whitespaceTokenizer()(text);
    expect(splitSentences(text, tokens)).toHaveLength(10_000);
  });
});

describe('splitSentences on any text', () => {
  const pieces = [
    ...['a', 'B', 'Mr', 'e.g', 'J', '3', '😀', '\u0308', '\ud83d', '。', '日'],
    ...['.', '.', '!', '?', '"', '”', ')', ' ', ' ', ' ', '\n', '\n\n', '\r\n', '\u2029', '\ufeff'],
  ];
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map(p => p.join(''));
  const tokenizers = fc.constantFrom(
    regexTokenizer(),
    whitespaceTokenizer(),
    unicodeTokenizer(),
    characterTokenizer(),
    regexTokenizer({ pattern: '[a-z]+' }),
  );
  const settings = { seed: 4, numRuns: 1000 };

  it('every token is in one sentence, in order, and no sentence is empty', () => {
    fc.assert(
      fc.property(texts, tokenizers, (text, tokenize) => {
        const tokens = tokenize(text);
        let end = 0;
        for (const sentence of splitSentences(text, tokens)) {
          expect(sentence[0]).toBe(end);
          expect(sentence[1]).toBeGreaterThan(end);
          end = sentence[1];
        }
        expect(end).toBe(tokens.length);
      }),
      settings,
    );
  });

  it('an empty line between two tokens is a boundary, and a boundary follows no title', () => {
    fc.assert(
      fc.property(texts, tokenizers, (text, tokenize) => {
        const tokens = tokenize(text);
        const starts = new Set(splitSentences(text, tokens).map(sentence => sentence[0]));
        for (let t = 1; t < tokens.length; t += 1) {
          const gap = text.slice(tokens[t - 1][1], tokens[t][0]);
          if (gap.includes('\n\n')) expect(starts).toContain(t);
          else if (!gap.includes('\n') && !gap.includes('\u2029')) {
            if (/(?:^|\s)Mr\.$/.test(text.slice(0, tokens[t - 1][1])))
              expect(starts).not.toContain(t);
          }
        }
      }),
      settings,
    );
  });
});
