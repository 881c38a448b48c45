import type { EncodedSentence } from '../../../../src/engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { Objective } from '../../../../src/engine/trainers/objective.js';
import { objectiveOf, type SmallProblem } from '../small-problem.js';

/** How the sentences of a small problem are marked. */
export interface Marking {
  /** Sentences 0, 3, ... may have any label at every other token. */
  readonly partial?: boolean;
  /** Sentences have weights between 0.5 and 2, and one 0. */
  readonly weighted?: boolean;
  /** Sentence 1 has no labels. */
  readonly unlabelled?: boolean;
}

/** A small problem with marked sentences, at random weights. */
export function markedObjective(problem: SmallProblem, marking: Marking, l2 = 0): Objective {
  const { kernel, parameters, corpus } = objectiveOf(problem);
  const sentences = corpus.flatMap(minibatch => minibatch.sentences);
  const marked = sentences.map((sentence, s): EncodedSentence => {
    const { gold, ...rest } = sentence;
    const weight = marking.weighted ? { weight: s === 2 ? 0 : 0.5 + (s % 4) / 2 } : {};
    if (marking.unlabelled && s === 1) return { ...rest, ...weight };
    if (!marking.partial || s % 3 !== 0) return { ...sentence, ...weight };
    return { ...rest, ...weight, allowed: everyOther(gold!, parameters.labels) };
  });
  const packed = [packMinibatch(marked.slice(0, 4)), packMinibatch(marked.slice(4))];
  const objective = new Objective({ kernel, parameters, corpus: packed, loss: logLoss, l2 });
  const random = new Random(problem.seed + 100);
  objective.place(objective.weights().map(() => random.below(2001) / 1000 - 1));
  return objective;
}

function everyOther(gold: Int32Array, labels: number) {
  const starts = new Uint32Array(gold.length + 1);
  const allowed: number[] = [];
  for (let t = 0; t < gold.length; t += 1) {
    if (t % 2 === 0) for (let y = 0; y < labels; y += 1) allowed.push(y);
    else allowed.push(gold[t]!);
    starts[t + 1] = allowed.length;
  }
  return { starts, labels: Uint32Array.from(allowed) };
}
