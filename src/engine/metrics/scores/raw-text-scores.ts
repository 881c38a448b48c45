/** A word of a text, as compared by raw text scores. */
export interface ScoredWord {
  readonly form: string;
  /** Whether the word is one of several words of a multiword token, whose position it shares. */
  readonly isPart: boolean;
  /** First position of the word; positions count the characters other than white space. */
  readonly start: number;
  readonly end: number;
  /** The word's annotations by column. */
  readonly values: Readonly<Record<string, string>>;
}

/** A text with an annotation. Positions count the characters other than white space. */
export interface ScoredText {
  readonly tokens: readonly (readonly [number, number])[];
  readonly sentences: readonly (readonly [number, number])[];
  readonly words: readonly ScoredWord[];
}

import { type Figure, ratio } from '../../core/figures.js';

/** Precision, recall and their harmonic mean, from 0 to 1; null if undefined. */
export interface PrecisionRecall {
  readonly precision: Figure;
  readonly recall: Figure;
  readonly f1: Figure;
}

/** Scores of a text by name: `tokens`, `sentences`, `words`, and each column. */
export type RawTextScores = Readonly<Record<string, PrecisionRecall>>;

/**
 * Scores one annotation of raw text against another like the CoNLL 2018 shared task (Zeman et al.
 * 2018): tokens, sentences and words as text ranges, columns on aligned words.
 *
 * Words with the same range are aligned. If one annotation has a multiword token, the words that
 * overlap it are aligned by a longest common subsequence of their lower-case forms. A gold lemma
 * `_` counts as correct. Cost O(words), plus O(n m) per multiword token with n and m words.
 *
 * @param columns the columns to compare
 */
export function rawTextScores(
  gold: ScoredText,
  found: ScoredText,
  columns: readonly string[],
): RawTextScores {
  const pairs = alignedWords(gold.words, found.words);
  const words = { gold: gold.words.length, found: found.words.length };
  const scores: Record<string, PrecisionRecall> = {
    tokens: spanScore(gold.tokens, found.tokens),
    sentences: spanScore(gold.sentences, found.sentences),
    words: scoreOf(pairs.length, words),
  };
  for (const column of columns) {
    const right = pairs.filter(([a, b]) => {
      const value = a.values[column] ?? '_';
      return value === (b.values[column] ?? '_') || (column === 'lemma' && value === '_');
    });
    scores[column] = scoreOf(right.length, words);
  }
  return scores;
}

function scoreOf(
  right: number,
  { gold, found }: { readonly gold: number; readonly found: number },
): PrecisionRecall {
  return {
    precision: ratio(right, found),
    recall: ratio(right, gold),
    f1: ratio(2 * right, gold + found),
  };
}

function spanScore(
  gold: readonly (readonly [number, number])[],
  found: readonly (readonly [number, number])[],
): PrecisionRecall {
  const known = new Set(gold.map(([start, end]) => `${start} ${end}`));
  const right = found.filter(([start, end]) => known.has(`${start} ${end}`)).length;
  return scoreOf(right, { gold: gold.length, found: found.length });
}

type Pair = readonly [gold: ScoredWord, found: ScoredWord];

/** Returns the pairs of aligned words, in order. */
export function alignedWords(
  gold: readonly ScoredWord[],
  found: readonly ScoredWord[],
): readonly Pair[] {
  const pairs: Pair[] = [];
  let g = 0;
  let f = 0;
  while (g < gold.length && f < found.length) {
    const a = gold[g]!;
    const b = found[f]!;
    if (!a.isPart && !b.isPart) {
      if (a.start === b.start && a.end === b.end) {
        pairs.push([a, b]);
        g += 1;
        f += 1;
      } else if (a.start <= b.start) g += 1;
      else f += 1;
      continue;
    }
    if (a.end <= b.start && a.start !== b.start) {
      g += 1;
      continue;
    }
    if (b.end <= a.start && a.start !== b.start) {
      f += 1;
      continue;
    }
    const [toG, toF] = regionEnd(gold, found, g, f);
    pairs.push(...commonForms(gold.slice(g, toG), found.slice(f, toF)));
    g = toG;
    f = toF;
  }
  return pairs;
}

/**
 * Returns the end of the words that overlap a multiword token, directly or through other multiword
 * tokens.
 */
function regionEnd(
  gold: readonly ScoredWord[],
  found: readonly ScoredWord[],
  firstGold: number,
  firstFound: number,
): readonly [number, number] {
  const ends = [gold[firstGold]!, found[firstFound]!].map(word => (word.isPart ? word.end : 0));
  let end = Math.max(...ends);
  const places = [firstGold, firstFound];
  const lists = [gold, found];
  for (let grows = true; grows; ) {
    grows = false;
    for (const [side, list] of lists.entries()) {
      while (places[side]! < list.length && list[places[side]!]!.start < end) {
        const word = list[places[side]!]!;
        if (word.isPart && word.end > end) {
          end = word.end;
          grows = true;
        }
        places[side]! += 1;
      }
    }
  }
  return [places[0]!, places[1]!];
}

/** Returns a longest common subsequence by form. */
function commonForms(gold: readonly ScoredWord[], found: readonly ScoredWord[]): Pair[] {
  const isSame = (g: number, f: number) =>
    gold[g]!.form.toLowerCase() === found[f]!.form.toLowerCase();
  const width = found.length + 1;
  const longest = new Uint32Array((gold.length + 1) * width);
  for (let g = gold.length - 1; g >= 0; g -= 1) {
    for (let f = found.length - 1; f >= 0; f -= 1) {
      longest[g * width + f] = isSame(g, f)
        ? longest[(g + 1) * width + f + 1]! + 1
        : Math.max(longest[(g + 1) * width + f]!, longest[g * width + f + 1]!);
    }
  }
  const pairs: Pair[] = [];
  for (let g = 0, f = 0; g < gold.length && f < found.length; ) {
    if (isSame(g, f)) {
      pairs.push([gold[g]!, found[f]!]);
      g += 1;
      f += 1;
    } else if (longest[(g + 1) * width + f]! >= longest[g * width + f + 1]!) g += 1;
    else f += 1;
  }
  return pairs;
}

/** Features of the column FEATS that are compared: the universal ones. */
const universalFeatures: ReadonlySet<string> = new Set(
  (
    'PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense Aspect Voice ' +
    'Evident Polarity Person Polite'
  ).split(' '),
);

/**
 * Reduces a FEATS value to the part that the shared task compares: universal features, sorted.
 *
 * @example
 * universalPart('Typo=Yes|Number=Sing|Case=Nom') // => 'Case=Nom|Number=Sing'
 */
export function universalPart(feats: string): string {
  return feats
    .split('|')
    .filter(feature => universalFeatures.has(feature.split('=', 1)[0]!))
    .sort()
    .join('|');
}
