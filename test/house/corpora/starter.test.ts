import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { splitSentences } from '../../../src/engine/text/sentences/sentence-splitter.js';
import { regexTokenizer } from '../../../src/engine/text/tokenizers/regex-tokenizer.js';

interface Labelled {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly tokens: readonly string[];
  readonly columns: { readonly upos: readonly string[] };
  readonly tags: readonly string[];
}

const folder = new URL('../../../corpora/starter/', import.meta.url);
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

/** The entities of a record as `label words`, in lower case but for the label. */
function entities({ tokens, tags }: Labelled): string[] {
  return tags.flatMap((tag, start) => {
    if (!tag.startsWith('B-')) return [];
    let end = start + 1;
    while (tags[end]?.startsWith('I-')) end += 1;
    return [`${tag.slice(2)} ${tokens.slice(start, end).join(' ').toLowerCase()}`];
  });
}

describe('the starter corpus', () => {
  it('has 500 sentences to train on, 100 held out and 8 samples', () => {
    expect([train.length, heldout.length, sample.length]).toEqual([500, 100, 8]);
  });

  it('has as many sentences of every kind, one of each in every six lines', () => {
    for (const [set, each] of [
      [train, [83, 83, 83, 83, 84, 84]],
      [heldout, [17, 17, 17, 17, 16, 16]],
    ] as const) {
      expect(kinds.map(kind => count(set, record => record.kind === kind))).toEqual(each);
      for (let start = 0; start + 6 <= set.length; start += 6) {
        const round = set.slice(start, start + 6).map(record => record.kind);
        expect([...round].sort()).toEqual([...kinds].sort());
      }
    }
  });

  it('holds out every sixth sentence from number 26 on', () => {
    const numbers = (kind: string): number[] =>
      heldout
        .filter(record => record.kind === kind)
        .map(record => Number(record.id.split('-')[1]))
        .filter(number => number > 25)
        .sort((a, b) => a - b);
    for (const kind of kinds) {
      const length = kind === 'reviews' || kind === 'questions' ? 11 : 12;
      expect([kind, numbers(kind)]).toEqual([kind, Array.from({ length }, (_, i) => 31 + 6 * i)]);
    }
  });

  it('has ids made of the kind and a number from 01 to 100', () => {
    const expected = kinds.flatMap(kind =>
      Array.from({ length: 100 }, (_, i) => `${kind}-${String(i + 1).padStart(2, '0')}`),
    );
    expect(labelled.map(record => record.id).sort()).toEqual(expected.sort());
    expect(labelled.filter(record => !record.id.startsWith(`${record.kind}-`))).toEqual([]);
  });

  it('has no text twice, in one file or in two', () => {
    const texts = [...labelled, ...sample].map(record => record.text.toLowerCase());
    expect(new Set(texts).size).toBe(608);
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

  it('has entity tags in which I- only continues what came before', () => {
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
      DET: ['the', 'a', 'an', 'every', 'any'],
      PART: ['not', "n't", "'"],
      AUX: ["'m", "'re", "'ll", "'d", "'ve", 'would', 'can', 'could', 'should', 'must', 'shall'],
      PRON: [
        'i',
        'you',
        'my',
        'your',
        'her',
        'its',
        'nobody',
        'who',
        'whose',
        'it',
        'they',
        'u',
        'mine',
      ],
      ADV: ['where', 'when', 'why', 'how', 'whenever', 'here'],
      SCONJ: ['if', 'because', 'although', 'though', 'unless', 'while', 'whether'],
      CCONJ: ['and', 'or', 'but', '&', 'either'],
      NOUN: ['today', 'tomorrow', 'tonight', 'yesterday', 'thanks'],
      INTJ: ['please', 'oh', 'yes', 'hi'],
      VERB: ['let', 'want', 'gonna', 'wanna', 'according', 'thank'],
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
    expect([...new Set(others)].sort()).toEqual(['&', "'", "'s", 'of']);
  });

  it('hold for days and months: outside a DATE are only the days of every week', () => {
    const day = /^(mon|tues|wednes|thurs|fri|satur|sun)days?$/i;
    const name =
      /^(january|february|march|april|may|june|july|august|september|october|november|december)$/i;
    const outside = labelled.flatMap(({ id, tokens, columns, tags }) =>
      tokens
        .filter(
          (token, t) =>
            columns.upos[t] === 'PROPN' &&
            !tags[t]!.endsWith('-DATE') &&
            (day.test(token) || name.test(token)),
        )
        .map(token => `${id} ${token}`),
    );
    expect(outside.sort()).toEqual([
      'chat-68 tuesdays',
      'instructions-95 Sundays',
      'mail-63 Tuesday',
      'mail-67 Monday',
      'mail-67 Thursday',
      'questions-57 Thursdays',
      'questions-82 Sundays',
    ]);
  });

  it('hold for names seen more than once: only two of them have two labels', () => {
    const seen = new Map<string, Set<string>>();
    for (const entity of labelled.flatMap(entities)) {
      const name = entity.slice(entity.indexOf(' ') + 1);
      seen.set(name, (seen.get(name) ?? new Set<string>()).add(entity));
    }
    const both = [...seen].filter(([, set]) => set.size > 1).map(([name]) => name);
    expect(both.sort()).toEqual(['florence', 'jordan']);
  });

  it('hold for "to": a PART has a verb after it', () => {
    const wrong = labelled.flatMap(({ id, tokens, columns }) =>
      tokens
        .map((token, t) => [token.toLowerCase(), columns.upos[t], columns.upos[t + 1]])
        .filter(([token, tag, next]) => token === 'to' && tag === 'PART' && !/VERB|AUX/.test(next!))
        .map(() => id),
    );
    expect(wrong).toEqual([]);
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
    const unknown = count(tokens, token => !seen.has(token.toLowerCase()));
    const right = tokens.map(guess).filter((tag, t) => tag === gold[t]).length;
    const share = ((100 * right) / tokens.length).toFixed(1);
    expect(readme).toContain(`Of the ${tokens.length} held-out tokens, ${unknown} do not occur`);
    expect(readme).toContain(`correct on ${right} of the ${tokens.length} (${share} %)`);
  });

  it('has the held-out entities that the training part has too', () => {
    const known = new Set(train.flatMap(entities));
    const all = heldout.flatMap(entities);
    const shared = count(all, entity => known.has(entity));
    expect(readme).toContain(`With ${all.length} held-out entities, a single entity`);
    expect(readme).toContain(
      `${shared} of the ${all.length} entities also occur in the training part`,
    );
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
