import { TagstreamError } from '../../core/errors.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { FeatureNames } from '../../features/extraction/feature-names.js';
import { requireCapability, scorerOf } from '../../inference/scorers/scorers.js';
import type { Lattice } from '../../kernels/lattice.js';
import { previousLabelOf, type RegressionTree } from '../../kernels/store/regression-tree.js';
import { stateWeight } from '../../kernels/store/weights.js';
import { TreeWalk } from '../../kernels/trees/tree-walk.js';
import type { RuleResult } from '../decoding/tag-rules.js';
import type { Model } from '../model.js';
import { edgeWeight } from './edge-weight.js';
import { decodeFreely, explainParts, hasParts, scoredByRules } from './explain-structure.js';
import {
  type ContributionKind,
  type ExplainOptions,
  ruledSentence,
  ruleNotes,
  type ScoreContribution,
  suggested,
  type TokenExplanation,
} from './explanation.js';

/** Label numbers of a sentence, with values for all labels, `[T][L]`. */
interface Decoding {
  readonly labels: Int32Array;
  /** Probabilities of all labels. */
  readonly nodes: readonly Float64Array[];
  /** Scores of all labels between the chosen neighbours; minus infinity if forbidden. */
  readonly scores: readonly Float64Array[];
  /** The scorer's additions to the labels' sums of weights; absent if there are none. */
  readonly surplus: readonly Float64Array[] | undefined;
  /** Labels predicted without the rules; absent if there are no rules. */
  readonly without: Int32Array | undefined;
}

/**
 * Explains a sentence's tags: the evidence for each token's chosen tag against the most probable other tag.
 *
 * The score of a tag sequence is a sum over features and transitions, so the difference between two tags at one token
 * is also a sum: `sum over f of value(f, t) (w[f][y] - w[f][y'])`, and likewise for the transitions in and out; if
 * scores are normalised at each token, plus the normaliser of the next token. Sums are computed in float64. The
 * sentence's own constraints are ignored. Cost O(T L^2), plus naming all features.
 *
 * Rules apply as in decoding: each token lists the rules that apply to it, and its tag without them.
 *
 * @param model frozen model, or one with room for everything it knows
 * @throws TagstreamError `empty-sentence`, `unknown-column`, `length-mismatch`, `not-a-number`, `numeric`; `config` for voting
 * weights, support vectors, and codes that are not decoded by the product of their bits
 * @example
 * const model = createModel({ templates: 'U00:%x[0,0]' });
 * const learner = createLearner(model, { loss: perceptronLoss(), optimizer: perceptron(), corpusSize: 1 });
 * const sentence = { tokens: ['a', 'b'], tags: ['X', 'Y'], columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } };
 * for (let i = 0; i < 3; i += 1) learner.apply(learner.contribute(packMinibatch([model.encode(sentence)])));
 * const [, second] = explainSentence(model, sentence);
 * [second.tag, second.runnerUp.tag, second.contributions[0].name] // => ['Y', 'X', 'U00:b']
 */
export function explainSentence(
  model: Model,
  given: Sentence,
  options: ExplainOptions = {},
): TokenExplanation[] {
  requireKnown('explainSentence', options, ['rules']);
  requireArgument('explainSentence: the model', model, kinds.model);
  requireArgument('explainSentence: the sentence', given, kinds.sentence);
  if (model.parameters.voters !== undefined) {
    const { length } = model.parameters.voters.votes;
    throw new TagstreamError('config', `${length} weight vectors vote on the tags of the model`, {
      fix: 'explain a model with one weight vector, such as perceptron trains',
    });
  }
  requireCapability(model.spec.scorer, 'explain', 'an explanation');
  const sentence = model.placed(given);
  const ruled = ruledSentence(model, sentence, options);
  if (hasParts(model)) return explainParts(model, sentence, options, ruled);
  const { labels, nodes, scores, surplus, without } = decode(model, sentence, options, ruled);
  const parts = partsOf(model, sentence);
  const { forest, stateRows } = model.parameters;
  const trees = forest && new TreeContributions(forest.trees, stateRows, model.labels.size);
  return sentence.tokens.map((token, t) => {
    const tag = labels[t]!;
    const probability = nodes[t]![tag]!;
    const name = model.labels.name(tag);
    const notes = ruleNotes(ruled, t, name, without && model.labels.name(without[t]!));
    const chosen = { token, tag: name, probability, ...notes };
    const other = runnerUpOf(nodes[t]!, scores[t]!, tag);
    if (other < 0) return { ...chosen, contributions: [] };
    const contributions = contributionsAt(model, parts, labels, t, other);
    if (trees !== undefined) addTrees(contributions, trees, { model, parts, labels, t, other });
    if (surplus !== undefined && t + 1 < labels.length) {
      const next = sentence.tokens[t + 1]!;
      addNormaliser(contributions, next, surplus[t]![tag]!, surplus[t]![other]!);
    }
    const suggestions = suggested(ruled, t, tag, other);
    contributions.push(...suggestions);
    if (suggestions.length > 0) contributions.sort(byStrength);
    const runnerUp = { tag: model.labels.name(other), probability: nodes[t]![other]! };
    const difference = contributions.reduce((sum, { amount }) => sum + amount, 0);
    return { ...chosen, runnerUp, difference, contributions };
  });
}

function decode(
  model: Model,
  sentence: Sentence,
  { rules }: ExplainOptions,
  ruled: RuleResult | undefined,
): Decoding {
  const batch = packMinibatch([model.encodeKnown(sentence)]);
  model.reserve();
  const { labels, without } = decodeFreely(model, batch, rules);
  const { lattice } = scoredByRules(model, batch, ruled);
  const { width } = lattice;
  const nodes = Array.from(labels, (_, t) =>
    Float64Array.from(lattice.nodes.view.subarray(t * width, t * width + lattice.labels)),
  );
  const scores = Array.from(labels, (_, t) =>
    Float64Array.from({ length: lattice.labels }, (_, y) => scoreAt(lattice, labels, t, y)),
  );
  const { surplus } = scorerOf(model.spec.scorer);
  const added =
    surplus === undefined
      ? undefined
      : Array.from(labels, (_, t) =>
          Float64Array.from({ length: lattice.labels }, (_, y) => surplus(lattice, t, y)),
        );
  return { labels, nodes, scores, surplus: added, without };
}

/** Returns the part of the labels' score that would belong to token `t` if its label were `y`. */
function scoreAt(lattice: Lattice, labels: Int32Array, t: number, y: number): number {
  let score = lattice.emissionScores.view[t * lattice.width + y]!;
  if (t > 0) score += transitionAt(lattice, t, labels[t - 1]!, y);
  if (t + 1 < labels.length) score += transitionAt(lattice, t + 1, y, labels[t + 1]!);
  return score;
}

function transitionAt(lattice: Lattice, t: number, from: number, to: number): number {
  const slot = lattice.edgeSlots[t]!;
  const pair = from * lattice.width + to;
  return slot < 0
    ? lattice.transitionScores.view[pair]!
    : lattice.edgeScores.view[slot * lattice.matrixSize + pair]!;
}

/**
 * Returns the second most probable label, ties going to the better score between its neighbours; -1 if
 * no other label is possible. A probability can underflow to 0 although the label is allowed.
 */
function runnerUpOf(probabilities: Float64Array, scores: Float64Array, chosen: number): number {
  let best = -1;
  for (const [y, probability] of probabilities.entries()) {
    if (y === chosen || (probability <= 0 && scores[y] === Number.NEGATIVE_INFINITY)) continue;
    const more = best < 0 ? 1 : probability - probabilities[best]!;
    if (more > 0 || (more === 0 && scores[y]! > scores[best]!)) best = y;
  }
  return best;
}

/** An active feature with its name. */
interface NamedFeature {
  readonly name: string;
  readonly words: string;
  readonly row: number;
  readonly value: number;
}

interface SentenceParts {
  readonly state: readonly (readonly NamedFeature[])[];
  readonly edge: readonly (readonly NamedFeature[])[];
}

function partsOf(model: Model, sentence: Sentence): SentenceParts {
  const { extractor } = model;
  const names = new FeatureNames(extractor.plan);
  const { length } = sentence.tokens;
  extractor.open(sentence);
  const named = (kind: 'state' | 'edge'): NamedFeature[][] => {
    const index = kind === 'state' ? model.stateIndex : model.edgeIndex;
    const { starts, rows, values, templates } = extractor.locate(kind, length, index);
    return sentence.tokens.map((_, t) => {
      const features: NamedFeature[] = [];
      for (let k = starts[t]!; k < starts[t + 1]!; k += 1) {
        const name = names.name(kind, templates[k]!, sentence, t)!;
        const words = names.words(kind, templates[k]!, sentence, t);
        features.push({ name, words, row: rows[k]!, value: values?.[k] ?? 1 });
      }
      return features;
    });
  };
  return { state: named('state'), edge: extractor.hasEdges ? named('edge') : [] };
}

/** Inserts the scorer's additions to both scores in the sorted contributions. */
function addNormaliser(
  found: ScoreContribution[],
  name: string,
  chosen: number,
  runnerUp: number,
): void {
  const amount = chosen - runnerUp;
  if (amount === 0) return;
  found.push({ kind: 'normaliser', name, value: 1, chosen, runnerUp, amount });
  found.sort(byStrength);
}

/** Inserts the trees' additions to both scores in the sorted contributions. */
function addTrees(
  found: ScoreContribution[],
  trees: TreeContributions,
  given: {
    readonly model: Model;
    readonly parts: SentenceParts;
    readonly labels: Int32Array;
    readonly t: number;
    readonly other: number;
  },
): void {
  const { model, parts, labels, t, other: runnerUp } = given;
  const namesAt = (token: number) =>
    new Map(parts.state[token]!.map(({ row, name }) => [row + 1, name]));
  const before = (label: number) => `previous label ${model.labels.name(label)}`;
  const [previous, label] = [t > 0 ? labels[t - 1]! : -1, labels[t]!];
  const own = trees.at({ names: namesAt(t), before }, [
    { previous, label },
    { previous, label: runnerUp },
  ]);
  const next =
    t + 1 < labels.length
      ? trees.after({ names: namesAt(t + 1), before }, [
          { previous: label, label: labels[t + 1]! },
          { previous: runnerUp, label: labels[t + 1]! },
        ])
      : [];
  for (const { name, chosen, other } of [...own, ...next]) {
    const amount = chosen - other;
    if (amount === 0) continue;
    found.push({ kind: 'trees', name, value: 1, chosen, runnerUp: other, amount });
  }
  found.sort(byStrength);
}

function byStrength(a: ScoreContribution, b: ScoreContribution): number {
  return Math.abs(b.amount) - Math.abs(a.amount);
}

/**
 * Returns the contributions of token `t`'s label to the score, compared with `other`; strongest
 * first.
 */
function contributionsAt(
  model: Model,
  { state, edge }: SentenceParts,
  labels: Int32Array,
  t: number,
  other: number,
): ScoreContribution[] {
  const { parameters } = model;
  const weightOf = (row: number, y: number) => parameters.scale * stateWeight(parameters, row, y);
  const label = labels[t]!;
  const found: ScoreContribution[] = [];
  const add = (
    kind: ContributionKind,
    name: string,
    value: number,
    [chosen, runnerUp]: readonly [number, number],
    words?: string,
  ) => {
    const amount = value * (chosen - runnerUp);
    if (amount === 0) return;
    const named = words === undefined ? { name } : { name, words };
    found.push({ kind, ...named, value, chosen, runnerUp, amount });
  };
  for (const { name, words, row, value } of state[t]!) {
    add('feature', name, value, [weightOf(row, label), weightOf(row, other)], words);
  }
  if (t > 0) {
    const before = labels[t - 1]!;
    const into = (feature: number, y: number) => edgeWeight(parameters, feature, before, y);
    add('in', model.labels.name(before), 1, [into(0, label), into(0, other)]);
    for (const { name, words, row, value } of edge[t] ?? []) {
      add('feature-in', name, value, [into(row, label), into(row, other)], words);
    }
  }
  if (t + 1 < labels.length) {
    const after = labels[t + 1]!;
    const out = (feature: number, y: number) => edgeWeight(parameters, feature, y, after);
    add('out', model.labels.name(after), 1, [out(0, label), out(0, other)]);
    for (const { name, words, row, value } of edge[t + 1] ?? []) {
      add('feature-out', name, value, [out(row, label), out(row, other)], words);
    }
  }
  return found.sort(byStrength);
}

/** The trees' values for two labels of a token, by the features that lead to the leaves. */
interface TreeContribution {
  /**
   * Names of the token's features on the paths to the leaves; `-` if it has none of the features tested
   * there.
   */
  readonly name: string;
  readonly chosen: number;
  readonly other: number;
}

/** Names of a token's features by row + 1, and of the previous label. */
interface SplitNames {
  readonly names: ReadonlyMap<number, string>;
  readonly before: (label: number) => string;
}

/** A label scored by trees, and its previous label. */
interface AfterLabel {
  readonly previous: number;
  readonly label: number;
}

/**
 * Explains the trees' contribution to a token's scores: leaves reached through the same set of its features form
 * one contribution. Splits on absent features are not part of the name. Cost per token: O(trees x depth).
 */
class TreeContributions {
  readonly #walks: readonly TreeWalk[];
  readonly #active: Uint8Array;
  readonly #labels: number;

  constructor(trees: readonly RegressionTree[], rows: number, labels: number) {
    this.#walks = trees.map(tree => new TreeWalk(tree));
    this.#active = new Uint8Array(rows);
    this.#labels = labels;
  }

  /** Returns the trees' contributions at a token for the chosen label and the other one. */
  at(names: SplitNames, labels: readonly [AfterLabel, AfterLabel]): TreeContribution[] {
    return this.#sums(this.#walks, names, labels);
  }

  /**
   * Returns the contributions of trees that split on the previous label, for the token after one
   * with a chosen label.
   */
  after(names: SplitNames, labels: readonly [AfterLabel, AfterLabel]): TreeContribution[] {
    const walks = this.#walks.filter(({ previous }) => previous.length > 0);
    return this.#sums(walks, names, labels);
  }

  #sums(
    walks: readonly TreeWalk[],
    { names, before }: SplitNames,
    labels: readonly [AfterLabel, AfterLabel],
  ): TreeContribution[] {
    const sums = new Map<string, { chosen: number; other: number }>();
    const scores = new Float64Array(this.#labels);
    for (const split of names.keys()) this.#active[split - 1] = 1;
    for (const walk of walks) {
      for (const [i, { previous, label }] of labels.entries()) {
        const leaf = walk.leaf(this.#active, previous);
        scores.fill(0);
        walk.addTo(leaf, scores, 0);
        const way = walk.splits(leaf).map(node => names.get(node) ?? before(previousLabelOf(node)));
        const name = way.length === 0 ? '-' : [...new Set(way)].sort().join(' & ');
        const sum = sums.get(name) ?? { chosen: 0, other: 0 };
        sum[i === 0 ? 'chosen' : 'other'] += scores[label]!;
        sums.set(name, sum);
      }
    }
    for (const split of names.keys()) this.#active[split - 1] = 0;
    return [...sums].map(([name, sum]) => ({ name, ...sum }));
  }
}
