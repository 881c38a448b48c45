import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { DocumentMemory } from '../../../../src/engine/features/context/document-memory.js';
import { sentenceOf } from '../sentence-of.js';

const names = ['case', 'left', 'right', 'left2', 'right2'] as const;

/** What the sentences `[from, s]` say of token `t` of the last, by looking through all of them. */
function lookedUp(sentences: readonly (readonly string[])[], from: number, s: number, t: number) {
  const token = sentences[s]![t]!;
  const word = token.toLowerCase();
  if (token === word) return ['-', '-', '-', '-', '-'];
  const counts = { lower: 0, initial: 0, within: 0 };
  const around: string[][] = [];
  for (let i = from; i <= s; i += 1) {
    for (const [k, other] of sentences[i]!.entries()) {
      if ((i === s && k >= t) || other.toLowerCase() !== word) continue;
      const kind = other === word ? 'lower' : k === 0 ? 'initial' : 'within';
      counts[kind] += 1;
      if (kind !== 'within') continue;
      const next = sentences[i]![k + 1]?.toLowerCase() ?? '_B+1';
      around.unshift([sentences[i]![k - 1]!.toLowerCase(), next]);
    }
  }
  const { lower, initial, within } = counts;
  const both = lower > 0 && within > 0 ? (within > lower ? '>' : '<') : '';
  const written = `${lower > 0 ? 'L' : ''}${within > 0 ? 'C' : ''}${both}`;
  const found = written || (initial > 0 ? 'I' : 'N');
  return [found, ...[...around, ['-', '-'], ['-', '-']].slice(0, 2).flat()];
}

const of = (tokens: string[], document: Partial<Document> = {}): Sentence => {
  const sentence = sentenceOf(tokens);
  return { ...sentence, document: { ...sentence.document, ...document } };
};

describe('DocumentMemory', () => {
  it.each([1, 2, 7])('finds what a look through the last %i sentences finds', window => {
    const random = new Random(window);
    const vocabulary = ['in', 'In', 'bath', 'Bath', 'BATH', 'may', 'May', '5', ',', 'é', 'É'];
    const sentences = Array.from({ length: 120 }, () =>
      Array.from({ length: 1 + random.below(6) }, () => vocabulary[random.below(11)]!),
    );
    const memory = new DocumentMemory(window);
    for (const [s, tokens] of sentences.entries()) {
      const columns = memory.columnsOf(sentenceOf(tokens));
      // The place of the sentence that leaves the window is that of the one that comes.
      const from = Math.max(0, s - window + 1);
      for (const t of tokens.keys()) {
        expect(names.map(name => columns[name]![t])).toEqual(lookedUp(sentences, from, s, t));
      }
    }
  });

  it('forgets what was in other documents', () => {
    const isNew = (...sentences: Sentence[]) => {
      const memory = new DocumentMemory();
      const columns = sentences.map(sentence => memory.columnsOf(sentence));
      return columns.at(-1)!.case![1] === 'N';
    };
    const tokens = ['in', 'Bath'];
    const part = { index: 0, count: 2, start: 0 };
    expect(isNew(of(tokens), of(tokens))).toBe(false);
    expect(isNew(of(tokens), of(tokens, { startsDocument: true }))).toBe(true);
    expect(isNew(of(tokens, { documentId: 'a' }), of(tokens, { documentId: 'a' }))).toBe(false);
    expect(isNew(of(tokens, { documentId: 'a' }), of(tokens, { documentId: 'b' }))).toBe(true);
    expect(isNew(of(tokens), of(['-DOCSTART-']), of(tokens))).toBe(true);
    expect(isNew(of(tokens), of(['-DOCSTART-', 'Bath']))).toBe(true);
    expect(isNew(of(tokens), { ...of(tokens), part })).toBe(true);
    expect(isNew({ ...of(tokens), part }, { ...of(tokens), part: { ...part, index: 1 } })).toBe(
      false,
    );
    expect(isNew({ ...of(tokens), part }, of(tokens))).toBe(true);
    expect(isNew(at('one.txt', tokens), at('one.txt', tokens))).toBe(false);
    expect(isNew(at('one.txt', tokens), at('two.txt', tokens))).toBe(true);
  });
});

function at(source: string, tokens: string[]): Sentence {
  const ignore = () => undefined;
  const position = { source, line: 1, start: 0, end: 1 };
  const delivery = { position, release: ignore, ack: ignore, reject: ignore };
  return sentenceOf(tokens, { delivery });
}
