import type { PackedRows } from '../../../src/engine/core/minibatch/packed-rows.js';
import { FeatureExtractor } from '../../../src/engine/features/extraction/feature-extractor.js';
import { ExactIndex } from '../../../src/engine/features/index/exact-index.js';
import { parseTemplates } from '../../../src/engine/features/template/parse-templates.js';
import { featureString, type ReferenceTemplate } from './feature-reference.js';
import { sentenceOf } from './sentence-of.js';

export const words = [
  'a',
  'A',
  'ab',
  'Ab',
  'x1',
  '1x',
  'é',
  'É',
  '😀',
  'a😀',
  '😀b',
  '12',
  '_B-1',
  '_B+2',
  'true',
];
words.push('Xx', 'd', '3', '', '/', '%', 'straße', 'İz', '\ud83d', 'a\udc00', 'ab\ud83d\ude00');

/** State rows of a sentence by token, with a new index. */
export function rowsOf(
  templates: string,
  tokens: readonly string[],
  columns: Record<string, readonly string[] | readonly number[]> = {},
  names: readonly string[] = ['form', ...Object.keys(columns)],
): number[][] {
  const extractor = new FeatureExtractor(parseTemplates(templates), names);
  extractor.open(sentenceOf(tokens, { columns }));
  return byToken(extractor.state(tokens.length, new ExactIndex(1, extractor.memory), true));
}

export function byToken({ starts, rows }: PackedRows): number[][] {
  return Array.from({ length: starts.length - 1 }, (_, t) =>
    Array.from(rows.subarray(starts[t], starts[t + 1])),
  );
}

/** Rows that the strings of the reference would get, numbered in token order from `first`. */
export class ReferenceRows {
  readonly strings = new Map<string, number>();
  readonly #templates: readonly ReferenceTemplate[];
  readonly #first: number;

  constructor(templates: readonly ReferenceTemplate[], first: number) {
    this.#templates = templates;
    this.#first = first;
  }

  of(sentence: ReturnType<typeof sentenceOf>): number[][] {
    return sentence.tokens.map((_, t) => {
      const strings = this.#templates.map(template => featureString(template, sentence, t));
      return strings.filter(string => string !== undefined).map(string => this.#intern(string));
    });
  }

  #intern(string: string): number {
    const row = this.strings.get(string) ?? this.strings.size + this.#first;
    this.strings.set(string, row);
    return row;
  }
}
