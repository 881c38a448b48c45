import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { ChainScores } from '../../../contracts/oracle/chain-scores.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { HmmTables, type TableShape } from '../../../contracts/oracle/tables/hmm-tables.js';

/** Of each token of a sentence the numbers of the labels that it may have. */
function allowedOf(
  { tokens, tags, partialTags }: Sentence,
  labels: readonly string[],
): readonly (readonly number[])[] {
  return tokens.map((_, t) => {
    const tag = tags?.[t] ?? partialTags?.[t] ?? null;
    if (tag === null) return [...labels.keys()];
    return [tag].flat().map(name => labels.indexOf(name));
  });
}

function among(scores: ChainScores, allowed: readonly (readonly number[])[]): Enumeration {
  const emissions = scores.emissions.map((row, t) =>
    row.map((score, y) => (allowed[t]!.includes(y) ? score : Number.NEGATIVE_INFINITY)),
  );
  return new Enumeration({ ...scores, emissions });
}

/** A sentence once with each of its label sequences, weighed by their probability under some scores. */
export function completed(
  sentence: Sentence,
  labels: readonly string[],
  scores: ChainScores,
): readonly Sentence[] {
  const { ranked, logZ } = among(scores, allowedOf(sentence, labels));
  return ranked.map(({ path, score }) => ({
    ...sentence,
    tags: path.map(y => labels[y]!),
    weight: (sentence.weight ?? 1) * Math.exp(score - logZ),
  }));
}

/** The tables whose counts are expected by others: EM by enumeration. */
export function expectedTables(
  corpus: readonly Sentence[],
  shape: TableShape,
  before: HmmTables,
): HmmTables {
  const all = corpus.flatMap(each => completed(each, shape.labels, before.scores(each)));
  return new HmmTables(all, shape);
}

/** The tables of what is known: a label that may be one of n counts 1/n. */
export function knownTables(corpus: readonly Sentence[], shape: TableShape): HmmTables {
  const flat = shape.labels.map(() => 0);
  const known = corpus.filter(
    ({ tags, partialTags }) => tags !== undefined || partialTags!.some(tag => tag !== null),
  );
  const all = known.flatMap(sentence =>
    completed(sentence, shape.labels, {
      emissions: sentence.tokens.map(() => flat),
      transitions: sentence.tokens.map(() => shape.labels.map(() => flat)),
    }),
  );
  return new HmmTables(all, shape);
}

/** - log likelihood - log prior. */
export function objectiveOfTables(
  corpus: readonly Sentence[],
  shape: TableShape,
  tables: HmmTables,
): number {
  const losses = corpus.map(
    sentence =>
      -(sentence.weight ?? 1) *
      among(tables.scores(sentence), allowedOf(sentence, shape.labels)).logZ,
  );
  return losses.reduce((sum, loss) => sum + loss, 0) - tables.logPrior();
}
