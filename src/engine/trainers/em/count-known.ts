import { TagstreamError } from '../../core/errors.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Plane } from '../../kernels/memory/plane.js';
import { jointLoss } from '../../losses/joint-loss.js';
import { RowChains } from '../../optimizers/tables/row-chains.js';
import {
  countableTables,
  type Smoothing,
  TableWriter,
} from '../../optimizers/tables/table-writer.js';
import type { Objective } from '../objective.js';

/**
 * Returns the tools for counting and writing the tables of a corpus: its row chains, a plane for counts, and the
 * writer.
 *
 * @throws TagstreamError `config` if the parameters are not tables, or in float32
 */
export function countedTables(
  trainer: string,
  { parameters, corpus }: Pick<Objective, 'parameters' | 'corpus'>,
  smoothing: Smoothing,
) {
  const tables = countableTables(trainer, parameters);
  const chains = new RowChains(tables);
  chains.reserve(parameters.stateRows);
  for (const { sentences } of corpus) for (const sentence of sentences) chains.note(sentence);
  const counts = parameters.addPlane();
  return { chains, counts, writer: new TableWriter(tables, smoothing, parameters, chains) };
}

/**
 * Counts the labels of a corpus in a plane of zeros, while all weights are 0: a token with n allowed labels counts 1/n
 * for each. Unlabelled sentences are skipped.
 *
 * @throws TagstreamError `config` if all sentences are unlabelled
 */
export function countKnown(objective: Objective, counts: Plane): void {
  const { kernel, parameters, corpus } = objective;
  let found = false;
  for (const minibatch of corpus) {
    const known = minibatch.sentences.filter(sentence => isKnown(sentence, parameters.labels));
    if (known.length === 0) continue;
    found = true;
    const contribution = objective.contribute(packMinibatch(known), jointLoss);
    for (let s = 0; s < known.length; s += 1) {
      kernel.accumulate(parameters, counts, contribution, s, -1);
    }
  }
  if (found) return;
  throw new TagstreamError('config', 'no record has a label to start from', {
    fix: 'add labelled records, or use em: { start: random }',
  });
}

/** Returns whether some token's label is known, or some of the `labels` labels are ruled out. */
function isKnown({ gold, allowed, length }: EncodedSentence, labels: number): boolean {
  if (gold !== undefined) return true;
  const { starts } = allowed!;
  for (let t = 0; t < length; t += 1) {
    const count = starts[t + 1]! - starts[t]!;
    if (count > 0 && count < labels) return true;
  }
  return false;
}
