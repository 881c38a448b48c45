import { SpanScores } from '../../metrics/scores/span-scores.js';
import type { AnnotationTask } from '../task/annotation-task.js';
import { cohenKappa } from './cohen-kappa.js';
import { fleissKappa } from './fleiss-kappa.js';
import { isAgreed, type SharedRecord } from './shared-record.js';

/** How far people agree on the records that several of them have accepted. */
export interface Agreement {
  readonly records: number;
  readonly tokens: number;
  /** Records on which all agree. */
  readonly agreed: number;
  /** F1 of the spans of each two people, in percent, on average; for spans alone. */
  readonly f1?: number;
  /** Of the labels of tokens, of each two people, on average. */
  readonly cohen: number;
  /** Of the tokens that all have labelled; undefined where there are none. */
  readonly fleiss?: number;
  readonly byLabel: readonly {
    readonly label: string;
    readonly f1?: number;
    readonly cohen: number;
  }[];
}

/**
 * Agreement of people, overall and by label: for a label, kappa compares it with all others together.
 *
 * @param people how many there are
 * @returns undefined where no record has two versions
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
    mean(pairs.map(([a, b]) => cohenKappa(a.flat().map(of), b.flat().map(of))));
  const spans = kind === 'spans' ? pairs.map(spanScores) : undefined;
  const whole = several.filter(({ versions }) => versions.length === people);
  const f1 = spans && mean(spans.map(scores => scores.total.f1));
  return {
    records: several.length,
    tokens: several.reduce((sum, { versions }) => sum + versions[0]!.tags.length, 0),
    agreed: several.filter(isAgreed).length,
    ...(f1 === undefined ? {} : { f1 }),
    cohen: cohen(labelOf),
    ...(whole.length === 0
      ? {}
      : { fleiss: fleissKappa(whole.flatMap(itemsOf).map(item => item.map(labelOf))) }),
    byLabel: names.map(label => ({
      label,
      ...(spans === undefined ? {} : { f1: mean(spans.map(scores => scores.of(label).f1)) }),
      cohen: cohen(tag => (labelOf(tag) === label ? 'yes' : 'no')),
    })),
  };
}

/** Of each two people the tags of the records that both have. */
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

/** The labels of each token of a record, one by each person. */
function itemsOf({ versions }: SharedRecord): string[][] {
  return versions[0]!.tags.map((_, t) => versions.map(({ tags }) => tags[t]!));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
