import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { regexTokenizer } from '../../src/text/regex-tokenizer.js';
import { splitSentences } from '../../src/text/sentence-splitter.js';

interface Labelled {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly tokens: readonly string[];
  readonly columns: { readonly upos: readonly string[] };
  readonly tags: readonly string[];
}

const folder = new URL('../../corpora/starter/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const records = <T>(name: string): T[] =>
  read(name)
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as T);

const train = records<Labelled>('train.ndjson');
const heldout = records<Labelled>('heldout.ndjson');
const labelled = [...train, ...heldout];
const sample = records<{ id: string; text: string }>('sample.ndjson');
const readme = read('README.md');

const kinds = ['news', 'mail', 'chat', 'instructions', 'reviews', 'questions'];
const upos = 'ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X'.split(
  ' ',
);
const labels = ['PER', 'ORG', 'LOC', 'DATE'];

const tokenize = regexTokenizer();
const slices = (text: string): string[] =>
  tokenize(text).map(([start, end]) => text.slice(start, end));
const count = <T>(items: readonly T[], test: (item: T) => boolean): number =>
  items.filter(test).length;
const tokenCount = (items: readonly Labelled[]): number =>
  items.reduce((sum, record) => sum + record.tokens.length, 0);
/** The cells of the table rows in the README whose first cell is `name`. */
const row = (name: string): string[] | undefined =>
  readme
    .split('\n')
    .map(line => line.split('|').map(cell => cell.trim()))
    .find(cells => cells[1] === name)
    ?.slice(2, -1);

describe('the starter corpus', () => {
  it('has 120 sentences to train on, 30 held out and 8 samples', () => {
    expect([train.length, heldout.length, sample.length]).toEqual([120, 30, 8]);
  });

  it('has 20 and 5 sentences of every kind, one of each in every six lines', () => {
    for (const [set, each] of [
      [train, 20],
      [heldout, 5],
    ] as const) {
      expect(kinds.map(kind => count(set, record => record.kind === kind))).toEqual(
        kinds.map(() => each),
      );
      for (let start = 0; start < set.length; start += 6) {
        const round = set.slice(start, start + 6).map(record => record.kind);
        expect([...round].sort()).toEqual([...kinds].sort());
      }
    }
  });

  it('has ids made of the kind and a number from 01 to 25', () => {
    const expected = kinds.flatMap(kind =>
      Array.from({ length: 25 }, (_, i) => `${kind}-${String(i + 1).padStart(2, '0')}`),
    );
    expect(labelled.map(record => record.id).sort()).toEqual(expected.sort());
    expect(labelled.filter(record => !record.id.startsWith(`${record.kind}-`))).toEqual([]);
  });

  it('has no text twice, in one file or in two', () => {
    const texts = [...labelled, ...sample].map(record => record.text.toLowerCase());
    expect(new Set(texts).size).toBe(158);
  });

  it('has the tokens of the default tokenizer', () => {
    for (const record of labelled) expect(record.tokens).toEqual(slices(record.text));
  });

  it('has one sentence a record', () => {
    for (const { text } of labelled) expect(splitSentences(text, tokenize(text))).toHaveLength(1);
  });

  it('has one part of speech and one tag a token', () => {
    for (const { id, tokens, columns, tags } of labelled) {
      expect([id, columns.upos.length, tags.length]).toEqual([id, tokens.length, tokens.length]);
    }
  });

  it('uses all the 17 parts of speech of Universal Dependencies, and no other', () => {
    for (const set of [train, heldout]) {
      expect([...new Set(set.flatMap(record => record.columns.upos))].sort()).toEqual(upos);
    }
  });

  it('has entity tags in which I- only goes on with what came before', () => {
    const allowed = ['O', ...labels.flatMap(label => [`B-${label}`, `I-${label}`])].sort();
    expect([...new Set(labelled.flatMap(record => record.tags))].sort()).toEqual(allowed);
    const wrong = labelled.filter(({ tags }) =>
      tags.some((tag, t) => tag.startsWith('I-') && tags[t - 1]?.slice(1) !== tag.slice(1)),
    );
    expect(wrong.map(record => record.id)).toEqual([]);
  });
});

describe('its guidelines', () => {
  it('hold for words that have one tag only', () => {
    const fixed: Record<string, readonly string[]> = {
      DET: ['the', 'a', 'every', 'all', 'both', 'some', 'any', 'no', 'each'],
      PART: ['not', "n't"],
      AUX: ["'m", "'re", "'ll", "'d", "'ve", 'will', 'would', 'can', 'could', 'should', 'must'],
      PRON: ['i', 'you', 'my', 'your', 'her', 'its', 'nobody', 'who', 'whose', 'it', 'they'],
      ADV: ['where', 'when', 'why', 'how', 'whenever', 'here'],
      SCONJ: ['if', 'because', 'although', 'while', 'whether'],
      CCONJ: ['and', 'or', 'but', '&'],
      NOUN: ['today', 'tomorrow', 'tonight', 'yesterday', 'thanks'],
      INTJ: ['please'],
    };
    for (const [tag, words] of Object.entries(fixed)) {
      for (const word of words) {
        const seen = labelled.flatMap(({ tokens, columns }) =>
          columns.upos.filter((_, t) => tokens[t]?.toLowerCase() === word),
        );
        expect([word, ...new Set(seen)]).toEqual([word, tag]);
      }
    }
  });

  it('hold for names: tokens of PER, ORG and LOC are PROPN, or words like "of" inside', () => {
    const others = labelled.flatMap(({ tokens, columns, tags }) =>
      tokens.filter((_, t) => /-(PER|ORG|LOC)$/.test(tags[t]!) && columns.upos[t] !== 'PROPN'),
    );
    expect([...new Set(others)].sort()).toEqual(['&', 'of']);
  });
});

describe('its README', () => {
  it('has the counts of every kind', () => {
    for (const kind of [...kinds, 'all']) {
      const set = labelled.filter(record => kind === 'all' || record.kind === kind);
      const lengths = set.map(record => record.tokens.length);
      const tokens = tokenCount(set);
      const expected = [set.length, tokens, Math.min(...lengths)].map(String);
      expected.push((tokens / set.length).toFixed(1), String(Math.max(...lengths)));
      expect([kind, row(kind)]).toEqual([kind, expected]);
    }
  });

  it('has the counts of every part of speech', () => {
    for (const tag of upos) {
      const counts = [train, heldout].map(set =>
        String(
          count(
            set.flatMap(record => record.columns.upos),
            seen => seen === tag,
          ),
        ),
      );
      expect([tag, row(tag)]).toEqual([tag, counts]);
    }
  });

  it('has the counts of every entity label', () => {
    for (const label of labels) {
      const counts = [train, heldout].flatMap(set => {
        const tags = set.flatMap(record => record.tags);
        return [`B-${label}`, `-${label}`].map(end =>
          String(count(tags, tag => tag.endsWith(end))),
        );
      });
      expect([label, row(label)]).toEqual([label, counts]);
    }
  });

  it('has the unknown words and the accuracy of the most frequent tag', () => {
    const seen = new Map<string, Map<string, number>>();
    for (const { tokens, columns } of train) {
      tokens.forEach((token, t) => {
        const tags = seen.get(token.toLowerCase()) ?? new Map<string, number>();
        const tag = columns.upos[t]!;
        seen.set(token.toLowerCase(), tags.set(tag, (tags.get(tag) ?? 0) + 1));
      });
    }
    // Of tags that are equally frequent the one seen first: the sort is stable.
    const guess = (token: string): string =>
      [...(seen.get(token.toLowerCase()) ?? [])].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 'NOUN';
    const tokens = heldout.flatMap(record => record.tokens);
    const gold = heldout.flatMap(record => record.columns.upos);
    expect(count(tokens, token => !seen.has(token.toLowerCase()))).toBe(123);
    expect(tokens.map(guess).filter((tag, t) => tag === gold[t])).toHaveLength(271);
    expect(readme).toContain('Of the 375 held-out tokens, 123 do not occur');
    expect(readme).toContain('271 of the 375 right (72.3 %)');
    expect([tokens.length, ((100 * 271) / 375).toFixed(1)]).toEqual([375, '72.3']);
  });

  it('shows a record as it is in the files', () => {
    const example = /```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const shown = JSON.parse(example) as Labelled;
    expect(labelled.find(record => record.id === shown.id)).toEqual(shown);
  });
});

describe('the sample', () => {
  it('has plain records with ids of their own', () => {
    expect(sample.map(record => record.id)).toEqual(
      Array.from({ length: 8 }, (_, i) => `sample-${i + 1}`),
    );
  });

  it('has one record of three sentences', () => {
    const lengths = sample.map(({ text }) => splitSentences(text, tokenize(text)).length);
    expect(lengths).toEqual([1, 3, 1, 1, 1, 1, 1, 1]);
  });

  it('has one record whose numbers do not survive parsing and printing', () => {
    const lines = read('sample.ndjson').trimEnd().split('\n');
    const changed = lines.filter(line => JSON.stringify(JSON.parse(line)) !== line);
    expect(changed).toHaveLength(1);
    expect(changed[0]).toContain('"likes":3,"price":1.0,"post":12345678901234567890,');
  });
});
