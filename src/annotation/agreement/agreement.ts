import { type Figure, meanOf, ratio } from '../../engine/core/figures.js';
import { SpanScores } from '../../engine/metrics/scores/span-scores.js';
import { spansOf } from '../../engine/text/tags/spans.js';
import type { AnnotationTask } from '../task/annotation-task.js';
import type { FixedTags } from '../task/fixed-tags.js';

/** Agreement between annotators on the records that more than one of them has accepted. */
export interface Agreement {
  readonly records: number;
  readonly tokens: number;
  /** Number of records on which all annotators agree. */
  readonly agreed: number;
  /** Mean span F1 over annotator pairs, in percent; only for spans. */
  readonly f1?: Figure;
  /** Mean kappa of the token labels over annotator pairs; null if it is undefined for all of them. */
  readonly cohen: Figure;
  /**
   * Fleiss' kappa over the tokens that all annotators have labelled; null if there are none, or only one label.
   */
  readonly fleiss: Figure;
  readonly byLabel: readonly {
    readonly label: string;
    readonly f1?: Figure;
    readonly cohen: Figure;
  }[];
}

/**
 * Computes the agreement between annotators, overall and per label; the kappa of a label treats all
 * other labels as one.
 *
 * @param people number of annotators
 * @returns the agreement; undefined if no record has two versions
 */
export function agreementOf(
  shared: readonly SharedRecord[],
  { kind, names }: AnnotationTask,
  people: number,
): Agreement | undefined {
  const several = shared.filter(({ versions }) => versions.length > 1);
  if (several.length === 0) return undefined;
  const pairs = pairsOf(several);
  const labelOf = (tag: string) => (kind === 'spans' && tag !== 'O' ? tag.slice(2) : tag);
  const cohen = (of: (tag: string) => string) =>
    meanOf(pairs.map(([a, b]) => cohenKappa(a.flat().map(of), b.flat().map(of))));
  const spans = kind === 'spans' ? pairs.map(spanScores) : undefined;
  const whole = several.filter(({ versions }) => versions.length === people);
  const f1 = spans && meanOf(spans.map(scores => scores.total.f1));
  return {
    records: several.length,
    tokens: several.reduce((sum, { versions }) => sum + versions[0]!.tags.length, 0),
    agreed: several.filter(isAgreed).length,
    ...(f1 === undefined ? {} : { f1 }),
    cohen: cohen(labelOf),
    fleiss: fleissKappa(whole.flatMap(itemsOf).map(item => item.map(labelOf))),
    byLabel: names.map(label => ({
      label,
      ...(spans === undefined ? {} : { f1: meanOf(spans.map(scores => scores.of(label).f1)) }),
      cohen: cohen(tag => (labelOf(tag) === label ? 'yes' : 'no')),
    })),
  };
}

/** Returns, for each annotator pair, the tags of the records that both have accepted. */
function pairsOf(shared: readonly SharedRecord[]): [string[][], string[][]][] {
  const pairs = new Map<string, [string[][], string[][]]>();
  for (const { versions } of shared) {
    for (const [i, a] of versions.entries()) {
      for (const b of versions.slice(i + 1)) {
        const key = JSON.stringify([a.annotator, b.annotator]);
        const pair = pairs.get(key) ?? [[], []];
        pair[0].push([...a.tags]);
        pair[1].push([...b.tags]);
        pairs.set(key, pair);
      }
    }
  }
  return [...pairs.values()];
}

function spanScores([first, second]: [string[][], string[][]]): SpanScores {
  const scores = new SpanScores();
  for (const [i, tags] of first.entries()) scores.add(tags, second[i]!);
  return scores;
}

/** Returns the labels of each token of a record, one per annotator. */
function itemsOf({ versions }: SharedRecord): string[][] {
  return versions[0]!.tags.map((_, t) => versions.map(({ tags }) => tags[t]!));
}

/** A record that several annotators have accepted: the tags by annotator name. */
export interface SharedRecord {
  readonly record: number;
  readonly versions: readonly { readonly annotator: string; readonly tags: readonly string[] }[];
}

/** Returns whether all versions of a record are the same. */
export function isAgreed({ versions }: SharedRecord): boolean {
  return versions.every(({ tags }) => tags.every((tag, t) => tag === versions[0]!.tags[t]));
}

/**
 * Returns the tags that all versions of a record share, and null where they differ. A span counts
 * as a whole: if annotators disagree about its end, all its tokens are null.
 *
 * @example
 * const versions = [['B-PER', 'I-PER', 'O', 'B-LOC'], ['B-PER', 'O', 'O', 'B-LOC']];
 * agreedTags(versions, 'spans') // => [null, null, 'O', 'B-LOC']
 * agreedTags([['DET', 'NOUN'], ['DET', 'VERB']], 'tags') // => ['DET', null]
 */
export function agreedTags(
  versions: readonly (readonly string[])[],
  kind: AnnotationTask['kind'],
): FixedTags {
  const [first = [], ...others] = versions.map(tags => (kind === 'tags' ? tags : wholeSpans(tags)));
  return versions[0]!.map((tag, t) => (others.every(other => other[t] === first[t]) ? tag : null));
}

/** Returns the whole span that each token belongs to. */
function wholeSpans(tags: readonly string[]): string[] {
  const spans = tags.map(() => 'O');
  for (const { label, start, end } of spansOf(tags))
    spans.fill(`${start} ${end} ${label}`, start, end);
  return spans;
}

/**
 * Computes Fleiss' kappa of several annotators who have each labelled the same items. Fleiss
 * (1971). Null if all labels are the same, or there are none.
 *
 * @param items labels per item, the same number for each
 * @example
 * fleissKappa([['A', 'A'], ['A', 'B'], ['B', 'B'], ['B', 'B']]).toFixed(3) // => '0.467'
 */
export function fleissKappa(items: readonly (readonly string[])[]): Figure {
  const people = items[0]?.length ?? 0;
  if (people < 2) return null;
  const totals = new Map<string, number>();
  let same = 0;
  for (const labels of items) {
    const counts = new Map<string, number>();
    for (const label of labels) {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      totals.set(label, (totals.get(label) ?? 0) + 1);
    }
    for (const count of counts.values()) same += count * (count - 1);
  }
  let chance = 0;
  for (const total of totals.values()) chance += (total / (items.length * people)) ** 2;
  return aboveChance(same / (items.length * people * (people - 1)), chance);
}

/**
 * Computes Cohen's kappa of two annotators who have labelled the same items:
 * `(p_o - p_e) / (1 - p_e)`, where `p_o` is the observed agreement and `p_e` the agreement expected
 * by chance from their label frequencies. Cohen (1960). Null if all labels are the same, or there are none.
 *
 * @throws RangeError for lists of different lengths
 * @example
 * cohenKappa(['A', 'A', 'B', 'B'], ['A', 'B', 'B', 'B']) // => 0.5
 */
export function cohenKappa(first: readonly string[], second: readonly string[]): Figure {
  if (first.length !== second.length) throw new RangeError('two lists of the same items');
  if (first.length === 0) return null;
  const counts = new Map<string, [number, number]>();
  let same = 0;
  for (const [i, label] of first.entries()) {
    const other = second[i]!;
    if (label === other) same += 1;
    countOf(counts, label)[0] += 1;
    countOf(counts, other)[1] += 1;
  }
  let chance = 0;
  for (const [a, b] of counts.values()) chance += (a / first.length) * (b / first.length);
  return aboveChance(same / first.length, chance);
}

function countOf(counts: Map<string, [number, number]>, label: string): [number, number] {
  const known = counts.get(label) ?? [0, 0];
  counts.set(label, known);
  return known;
}

/**
 * Computes the agreement beyond chance: `(observed - chance) / (1 - chance)`; null if chance alone
 * gives full agreement, or there is nothing to agree on.
 *
 * @example
 * aboveChance(0.75, 0.5) // => 0.5
 */
export function aboveChance(observed: number, chance: number): Figure {
  return ratio(observed - chance, 1 - chance);
}
