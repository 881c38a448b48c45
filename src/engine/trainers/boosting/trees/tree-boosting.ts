import * as z from 'zod';
import { TagstreamError } from '../../../core/errors.js';
import type { Minibatch } from '../../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../../core/minibatch/pack-minibatch.js';
import { Random } from '../../../core/random.js';
import type { Contribution } from '../../../core/training/contribution.js';
import { type State, stateArray, stateCount, wrongState } from '../../../core/training/state.js';
import type { Iteration, Trainer } from '../../../core/training/trainer.js';
import type { RealTable } from '../../../kernels/memory/real-table.js';
import type {
  PairPlaces,
  ParameterStore,
  TokenScores,
} from '../../../kernels/store/parameter-store.js';
import type { RegressionTree } from '../../../kernels/store/regression-tree.js';
import { Forest } from '../../../kernels/trees/forest.js';
import { joinTrees, separateTrees } from '../../../kernels/trees/joined-trees.js';
import { TreeWalk } from '../../../kernels/trees/tree-walk.js';
import type { Objective } from '../../objective.js';
import { onlyLoss, requireFullLabels, requireLoss } from '../../requirements.js';
import type { TrainerComponent } from '../../trainer-component.js';
import { countActive, savedVector } from '../../vectors/vectors.js';
import { ResidualSamples } from './residual-samples.js';
import { TreeCorpus } from './tree-corpus.js';
import { TreeGrower } from './tree-grower.js';

/**
 * The scores of the trees so far for the tokens of a corpus: one float64 row per token, and a float32 matrix if they see the
 * previous label. A new tree is walked once per token and per label that it splits on, and a round scores its sentences
 * without revisiting earlier trees.
 */
class KeptScores implements TokenScores {
  readonly trees: RegressionTree[] = [];
  readonly #corpus: TreeCorpus;
  readonly #labels: number;
  /** `[tokens x labels]`. */
  readonly #scores: Float64Array;
  /** `[tokens x labels x labels]`: additional scores after each previous label; empty if trees do not see it. */
  readonly #pairs: Float32Array;
  readonly #active: Uint8Array;
  readonly seesPrevious: boolean;
  /** Sentences of the next minibatch, as indices into the corpus. */
  sentences: readonly number[] = [];

  constructor(corpus: TreeCorpus, labels: number, seesPrevious: boolean) {
    this.seesPrevious = seesPrevious;
    this.#pairs = new Float32Array(seesPrevious ? corpus.tokens * labels ** 2 : 0);
    this.#corpus = corpus;
    this.#labels = labels;
    this.#scores = new Float64Array(corpus.tokens * labels);
    this.#active = new Uint8Array((corpus.rows[corpus.firstPrevious - 1] ?? -1) + 1);
  }

  /** Adds the scores of a tree. Cost O(tokens x (features + depth + values of a leaf)). */
  add(tree: RegressionTree): void {
    const { tokens, starts, features, rows } = this.#corpus;
    const active = this.#active;
    const walk = new TreeWalk(tree);
    for (let t = 0; t < tokens; t += 1) {
      const first = starts[t]!;
      const last = starts[t + 1]!;
      for (let f = first; f < last; f += 1) active[rows[features[f]!]!] = 1;
      walk.addTo(walk.leaf(active), this.#scores, t * this.#labels);
      walk.addPairs(active, this.#pairs, t * this.#labels ** 2, this.#labels);
      for (let f = first; f < last; f += 1) active[rows[features[f]!]!] = 0;
    }
    this.trees.push(tree);
  }

  /** Adds the cached scores of `sentences` to the transition matrices of all tokens but the first. */
  addPairs(
    { sentenceStarts }: Pick<Minibatch, 'sentenceStarts'>,
    { view: scores }: RealTable,
    { slots, width, matrixSize }: PairPlaces,
  ): void {
    const labels = this.#labels;
    for (const [s, sentence] of this.sentences.entries()) {
      const start = sentenceStarts[s]!;
      let from = (this.#corpus.sentenceStarts[sentence]! + 1) * labels ** 2;
      for (let t = start + 1; t < sentenceStarts[s + 1]!; t += 1) {
        for (let y = 0; y < labels; y += 1) {
          const row = slots[t]! * matrixSize + y * width;
          for (let z = 0; z < labels; z += 1) scores[row + z]! += this.#pairs[from + z]!;
          from += labels;
        }
      }
    }
  }

  /** Adds the cached scores of `sentences`, which must make up the minibatch. */
  addTo(
    { sentenceStarts }: Pick<Minibatch, 'sentenceStarts'>,
    { view: scores }: RealTable,
    width: number,
  ): void {
    const labels = this.#labels;
    const { sentenceStarts: firstTokens } = this.#corpus;
    for (const [s, sentence] of this.sentences.entries()) {
      let from = firstTokens[sentence]! * labels;
      for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
        const row = t * width;
        for (let y = 0; y < labels; y += 1) scores[row + y]! += this.#scores[from + y]!;
        from += labels;
      }
    }
  }
}

/**
 * The steps of the plain transitions, which are weights rather than trees. With n(i, j) the observed and E(i, j) the
 * expected count of a label pair,
 *
 *     w(i, j) += shrinkage log((n(i, j) + l2) / (E(i, j) + l2)),
 *
 * the step of iterative scaling, smoothed so that it stays finite for pairs that never occur.
 */
class TransitionSteps {
  readonly #observed: Float64Array;
  /** E - n, summed over the sentences so far. */
  readonly #residuals: Float64Array;
  readonly #parameters: ParameterStore;

  constructor(parameters: ParameterStore) {
    this.#parameters = parameters;
    this.#observed = new Float64Array(parameters.matrixSize);
    this.#residuals = new Float64Array(parameters.matrixSize);
  }

  clear(): void {
    this.#observed.fill(0);
    this.#residuals.fill(0);
  }

  /** Adds sentence `s` of a contribution of the log loss. */
  add(contribution: Contribution, s: number): void {
    const { minibatch, transitionResidual, matrixSize, width } = contribution;
    const { gold, sentenceStarts } = minibatch;
    const weight = minibatch.weights?.[s] ?? 1;
    for (let t = sentenceStarts[s]! + 1; t < sentenceStarts[s + 1]!; t += 1) {
      this.#observed[gold[t - 1]! * width + gold[t]!]! += weight;
    }
    const first = s * matrixSize;
    for (let i = 0; i < matrixSize; i += 1) this.#residuals[i]! += transitionResidual[first + i]!;
  }

  /** Makes the step; returns whether any weight has changed. */
  step(l2: number, shrinkage: number): boolean {
    const { layout, labels, width, support, weights } = this.#parameters;
    if (!layout.transitions) return false;
    const table = weights.edges.view;
    let changes = false;
    for (let from = 0; from < labels; from += 1) {
      for (let at = from * width; at < from * width + labels; at += 1) {
        if (support !== undefined && support.transitions[at] === 0) continue;
        const observed = this.#observed[at]!;
        // Rounding may make the expected count negative.
        const expected = Math.max(0, observed + this.#residuals[at]!);
        if (observed === expected) continue;
        table[at]! += shrinkage * Math.log((observed + l2) / (expected + l2));
        changes = true;
      }
    }
    return changes;
  }
}

const options = z.strictObject({
  depth: z
    .int()
    .min(1)
    .max(64)
    .default(8)
    .describe('maximum number of splits on the way to a leaf'),
  leaves: z.int().min(2).max(1024).default(32).describe('maximum number of leaves of a tree'),
  shrinkage: z
    .number()
    .positive()
    .max(1)
    .default(0.3)
    .describe('learning rate: factor on the step of each tree and of the transitions'),
  sample: z
    .number()
    .positive()
    .max(1)
    .default(0.5)
    .describe('share of the sentences sampled in each round, seeded by train.seed'),
  discard: z
    .number()
    .min(0)
    .max(0.5)
    .default(0.01)
    .describe(
      'gradients of a token and label up to this size are excluded from the fit; of pairs of labels with previous, up to this size divided by the number of labels',
    ),
  leafTokens: z.int().min(1).default(5).describe('minimum number of tokens of a leaf'),
  l2: z
    .number()
    .positive()
    .default(1)
    .describe('added to the curvature of a leaf, and to the counts of transitions'),
  previous: z
    .boolean()
    .default(false)
    .describe('let trees split on the previous label too, which takes longer and more memory'),
  perLabel: z
    .boolean()
    .default(false)
    .describe(
      'fit one tree per label in each round, instead of one tree with all labels in its leaves',
    ),
});

/** Options of `treeBoosting`, with their defaults. */
export type TreeBoostingOptions = z.infer<typeof options>;

/** Number of sentences scored at a time. */
const atOnce = 32;

/**
 * Gradient tree boosting of the potentials of a conditional random field. Each round draws a sample of the sentences,
 * computes the functional gradient of their log-likelihood at each token t and label y,
 *
 *     [y*_t = y] - p(y_t = y | x),
 *
 * from one forward-backward pass, fits a regression tree to it, and adds the tree to the potentials of all tokens. A tree's
 * leaves are Newton steps, in one tree for all labels or one per label; the plain transitions have separate steps, see
 * `TransitionSteps`. Trees condition on a token's features, so a token has L potentials. With `previous` they also split on
 * the previous label, and are fitted to the gradient of label pairs,
 *
 *     [y*_{t-1} = y', y*_t = y] - p(y_{t-1} = y', y_t = y | x),
 *
 * with L^2 potentials and 4 L^2 bytes of memory per token. Training continues from the model's existing weights and trees.
 *
 * Each token's tree scores are cached: a round costs one pass over the sample and one tree, whatever the number of trees.
 * With `sample` below 1, the reported objective is the sample's, scaled up to the corpus. It falls with `sample: 1` and a
 * small `shrinkage`. Gupta, section 2.5, equation 53; Dietterich, Ashenfelter and Bulatov (2004); Friedman (2001).
 */
export class TreeBoosting implements Trainer {
  readonly name = 'trees';
  readonly #options: TreeBoostingOptions;
  readonly #objective: Objective;
  readonly #seed: number;
  readonly #corpus: TreeCorpus;
  readonly #grower: TreeGrower;
  readonly #kept: KeptScores;
  readonly #samples: ResidualSamples;
  readonly #ofLabel = new ResidualSamples(0);
  readonly #transitions: TransitionSteps;
  #round = 0;

  /**
   * @throws TagstreamError `config` for another scorer or loss, partial labels, numeric features, or edge features without
   *   weights
   */
  constructor(chosen: TreeBoostingOptions, objective: Objective, seed: number) {
    requireTrees(objective, chosen);
    const { parameters, corpus } = objective;
    this.#options = chosen;
    this.#objective = objective;
    this.#seed = seed;
    const { stateRows } = parameters;
    const seesPrevious = chosen.previous || parameters.forest?.seesPrevious === true;
    const shape = { stateRows, labels: chosen.previous ? parameters.labels : 0 };
    this.#corpus = new TreeCorpus(corpus, shape, chosen.leafTokens);
    this.#grower = new TreeGrower(this.#corpus, parameters.labels, chosen);
    this.#kept = new KeptScores(this.#corpus, parameters.labels, seesPrevious);
    // A label pair's share is that of its label after the previous one.
    const share = chosen.previous ? parameters.labels : 1;
    this.#samples = new ResidualSamples(chosen.discard / share);
    this.#transitions = new TransitionSteps(parameters);
    for (const tree of parameters.forest?.trees ?? []) this.#kept.add(tree);
  }

  iterate(): Iteration {
    this.#round += 1;
    const { parameters } = this.#objective;
    const chosen = this.#drawn();
    parameters.forest = this.#kept;
    const loss = this.#look(chosen);
    const before = this.#kept.trees.length;
    this.#fit();
    const { l2, shrinkage } = this.#options;
    const moved = this.#transitions.step(l2, shrinkage);
    parameters.version += 1;
    const stays = !moved && this.#kept.trees.length === before;
    const whole = (loss * this.#corpus.sentences.length) / chosen.length;
    return {
      iteration: this.#round,
      objective: whole,
      loss: whole,
      gradientNorm: Math.sqrt(this.#samples.squares),
      evaluations: this.#round,
      active: this.#active(),
      ...(stays ? { ending: 'gradient' } : {}),
    };
  }

  /** Draws the sentences of a round, ascending; they depend only on the seed and the round. */
  #drawn(): number[] {
    const all = Uint32Array.from(this.#corpus.sentences.keys());
    const { sample } = this.#options;
    if (sample === 1) return Array.from(all);
    const random = new Random(this.#seed * 1000003 + this.#round);
    const size = Math.max(1, Math.round(sample * all.length));
    return Array.from(random.shuffle(all).subarray(0, size).sort());
  }

  /** Computes the gradient on the chosen sentences; returns their loss. */
  #look(chosen: readonly number[]): number {
    const { sentences, sentenceStarts } = this.#corpus;
    const { labels } = this.#objective.parameters;
    const shape = { labels, seesPrevious: this.#options.previous };
    this.#samples.clear();
    this.#transitions.clear();
    let loss = 0;
    for (let i = 0; i < chosen.length; i += atOnce) {
      const numbers = chosen.slice(i, i + atOnce);
      this.#kept.sentences = numbers;
      const minibatch: Minibatch = packMinibatch(numbers.map(s => sentences[s]!));
      const contribution = this.#objective.contribute(minibatch);
      loss += contribution.loss;
      for (const [s, number] of numbers.entries()) {
        this.#samples.add(contribution, s, sentenceStarts[number]!, shape);
        this.#transitions.add(contribution, s);
      }
    }
    return loss;
  }

  /** Adds the trees that fit the gradient. */
  #fit(): void {
    if (!this.#options.perLabel) {
      const tree = this.#grower.grow(this.#samples);
      if (tree !== undefined) this.#kept.add(tree);
      return;
    }
    for (let label = 0; label < this.#objective.parameters.labels; label += 1) {
      const tree = this.#grower.grow(this.#samples.ofLabel(label, this.#ofLabel));
      if (tree !== undefined) this.#kept.add(tree);
    }
  }

  /** Returns the number of weights and leaf values. */
  #active(): number {
    const values = this.#kept.trees.reduce((sum, tree) => sum + tree.values.length, 0);
    return countActive(this.#objective.weights()) + values;
  }

  /** Writes the trees to the parameters, so that they score any sentence. */
  settle(): void {
    const { parameters } = this.#objective;
    parameters.forest = new Forest([...this.#kept.trees], parameters.labels);
  }

  save(): State {
    const trees = savedTrees(this.#kept.trees);
    return {
      json: { round: this.#round },
      arrays: { ...trees, weights: this.#objective.weights() },
    };
  }

  /** @throws TagstreamError `checkpoint` if the state is inconsistent */
  restore(state: State): void {
    this.#round = stateCount(state, 'round');
    const { parameters, free } = this.#objective;
    this.#objective.place(savedVector(state, 'weights', free.size));
    const trees = treesOf(state, parameters.stateRows, parameters.labels);
    for (const tree of trees) this.#kept.add(tree);
    this.settle();
  }
}

function requireTrees(
  { parameters, loss, corpus }: Objective,
  { previous }: TreeBoostingOptions,
): void {
  const { weights, matrixSize, layout } = parameters;
  requireLoss('the optimizer trees', loss, 'log');
  requireFullLabels('trees', corpus);
  if (previous && layout.prune !== undefined) {
    throw new TagstreamError('config', 'trees that split on the previous label need all labels', {
      fix: 'leave out prune, or previous',
    });
  }
  const hasEdges = corpus.some(({ edgeStarts }) => edgeStarts !== undefined);
  const blocks = weights.edges.view.subarray(matrixSize);
  if (!hasEdges || [blocks, weights.pairs.view].some(view => view.some(Boolean))) return;
  throw new TagstreamError('config', 'trees do not train transitions conditioned on features', {
    fix: 'leave out all B templates except "B", or train them with an online optimizer first: see switch',
  });
}

/** The catalogue entry of `TreeBoosting`. */
export const treeBoosting: TrainerComponent<TreeBoostingOptions> = {
  name: 'trees',
  summary: 'gradient tree boosting: a regression tree per iteration, for the scorer trees',
  options,
  example: 'optimize: { trees: { depth: 8, leaves: 32, shrinkage: 0.3, sample: 0.5 } }',
  needs: onlyLoss('log'),
  oneThread: () => true,
  makes: () => 'trees',
  create: (chosen, { objective, order }) =>
    new TreeBoosting(chosen, objective(0), order?.seed ?? 1),
};

/** Returns trees as the arrays of a state. */
function savedTrees(trees: readonly RegressionTree[]): State['arrays'] {
  const { starts, nodes, gains, sizes, labels, values } = joinTrees(trees);
  return {
    ...{ 'trees.starts': starts, 'trees.nodes': nodes, 'trees.gains': gains },
    ...{ 'trees.sizes': sizes, 'trees.labels': Uint32Array.from(labels), 'trees.values': values },
  };
}

/**
 * Returns the trees of a state.
 *
 * @param rows number of rows of the state features
 * @param labels number of labels in the model
 * @throws TagstreamError `checkpoint` if the trees are invalid
 */
function treesOf(state: State, rows: number, labels: number): readonly RegressionTree[] {
  const trees = separateTrees(
    {
      starts: stateArray(state, 'trees.starts', [Uint32Array]),
      nodes: stateArray(state, 'trees.nodes', [Uint32Array]),
      gains: stateArray(state, 'trees.gains', [Float32Array]),
      sizes: stateArray(state, 'trees.sizes', [Uint32Array]),
      labels: Uint16Array.from(stateArray(state, 'trees.labels', [Uint32Array])),
      values: stateArray(state, 'trees.values', [Float32Array]),
    },
    rows,
    labels,
  );
  if (typeof trees === 'string') throw wrongState(trees);
  return trees;
}
