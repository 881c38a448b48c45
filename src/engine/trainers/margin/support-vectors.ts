import * as z from 'zod';
import { TagstreamError } from '../../core/errors.js';
import { Random } from '../../core/random.js';
import { requireStructure } from '../../inference/structures/structures.js';
import type { Objective } from '../objective.js';
import { onlyLoss } from '../requirements.js';
import type { TrainerComponent } from '../trainer-component.js';
import { dualShape } from './dual-trainer.js';
import { singleSentences } from './margin-space.js';
import { Smo } from './smo.js';
import { VectorMarginSpace } from './vector-margin-space.js';

const gamma = z.number().positive().default(0.1).describe('gamma of the kernel function');

const options = z
  .strictObject({
    ...dualShape,
    kernel: z
      .union([
        z.strictObject({
          polynomial: z.strictObject({
            degree: z
              .int()
              .min(1)
              .max(10)
              .default(2)
              .describe('maximum number of features in a conjunction'),
            gamma,
            constant: z.number().min(0).default(1).describe('weight of the smaller conjunctions'),
          }),
        }),
        z.strictObject({ rbf: z.strictObject({ gamma }) }),
      ])
      .default({ polynomial: { degree: 2, gamma: 0.1, constant: 1 } })
      .describe(
        'kernel function of two tokens x, z: polynomial, (gamma * x . z + constant)^degree; rbf, exp(-gamma * |x - z|^2)',
      ),
    cache: z
      .number()
      .positive()
      .default(256)
      .describe('megabytes to cache rows of the Gram matrix; the rest is recomputed'),
    landmarks: z
      .optional(z.int().min(1))
      .describe(
        'number of tokens, drawn by train.seed, in whose span the kernel function is approximated (Nystroem); absent: exact',
      ),
    random: z
      .optional(z.int().min(2))
      .describe(
        'number of random features, drawn by train.seed, whose scalar products estimate the kernel function in training (Fourier features of rbf, a tensor sketch of polynomial); the model has the exact function; not with landmarks',
      ),
    budget: z
      .optional(z.int().min(1))
      .describe('maximum number of support tokens of the model; the rest is projected onto them'),
  })
  .refine(({ landmarks, random }) => landmarks === undefined || random === undefined, {
    path: ['random'],
    message:
      'landmarks and random are two approximations of one kernel function: leave one of them out',
  });

/** Options of `supportVectors`, with their defaults. */
export type SupportVectorOptions = z.infer<typeof options>;

/**
 * Max-margin training in the dual with a kernel function instead of the inner product of two tokens' features: the
 * problem and the steps of `Smo`, with
 *
 *     (F(y) - F(y*)) . (F(z) - F(y*))  of features  phi(x_t) e_{y_t},  phi(x) . phi(z) = k(x, z)
 *
 * and a weight per transition. The model stores the tokens with nonzero dual variables, with a number per label. A
 * feature counts with its multiplicity at a token. Cost of an iteration: Viterbi over the corpus twice, and O(tokens)
 * per token whose numbers change or, with `landmarks`, O(landmarks) per token that is scored or changes. Gupta,
 * section 2.4.1; Taskar, Guestrin and Koller (2003).
 *
 * @throws TagstreamError `config` for another scorer, partial labels, numeric features, or transitions that depend on
 *   features
 */
export function supportVectorTrainer(
  chosen: SupportVectorOptions,
  objective: Objective,
  seed = 1,
): Smo {
  requireSupportVectors(objective);
  const name = supportVectors.name;
  const { kernel: similarity, cache, landmarks, random, budget } = chosen;
  const order = (tokens: number) =>
    new Random(seed).shuffle(Uint32Array.from({ length: tokens }, (_, t) => t));
  const space = new VectorMarginSpace(objective, singleSentences(name, objective.corpus), {
    ...{ similarity, cache: cache * 2 ** 20, budget },
    ...(landmarks === undefined ? {} : { landmarks: { most: landmarks, order } }),
    ...(random === undefined ? {} : { random: { most: random, seed } }),
  });
  return new Smo(chosen, objective, space, name);
}

function requireSupportVectors({ parameters: { layout }, corpus }: Objective): void {
  const fail = (problem: string, fix: string) => new TagstreamError('config', problem, { fix });
  const name = `the optimizer ${supportVectors.name}`;
  requireStructure(layout, 'single weights', name);
  if (corpus.some(({ stateValues }) => stateValues !== undefined)) {
    throw fail(
      `${name} needs binary features, but some features here have numbers`,
      'leave out features with numbers, or use smo with the scorer linear',
    );
  }
  if (corpus.some(({ edgeStarts }) => edgeStarts !== undefined)) {
    throw fail(
      `${name} gives transitions one weight each, whatever the features`,
      'leave out B templates but "B", or use smo with the scorer linear',
    );
  }
}

/** The catalogue entry of the support-vector trainer. */
export const supportVectors: TrainerComponent<SupportVectorOptions> = {
  name: 'support-vectors',
  summary: 'sequential minimal optimization with a kernel function, for the scorer support-vectors',
  options,
  // The weights are those of the kernel function's space.
  penalty: ({ l2 }) => ({ l2, others: true }),
  losses: ['hinge'],
  example: 'optimize: { support-vectors: { l2: 0.1, kernel: { polynomial: { degree: 2 } } } }',
  needs: onlyLoss('hinge'),
  oneThread: () => true,
  makes: () => 'support-vectors',
  create: (chosen, { objective, order }) =>
    supportVectorTrainer(chosen, objective(chosen.l2), order?.seed),
};
