import { type MonoTypeOperatorFunction, map } from 'rxjs';
import { TagstreamError } from '../core/errors.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import { packMinibatch } from '../core/minibatch/pack-minibatch.js';
import {
  kinds,
  requireArgument,
  requireItem,
  requireKnown,
} from '../core/schema/require-argument.js';
import type { Learner } from '../models/learning/learner.js';
import type { ReplayMemory } from '../models/learning/replay-memory.js';

/** The options of `replay`. */
export interface ReplayOptions {
  /** Number of replayed sentences per new labelled sentence, 1 to 100. Default 4. */
  readonly each?: number;
}

/**
 * Returns an operator for experience replay (Lin 1992): before it emits a minibatch with labelled sentences, the
 * learner learns from `each` times as many sentences of the memory, in minibatches of the same size; then the new
 * sentences are added to the memory. Steps, scores and records therefore contain only new sentences, and checkpoints
 * between steps contain the memory. Put it between `batch` and `contribute`.
 *
 * Replayed sentences are encoded with the current features: a replay neither adds features nor restores evicted ones.
 * To the optimizer they are ordinary sentences, which advance its schedule and penalties. Cost: `each` times the cost
 * of learning.
 *
 * @throws TagstreamError `config`
 * @example
 * const model = createModel({ templates: 'U0:%x[0,0]\nB' });
 * const learner = createLearner(model, { loss: logLoss(), optimizer: sgd(), corpusSize: 100 });
 * const memory = new ReplayMemory({ keep: 1000 });
 * const last = await lastValueFrom(
 *   of({ tokens: ['a'], tags: ['X'] }, { tokens: ['b'], tags: ['Y'] }).pipe(
 *     tokenize(), featurize(model), batch(), replay(learner, memory), contribute(learner), optimize(learner),
 *   ),
 * );
 * [last.sentencesSeen, memory.size] // => [2, 2]
 */
export function replay(
  learner: Learner,
  memory: ReplayMemory,
  options: ReplayOptions = {},
): MonoTypeOperatorFunction<Minibatch> {
  requireArgument('replay: the learner', learner, kinds.learner);
  requireArgument('replay: the memory', memory, kinds.replayMemory);
  requireKnown('replay', options, ['each']);
  const { each = 4 } = options;
  if (!Number.isInteger(each) || each < 1 || each > 100) {
    throw new TagstreamError('config', `replay.each: ${each} is not allowed`, {
      fix: 'give a whole number from 1 to 100',
    });
  }
  return map(minibatch => {
    requireItem('replay', minibatch, kinds.minibatch);
    const { sentences, labelled } = minibatch;
    const fresh = sentences.filter(({ length }, s) => labelled[s] === 1 && length > 0);
    if (fresh.length === 0) return minibatch;
    for (let i = 0; i < each && memory.size > 0; i += 1) learnAgain(learner, memory, fresh.length);
    for (const { sentence } of fresh) memory.add(sentence);
    return minibatch;
  });
}

/** Learns again from a number of sentences of the memory at once. */
function learnAgain(learner: Learner, memory: ReplayMemory, count: number): void {
  const drawn = Array.from({ length: count }, () => memory.draw());
  const encoded = drawn.map(({ sentence }) => learner.model.encodeKnown(sentence));
  const { losses } = learner.relearn(packMinibatch(encoded));
  for (const [s, { place, sentence }] of drawn.entries()) {
    const { weight = 1, tokens } = sentence;
    memory.noteLoss(place, weight === 0 ? 0 : losses[s]! / weight / tokens.length);
  }
}
