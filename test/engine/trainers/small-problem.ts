import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import type { Loss } from '../../../src/engine/losses/loss.js';
import { fitsScorer } from '../../../src/engine/losses/losses.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../src/engine/models/learning/settle-corpus.js';
import { Model } from '../../../src/engine/models/model.js';
import { Objective } from '../../../src/engine/trainers/objective.js';

/** Templates, support and seed of small problems that all trainers are tried on. */
export const smallProblems = [
  { name: 'words', templates: 'U:%x[0,0]\nB', support: 'all', seed: 1 },
  { name: 'words around', templates: 'U:%x[0,0]\nV:%x[-1,0]\nB', support: 'all', seed: 2 },
  { name: 'edge features', templates: 'U:%x[0,0]\nB\nB:%x[0,0]', support: 'all', seed: 3 },
  { name: 'observed', templates: 'U:%x[0,0]\nB\nB:%x[0,0]', support: 'observed', seed: 4 },
  { name: 'no transitions', templates: 'U:%x[0,0]\nU:%x[1,0]', support: 'observed', seed: 5 },
] as const;

export type SmallProblem = (typeof smallProblems)[number];

/** Twelve random sentences of six words and three labels, as an objective; a MEMM's where the loss needs one. */
export function objectiveOf(
  { templates, support, seed }: SmallProblem,
  { l2 = 0.5, loss = logLoss as Loss, kernel = 'simd64' as 'simd64' | 'reference' } = {},
): Objective {
  const model = new Model(
    {
      templates: templates.replace('V', 'U'),
      columns: ['form'],
      index: { mode: 'exact', cutoff: 1 },
      support,
      ...(fitsScorer(loss, 'linear') ? {} : { scorer: 'memm' }),
    },
    { kernel: kernels[kernel] },
  );
  const random = new Random(seed);
  const sentences = Array.from({ length: 12 }, () => {
    const length = 1 + random.below(6);
    const tokens = Array.from({ length }, () => 'abcdef'[random.below(6)]!);
    const tags = tokens.map(token => {
      const usual = 'XYZ'['abcdef'.indexOf(token) % 3]!;
      return random.below(4) === 0 ? 'XYZ'[random.below(3)]! : usual;
    });
    const part = { index: 0, count: 1, start: 0 };
    return model.encode({ tokens, tags, columns: {}, document: {}, part });
  });
  const corpus = settleCorpus(model, sentences);
  model.reserve();
  return new Objective({
    kernel: model.kernel,
    parameters: model.parameters,
    corpus: [packMinibatch(corpus.slice(0, 5)), packMinibatch(corpus.slice(5))],
    loss,
    l2,
  });
}
