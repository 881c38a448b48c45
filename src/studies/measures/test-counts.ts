import { Evaluation } from '../../engine/metrics/evaluation/evaluation.js';
import type { SentenceCounts } from '../../engine/metrics/evaluation/paired-bootstrap.js';
import { detectScheme } from '../../engine/text/tags/detect-scheme.js';
import { isSpanScheme } from '../../engine/text/tags/tag-scheme.js';

/** Counts for the sentences of the test data, one list per number, as stored in a file of results. */
export type TestCounts = { readonly [Name in keyof SentenceCounts]: readonly number[] };

const names = ['tokens', 'equal', 'gold', 'correct', 'predicted'] as const;

/** A tagged sentence of the test data. */
export interface TaggedTest {
  readonly tokens: readonly string[];
  readonly gold: readonly string[];
  readonly tags: readonly string[];
}

/** Counts tokens of test sentences, and spans if the gold tags mark any. */
export function testCounts(sentences: readonly TaggedTest[]): TestCounts {
  const spanScheme = isSpanScheme(
    detectScheme([...new Set(sentences.flatMap(({ gold }) => gold))]),
  );
  const evaluation = new Evaluation({ spanScheme });
  for (const sentence of sentences) evaluation.add(sentence);
  const lists = names.map(name => [name, evaluation.counts.map(counts => counts[name])]);
  return Object.fromEntries(lists) as TestCounts;
}

/** Returns whether a value in a file holds counts for sentences. */
export function isTestCounts(value: unknown): value is TestCounts {
  if (typeof value !== 'object' || value === null) return false;
  const lists = names.map(name => (value as TestCounts)[name]);
  return lists.every(
    list =>
      Array.isArray(list) &&
      list.length === lists[0]!.length &&
      list.every(count => typeof count === 'number'),
  );
}

/**
 * Returns the replications' counts added up for each sentence; undefined if their sentences differ.
 *
 * @param replications the counts of one or more replications
 */
export function pooledCounts(replications: readonly TestCounts[]): SentenceCounts[] | undefined {
  const [first] = replications;
  const same = replications.every(
    ({ tokens, gold }) =>
      tokens.length === first!.tokens.length &&
      tokens.every((count, n) => count === first!.tokens[n] && gold[n] === first!.gold[n]),
  );
  if (!same) return undefined;
  return first!.tokens.map((_, n) => {
    const sums = names.map(name => [
      name,
      replications.reduce((sum, counts) => sum + counts[name][n]!, 0),
    ]);
    return Object.fromEntries(sums) as unknown as SentenceCounts;
  });
}
