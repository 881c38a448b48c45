import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../src/engine/core/random.js';
import type { Range } from '../../../../../src/engine/core/sentence/document.js';
import { FeatureExtractor } from '../../../../../src/engine/features/extraction/feature-extractor.js';
import { ExactIndex } from '../../../../../src/engine/features/index/exact-index.js';
import { parseTemplates } from '../../../../../src/engine/features/template/parse-templates.js';
import { TextFeatures } from '../../../../../src/engine/features/texts/text-features.js';
import type { TokenizeOptions } from '../../../../../src/engine/operators/tokenize.js';
import { splitSentences } from '../../../../../src/engine/text/sentences/sentence-splitter.js';
import { regexTokenizer } from '../../../../../src/engine/text/tokenizers/regex-tokenizer.js';
import { treebankTokenizer } from '../../../../../src/engine/text/tokenizers/treebank-tokenizer.js';
import { unicodeTokenizer } from '../../../../../src/engine/text/tokenizers/unicode-tokenizer.js';
import { whitespaceTokenizer } from '../../../../../src/engine/text/tokenizers/whitespace-tokenizer.js';
import { PlainRecords } from '../../../../../src/formats/codecs/ndjson/plain-records.js';
import { TextTokens } from '../../../../../src/formats/codecs/ndjson/texts/text-tokens.js';
import { WordDivision } from '../../../../../src/formats/codecs/ndjson/texts/word-division.js';
import { bytesOf } from '../../../../runtime/io/sources/read-all.js';

/** Texts of each row: so many in the long form. */
const count = process.env.TAGSTREAM_FULL === undefined ? 2000 : 100_000;

/** What is divided of records that are read at once. */
class Divider {
  readonly #records: PlainRecords;
  readonly #texts: TextFeatures['texts'];
  readonly #tokens: TextTokens;
  readonly #division: WordDivision;

  constructor(tokenization: TokenizeOptions, maxTokens = 100_000) {
    const { plan } = new FeatureExtractor(parseTemplates('U00:%x[0,0]'), ['form']);
    const { texts } = new TextFeatures(plan, new ExactIndex());
    this.#texts = texts;
    this.#records = new PlainRecords(texts, { columns: [], maxLineBytes: 2 ** 20 });
    this.#tokens = new TextTokens(texts.memory);
    const limits = { maxTokens, mostTokens: 16 * maxTokens };
    this.#division = WordDivision.of({
      ...{ records: this.#records, texts, tokens: this.#tokens, tokenization, ...limits },
    })!;
  }

  /** Tokens and sentences of each text, undefined where the words of it do not say. */
  divide(texts: readonly string[]): readonly (readonly [Range[], Range[]] | undefined)[] {
    const records = this.#records;
    records.open(bytesOf(texts.map(text => `${JSON.stringify({ text })}\n`).join('')));
    const all: (readonly [Range[], Range[]] | undefined)[] = [];
    while (all.length < texts.length) {
      records.read('texts');
      const found = this.#division.divide(records.count);
      if (found.records === 0) all.push(undefined);
      else all.push(...this.#tokensOf(found));
      records.backTo(Math.max(found.records, 1));
    }
    return all;
  }

  #tokensOf({ records, starts, firstSentences }: ReturnType<WordDivision['divide']>) {
    const { memory } = this.#texts;
    const ranges = new Uint32Array(memory.buffer, this.#tokens.ranges.offset, 2 * starts.at(-1)!);
    return Array.from({ length: records }, (_, record) => {
      const own = starts.slice(firstSentences[record], firstSentences[record + 1]! + 1);
      const [first, end] = [own[0]!, own.at(-1)!];
      const tokens = Array.from({ length: end - first }, (_, i): Range => {
        const at = 2 * (first + i);
        return [ranges[at]!, ranges[at + 1]!];
      });
      const sentences = own.slice(1).map((to, i): Range => [own[i]! - first, to - first]);
      return [tokens, sentences] as const;
    });
  }
}

const usual = [
  ...'aB 1.,;:?!-_\'"()[]{}/@#$%&*+=<>|~^`\\'.split(''),
  ...['The', 'I', 'he', 'Mr', 'No', 'etc', 'U.S', 'e.g', "don't", 'can’t', 'http://a.b/c', 'a@b.c'],
  ...[
    "l'a",
    'www.a.b',
    'Ph.D.',
    '#a',
    'v. ',
    '.NET',
    'a.b/c?Q=x',
    'z. B. ',
    '3. ',
    'S. ',
    'Ges. ',
    '. » ',
    '! ) ',
    '?Q=x',
    '1\ufe0f\u20e3',
  ],
  ...['5', '3.5', '1st', '--', '...', '. ', '. ', '? ', '.) ', '." ', ' ', ' ', ' ', '\n', '\n\n'],
  ...[
    '\r\n',
    '\t',
    '\f',
    '\b',
    'é',
    'É',
    'ß',
    'ж',
    'Ж',
    'ω',
    'א',
    '“',
    '”',
    '’',
    '—',
    '…',
    '\u00a0',
  ],
  ...[
    '\u00ad',
    '\u0301',
    '\u200d',
    '\u2028',
    '\u2029',
    '\u0085',
    '\ufeff',
    '東',
    '😀',
    '¿',
    '«',
    '»',
  ],
];

/** A text of pieces, now and then with any character that has a class. */
function textOf(random: Random, pieces: readonly string[], oneIn: number): string {
  const below = (most: number) => random.below(most);
  const any = () => {
    const code = below(0xb00);
    return String.fromCharCode(code < 0x800 ? code : code + 0x1800);
  };
  const length = 1 + below(24);
  return Array.from({ length }, () =>
    below(oneIn) === 0 ? any() : pieces[below(pieces.length)]!,
  ).join('');
}

const ascii = usual.filter(piece => /^[\0-\x7f]*$/.test(piece));

const rows: readonly [string, TokenizeOptions][] = [
  ['regex', { tokenizer: regexTokenizer() }],
  ['regex, French', { tokenizer: regexTokenizer({ locale: 'fr' }), locale: 'fr' }],
  ['regex, Italian', { tokenizer: regexTokenizer({ locale: 'it' }), locale: 'it' }],
  [
    'regex, German, own abbreviations',
    { tokenizer: regexTokenizer({ locale: 'de' }), locale: 'de', abbreviations: ['Ges.'] },
  ],
  ['treebank', { tokenizer: treebankTokenizer() }],
  ['unicode', { tokenizer: unicodeTokenizer() }],
  ['whitespace', { tokenizer: whitespaceTokenizer(), locale: 'de' }],
  ['whitespace, Greek', { tokenizer: whitespaceTokenizer(), locale: 'el' }],
  ['regex, one sentence', { sentences: false }],
];

describe.each(rows)('WordDivision, %s', (_, tokenization) => {
  const { tokenizer = regexTokenizer(), sentences = true, locale, abbreviations } = tokenization;
  const options = { locale, abbreviations };

  it.each([
    ['ASCII', ascii, Number.POSITIVE_INFINITY, 0.9],
    ['Latin', usual, 40, 0.1],
  ] as const)(
    'divides texts as strings are (%s)',
    { tags: 'slow' },
    (_name, pieces, oneIn, share) => {
      const random = new Random(11);
      const divider = new Divider(tokenization);
      let divided = 0;
      for (let round = 0; round < count; round += 100) {
        const texts = Array.from({ length: 100 }, () =>
          textOf(random, pieces, Math.min(oneIn, 1e9)),
        );
        for (const [i, found] of divider.divide(texts).entries()) {
          if (found === undefined) continue;
          divided += 1;
          const text = texts[i]!;
          const tokens = tokenizer(text);
          const wanted = sentences ? splitSentences(text, tokens, options) : [[0, tokens.length]];
          expect([text, ...found]).toEqual([text, tokens, wanted]);
        }
      }
      expect(divided / count).toBeGreaterThan(share * 0.5);
    },
  );
});
