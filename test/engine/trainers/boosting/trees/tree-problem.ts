import { packMinibatch } from '../../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../../src/engine/core/random.js';
import { logLoss } from '../../../../../src/engine/losses/log-loss.js';
import type { Loss } from '../../../../../src/engine/losses/loss.js';
import { kernels } from '../../../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../../../src/engine/models/learning/settle-corpus.js';
import { Model } from '../../../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../../../src/engine/models/model-spec.js';
import {
  TreeBoosting,
  type TreeBoostingOptions,
  treeBoosting,
} from '../../../../../src/engine/trainers/boosting/trees/tree-boosting.js';
import { Objective } from '../../../../../src/engine/trainers/objective.js';
import { sentenceOf } from '../../../features/sentence-of.js';

export interface TreeProblem {
  readonly seed?: number;
  readonly sentences?: number;
  readonly spec?: Partial<ModelSpec>;
  readonly loss?: Loss;
  readonly weighted?: boolean;
}

/**
 * Random sentences of small letters, whose labels are the exclusive or of a letter and the one before it, mostly: no sum
 * of single features says so.
 */
export function treeObjective(given: TreeProblem = {}): { model: Model; objective: Objective } {
  const { seed = 1, sentences = 30, spec = {}, loss = logLoss, weighted = false } = given;
  const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\nB';
  const model = new Model(
    {
      ...{ templates, columns: ['form'], index: { mode: 'exact', cutoff: 1 } },
      ...{ support: 'all', scorer: 'trees', ...spec },
    },
    { kernel: kernels.simd64 },
  );
  const random = new Random(seed);
  const encoded = Array.from({ length: sentences }, () => {
    const tokens = Array.from({ length: 1 + random.below(5) }, () => 'abcd'[random.below(4)]!);
    const tags = tokens.map((token, t) => {
      const isFirst = (letter: string | undefined) => letter === 'a' || letter === 'b';
      const odd = isFirst(token) !== isFirst(tokens[t - 1]);
      return random.below(12) === 0 ? 'Z' : odd ? 'X' : 'Y';
    });
    const weight = weighted ? [1, 0.5, 2][random.below(3)]! : 1;
    return model.encode({ ...sentenceOf(tokens, { tags }), weight });
  });
  const corpus = settleCorpus(model, encoded);
  model.reserve();
  const { kernel, parameters } = model;
  const batches = [packMinibatch(corpus.slice(0, 7)), packMinibatch(corpus.slice(7))];
  return { model, objective: new Objective({ kernel, parameters, corpus: batches, loss }) };
}

/** A trainer for it, with options beside which the defaults hold. */
export function treeTrainer(
  objective: Objective,
  options: Partial<TreeBoostingOptions> = {},
  seed = 1,
): TreeBoosting {
  const chosen = treeBoosting.options.parse({ leafTokens: 1, ...options });
  return new TreeBoosting(chosen, objective, seed);
}
