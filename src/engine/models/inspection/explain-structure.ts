import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { PackedMinibatch } from '../../core/minibatch/packed-minibatch.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { forwardBackward } from '../../inference/forward-backward.js';
import { addBonus, maskToken, maskTransitions } from '../../inference/mask-scores.js';
import { scoreBatch } from '../../inference/score-batch.js';
import { foldMarginals } from '../../inference/states/fold-marginals.js';
import { chainStructure } from '../../inference/structures/chain-structure.js';
import { requireStructure, structureOf } from '../../inference/structures/structures.js';
import { decodingLattice, Lattice } from '../../kernels/lattice.js';
import { stateWeight } from '../../kernels/store/weights.js';
import { applyLoss } from '../../losses/apply-loss.js';
import type { Loss } from '../../losses/loss.js';
import { addPath, clearResiduals } from '../../losses/residuals/residuals.js';
import type { DecodingRules } from '../decoding/decode-options.js';
import { contradicts, Decoder } from '../decoding/decoder.js';
import type { RuleResult } from '../decoding/tag-rules.js';
import type { Model } from '../model.js';
import { edgeWeight } from './edge-weight.js';
import {
  type ContributionKind,
  type ExplainOptions,
  ruleNotes,
  type ScoreContribution,
  suggested,
  type TokenExplanation,
} from './explanation.js';
import { FeatureNamer } from './feature-namer.js';
import { eachGradient } from './named-gradient.js';

/** A loss that computes the features F(y) of given labels instead of residuals. */
const pathLoss: Loss = {
  ...{ name: 'path', summary: '', example: '', predicts: false, smooth: true, anyStructure: true },
  apply(_, lattice, s, gold) {
    clearResiduals(lattice, s);
    addPath(lattice, s, gold, 1);
    return 0;
  },
};

/**
 * Explains the score difference of two label sequences of a sentence, w . (F(y) - F(z)), feature by feature, for any structure
 * with scores linear in the weights: F(y) are the residuals of a loss with an indicator of y instead of probabilities, which
 * covers spans, links, layers, parts, code bits and hidden states. Cost per pair: O(the sentence's features).
 */
export class ScoreDifferences {
  readonly #model: Model;
  readonly #encoded: EncodedSentence;
  readonly #lattice: Lattice;
  readonly #names: FeatureNamer;

  constructor(model: Model, encoded: EncodedSentence) {
    const { parameters } = model;
    this.#model = model;
    this.#encoded = encoded;
    this.#lattice = new Lattice(parameters.memory, parameters.precision);
    this.#names = new FeatureNamer(model);
    this.#names.addSentence(encoded.sentence);
  }

  /**
   * Returns the contributions to the score of `chosen` minus that of `other`, by parameter column; strongest first.
   */
  between(chosen: Int32Array, other: Int32Array): ScoreContribution[] {
    const sums = new Map<string, Sum>();
    this.#add(chosen, 1, sums);
    this.#add(other, -1, sums);
    const found: ScoreContribution[] = [];
    for (const { kind, name, weights } of sums.values()) {
      let [of, than] = [0, 0];
      const [has, lacks]: string[][] = [[], []];
      for (const [column, { weight, times }] of weights) {
        if (times > 0) of += times * weight;
        else than -= times * weight;
        if (times !== 0) (times > 0 ? has! : lacks!).push(column);
      }
      const amount = of - than;
      if (amount === 0) continue;
      const columns = `${has!.join(' ') || '-'} / ${lacks!.join(' ') || '-'}`;
      found.push({ kind, name, value: 1, chosen: of, runnerUp: than, amount, columns });
    }
    return found.sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
  }

  #add(labels: Int32Array, sign: number, sums: Map<string, Sum>): void {
    const { kernel, parameters } = this.#model;
    const { allowed: _, ...sentence } = this.#encoded;
    const batch = new PackedMinibatch([{ ...sentence, gold: labels }]);
    const made = applyLoss(kernel, parameters, this.#lattice, batch, pathLoss);
    const { parameters: store, labels: columns } = this.#model;
    const state = this.#names.names('state');
    const edge = this.#names.names('edge');
    eachGradient(this.#model, made, {
      state: (row, y, times, isToken) => {
        const kind = isToken ? 'feature' : 'segment';
        const sum = sumOf(sums, kind, state.get(row) ?? `row ${row}`, partOf(this.#model, y));
        const column = isToken ? columns.columnName(y) : typeName(this.#model, y);
        addTo(sum, column, store.scale * stateWeight(store, row, y), sign * times);
      },
      pair: (row, from, to, times, isToken) => {
        const ofSpan = !isToken && this.#model.segments !== undefined;
        const kind = row === 0 ? 'pair' : isToken ? 'feature-pair' : ofSpan ? 'segment' : 'link';
        const name = row === 0 ? '' : (edge.get(row - 1) ?? `row ${row}`);
        const sum = sumOf(sums, kind, name, row === 0 ? partOf(this.#model, to) : '');
        const weight = edgeWeight(store, row, from, to);
        const pair = ofSpan
          ? `${columns.columnName(from)}>${typeName(this.#model, to)}`
          : pairName(this.#model, from, to);
        addTo(sum, pair, weight, sign * times);
      },
    });
  }
}

/** A feature's weights by column name, and each column's count in the difference. */
interface Sum {
  readonly kind: ContributionKind;
  readonly name: string;
  readonly weights: Map<string, { readonly weight: number; times: number }>;
}

type Sums = Map<string, Sum>;

function sumOf(sums: Sums, kind: ContributionKind, name: string, part: string): Sum {
  const key = `${kind}\n${part}\n${name}`;
  let sum = sums.get(key);
  if (sum === undefined) {
    sum = { kind, name, weights: new Map() };
    sums.set(key, sum);
  }
  return sum;
}

function addTo({ weights }: Sum, column: string, weight: number, times: number): void {
  const known = weights.get(column);
  if (known === undefined) weights.set(column, { weight, times });
  else known.times += times;
}

function pairName({ labels }: Model, from: number, to: number): string {
  return `${labels.columnName(from)}>${labels.columnName(to)}`;
}

/**
 * Returns the group of a column if labels are composed of several: its bit, or its layer. The parts of a label form
 * one group.
 */
function partOf({ labels }: Model, column: number): string {
  const { layers, codes } = labels;
  if (codes !== undefined) return `bit ${column >> 1}`;
  if (layers === undefined) return '';
  return `layer ${layers.layerOf(column)}`;
}

/** Returns the type of the spans whose weights are in a column. */
function typeName({ parameters, labels }: Model, column: number): string {
  const { lanes, types } = parameters.layout.segments!.tables();
  return types[lanes.indexOf(column)] ?? labels.columnName(column);
}

/** Returns whether a model's features score anything other than its tags and tag pairs. */
export function hasParts({ labels, parameters }: Model): boolean {
  return labels.states > 1 || structureOf(parameters.layout) !== chainStructure;
}

/**
 * Explains a sentence's tags by a model that `hasParts`: by `ScoreDifferences`, the score difference between the tags
 * and the same tags with the runner-up at one token. With hidden states, uses the tags' best states and, at the
 * token, the runner-up's best state given its neighbours. Cost O(T) times the sentence's features, plus inference.
 */
export function explainParts(
  model: Model,
  sentence: Sentence,
  { rules }: ExplainOptions = {},
  ruled?: RuleResult,
): TokenExplanation[] {
  const { parameters, labels: names } = model;
  requireStructure(parameters.layout, 'sequence scores', 'an explanation');
  const encoded = model.encodeKnown(sentence);
  const batch = packMinibatch([encoded]);
  model.reserve();
  const { labels, without } = decodeFreely(model, batch, rules);
  const { lattice, again } = scoredByRules(model, batch, ruled);
  if (names.states > 1) foldMarginals(lattice, 0, names.states);
  const { width } = lattice;
  const nodes = Array.from(labels, (_, t) =>
    Float64Array.from(lattice.nodes.view.subarray(t * width, t * width + lattice.labels)),
  );
  const { best, replaced } = statesOf(model, labels, lattice, again);
  const differences = new ScoreDifferences(model, encoded);
  const stateAt = (states: Int32Array, t: number) =>
    names.states === 1 ? {} : { state: names.stateName(states[t]!) };
  return sentence.tokens.map((token, t) => {
    const tag = labels[t]!;
    const of = (y: number) => ({ tag: names.name(y), probability: nodes[t]![y]! });
    const notes = ruleNotes(ruled, t, names.name(tag), without && names.name(without[t]!));
    const chosen = { token, ...of(tag), ...notes, ...stateAt(best, t) };
    const other = mostProbable(nodes[t]!, tag, names.states);
    if (other < 0) return { ...chosen, contributions: [] };
    const instead = replaced(t, other);
    const contributions = [
      ...differences.between(best, instead),
      ...suggested(ruled, t, tag, other),
    ];
    const difference = contributions.reduce((sum, { amount }) => sum + amount, 0);
    const runnerUp = { ...of(other), ...stateAt(instead, t) };
    return { ...chosen, runnerUp, difference, contributions };
  });
}

/**
 * Returns the second most probable label, by numbers of first states; -1 if no other label is
 * possible.
 */
function mostProbable(probabilities: Float64Array, chosen: number, states: number): number {
  let best = -1;
  for (let y = 0; y < probabilities.length; y += states) {
    if (y === chosen || !(probabilities[y]! > 0)) continue;
    if (best < 0 || probabilities[y]! > probabilities[best]!) best = y;
  }
  return best;
}

/**
 * Returns the best states of the labels, and of the labels with another one at a token; without hidden states, the
 * labels themselves.
 */
function statesOf(
  { kernel, labels: { states } }: Model,
  labels: Int32Array,
  lattice: Lattice,
  again: () => void,
): {
  readonly best: Int32Array;
  readonly replaced: (t: number, label: number) => Int32Array;
} {
  if (states === 1) return { best: labels, replaced: (t, label) => labels.with(t, label) };
  again();
  for (const [t, first] of labels.entries()) {
    const own = (_: number, y: number) => (y >= first && y < first + states ? 1 : 0);
    maskToken(lattice, t, Uint8Array.from({ length: lattice.labels }, own));
  }
  const best = new Int32Array(labels.length);
  kernel.viterbi(lattice, 0, best);
  again();
  const replaced = (t: number, label: number) => {
    const paths = Array.from({ length: states }, (_, k) => best.with(t, label + k));
    const scores = paths.map(path => kernel.pathScore(lattice, 0, path));
    return paths[scores.indexOf(Math.max(...scores))]!;
  };
  return { best, replaced };
}

type Rules = Pick<DecodingRules, 'transitionMask' | 'dictionary'> & {
  readonly ruled?: RuleResult | undefined;
};

const noRules: Rules = { transitionMask: undefined, dictionary: undefined };

/** Applies the decoder's restrictions. */
function restrict(
  { transitionMask, dictionary, ruled }: Rules,
  lattice: Lattice,
  tokens: readonly string[],
): void {
  if (transitionMask !== undefined) maskTransitions(lattice, transitionMask);
  const asked = ruled?.masks ?? [];
  for (const { token, allowed } of asked) maskToken(lattice, token, allowed);
  for (const bonus of ruled?.bonuses ?? []) addBonus(lattice, bonus.token, bonus);
  for (const [t, token] of tokens.entries()) {
    const allowed = dictionary?.allowed(token);
    if (allowed !== undefined && !contradicts(asked, t, allowed)) maskToken(lattice, t, allowed);
  }
}

/**
 * Computes a sentence's marginals under the decoder's restrictions, dropping impossible restrictions as the
 * decoder does.
 *
 * @param ruled the rules' effect on the sentence
 * @returns the lattice, and a function that scores it again under the same rules
 */
export function scoredByRules(
  model: Model,
  batch: Minibatch,
  ruled?: RuleResult,
): { readonly lattice: Lattice; readonly again: () => void } {
  const { kernel, parameters } = model;
  const inferring = structureOf(parameters.layout).kernel?.(kernel) ?? kernel;
  const lattice = decodingLattice(parameters);
  const { tokens } = batch.sentences[0]!.sentence;
  const by = (rules: Rules) => {
    // Pruning could remove the explained label, whose score may be arbitrarily low.
    lattice.whole = new Uint8Array(batch.sentences.length).fill(1);
    scoreBatch(kernel, parameters, lattice, batch);
    restrict(rules, lattice, tokens);
  };
  let last: Rules = noRules;
  const { transitionMask, dictionary } = model;
  for (const rules of [
    { transitionMask, dictionary, ruled },
    { ...noRules, transitionMask, ruled },
    { ...noRules, transitionMask },
    noRules,
  ]) {
    last = rules;
    by(rules);
    if (forwardBackward(inferring, lattice, 0, 'log') !== Number.NEGATIVE_INFINITY) break;
  }
  return { lattice, again: () => by(last) };
}

/**
 * Returns the labels of a sentence with rules, and without them if there are any; ignores the sentence's constraints.
 */
export function decodeFreely(
  model: Model,
  batch: Minibatch,
  rules: ExplainOptions['rules'],
): { readonly labels: Int32Array; readonly without: Int32Array | undefined } {
  const { kernel, parameters } = model;
  const decoder = new Decoder(kernel, model);
  const free = { constraints: false } as const;
  const without = rules === undefined ? undefined : decoder.decode(parameters, batch, free).labels;
  const { labels, rejected } = decoder.decode(parameters, batch, { ...free, rules });
  const impossible = rejected?.get(0);
  if (impossible !== undefined) throw impossible;
  return { labels, without };
}
