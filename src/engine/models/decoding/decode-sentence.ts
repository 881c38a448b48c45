import type { LabelAutomaton } from '../../inference/automata/label-automaton.js';
import { forwardBackward, whereScaled } from '../../inference/forward-backward.js';
import {
  chainPairs,
  type PairSums,
  type SparsePairs,
} from '../../inference/marginals/pair-marginals.js';
import type { NBest, RankedPath } from '../../inference/n-best.js';
import { minimumRiskDecode, posteriorDecode } from '../../inference/posterior-decode.js';
import type { ScaledSpanProbabilities } from '../../inference/scaled-span-probabilities.js';
import { spanProbability } from '../../inference/span-probability.js';
import { foldGroups, foldMarginals } from '../../inference/states/fold-marginals.js';
import type { LabelScore } from '../../inference/states/label-score.js';
import {
  rankedLabelSequences,
  toFirstStates,
} from '../../inference/states/ranked-label-sequences.js';
import type { Structure } from '../../inference/structures/structure.js';
import type { WideLattice } from '../../inference/wide-lattice.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import type { ParameterLayout } from '../../kernels/store/parameter-store.js';
import { labelSpans, type SpanPairs } from '../../text/tags/spans.js';
import type { DecodeOptions } from './decode-options.js';
import { type DecodedDraft, ofSequence, type ReportedLabels } from './decoded.js';

/** Settings for decoding the sentences of a scored batch. */
export interface BatchWork {
  readonly kernel: Kernel;
  readonly lattice: Lattice;
  /** Returns the lattice's scores in float64, with all masks applied. */
  readonly wide: () => WideLattice;
  readonly options: DecodeOptions;
  readonly nBest: NBest;
  /**
   * For labels with hidden states: the number of states per label, and the object that sums over
   * them.
   */
  readonly hidden: { readonly states: number; readonly labelScore: LabelScore } | undefined;
  /** Automaton that accepts the allowed label sequences; undefined if all are allowed. */
  readonly automaton: LabelAutomaton | undefined;
  readonly structure: Structure;
  readonly layout: ParameterLayout;
  /** The first label of each label's group, if several labels are reported as one. */
  readonly groups: Int32Array | undefined;
  /** Reported labels, if the probabilities of all labels are requested. */
  readonly reported: ReportedLabels | undefined;
  /** Sums of label pairs, if requested. */
  readonly pairSums: PairSums | undefined;
  /** If spans are requested: the labels' meaning for spans, and the method of summing over them. */
  readonly spans: { pairs: SpanPairs; scaled: ScaledSpanProbabilities } | undefined;
}

/** Scores of this size have few digits left in which sequences differ, and larger ones none: two could have probability 1. */
export const mostLog = 2 ** 44;

/**
 * Decodes one sentence into its entry; returns false if no label sequence is possible, in which case the score tells
 * why: minus infinity, or another number that is not finite or too large for probabilities.
 *
 * For labels with hidden states, finds the labels of the best state sequence; all other results refer to labels: scores
 * and probabilities are sums over their states.
 *
 * Probabilities of whole sequences are summed in float64, scaled if that is safe.
 *
 * @param masked whether labels are forbidden at single tokens, or transitions make some labels impossible
 */
export function decodeSentence(
  work: BatchWork,
  s: number,
  masked: boolean,
  decoded: DecodedDraft,
): boolean {
  const { kernel, lattice, options, hidden } = work;
  const { labels, scores, marginals, pairMarginals, nbest, spans } = decoded;
  const { probabilities, logProbabilities } = decoded;
  const { decoding = 'viterbi' } = options;
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  if (decoding === 'viterbi') {
    scores[s] = kernel.viterbi(lattice, s, labels);
    if (!Number.isFinite(scores[s])) return false;
    if (hidden !== undefined) scores[s] = scoreOfLabels(hidden, lattice, s, labels);
  }
  if (decoding === 'loopy') return decodeLoopily(work, s, decoded);
  const ofSequences = probabilities !== undefined || nbest !== undefined || spans !== undefined;
  const sums = ofSequences || pairMarginals !== undefined;
  const readsNodes = marginals !== undefined || decoding !== 'viterbi';
  if (!readsNodes && !sums) return true;
  const wide = sums || masked ? work.wide() : { kernel, lattice };
  let logZ = whereScaled(wide.kernel, wide.lattice, s, masked ? 'masked' : 'auto');
  const inLogs = Number.isNaN(logZ);
  if (inLogs) logZ = forwardBackward(wide.kernel, wide.lattice, s, 'log');
  if (!(Math.abs(logZ) < mostLog)) {
    scores[s] = logZ;
    return false;
  }
  if (readsNodes && wide.lattice !== lattice) {
    const { width } = lattice;
    const nodes = wide.lattice.nodes.view.subarray(first * width, end * width);
    lattice.nodes.view.set(nodes, first * width);
  }
  if (pairMarginals !== undefined) {
    const pairs = pairsOf(work, wide, s, inLogs ? logZ : undefined);
    pairMarginals[s] = { labels: work.reported!.tags, ...pairs };
  }
  if (readsNodes && hidden !== undefined) foldMarginals(lattice, s, hidden.states);
  if (readsNodes && work.groups !== undefined) foldGroups(lattice, s, work.groups);
  if (decoding !== 'viterbi') {
    const scored = () =>
      hidden === undefined
        ? kernel.pathScore(lattice, s, labels)
        : scoreOfLabels(hidden, lattice, s, labels);
    if (decoding === 'posterior') posteriorDecode(lattice, s, labels);
    else minimumRiskDecode(lattice, s, labels);
    scores[s] = scored();
    // Of labels of another scheme, the best ones of the tokens may form no sequence.
    if (scores[s] === Number.NEGATIVE_INFINITY && decoding === 'posterior') {
      minimumRiskDecode(lattice, s, labels);
      scores[s] = scored();
    }
  }
  if (marginals !== undefined) takeMarginals(work, s, decoded);
  if (probabilities !== undefined) {
    const found = ofSequence(scores[s]! - logZ);
    probabilities[s] = found.probability;
    logProbabilities![s] = found.logProbability;
  }
  if (spans !== undefined) {
    const { pairs, scaled } = work.spans!;
    const { spanProbability: probabilityOfSpan } = work.structure;
    const marked = labelSpans(labels.subarray(first, end), pairs);
    spans[s] =
      probabilityOfSpan !== undefined
        ? marked.map(span => ({ ...span, probability: probabilityOfSpan(kernel, lattice, span) }))
        : inLogs
          ? marked.map(span => ({
              ...span,
              probability: spanProbability(wide.lattice, s, logZ, pairs, span),
            }))
          : scaled.of(wide.lattice, s, marked);
  }
  // This comes last because it overwrites forward vectors.
  if (nbest !== undefined) {
    const paths = bestPaths(work, wide, s);
    if (decoding === 'viterbi' && hidden === undefined) {
      putFirst(paths, labels.subarray(first, end), scores[s]!);
    }
    nbest[s] = paths.map(({ labels, score }) => ({ labels, score, ...ofSequence(score - logZ) }));
  }
  return true;
}

/**
 * Finds each token's most probable label by approximate sums; returns false if a token has none.
 */
function decodeLoopily(work: BatchWork, s: number, decoded: DecodedDraft): boolean {
  const { kernel, lattice, structure, layout } = work;
  const { labels, scores, marginals } = decoded;
  structure.approximate!(lattice, s, layout);
  posteriorDecode(lattice, s, labels);
  scores[s] = kernel.pathScore(lattice, s, labels);
  if (marginals !== undefined) takeMarginals(work, s, decoded);
  return Number.isFinite(scores[s]);
}

/**
 * Reads the probabilities of a sentence's chosen labels, and of all labels if requested, from node marginals; labels
 * reported as one have their common sum.
 */
function takeMarginals(
  { lattice, reported, pairSums }: BatchWork,
  s: number,
  { labels, marginals, labelMarginals }: DecodedDraft,
): void {
  const { width, nodes, batch } = lattice;
  const first = batch!.sentenceStarts[s]!;
  const end = batch!.sentenceStarts[s + 1]!;
  const view = nodes.view;
  for (let t = first; t < end; t += 1) {
    // Pairs add up to the label probabilities before these are rounded to float32.
    marginals![t] = pairSums?.ofLabel(t - first, labels[t]!) ?? view[t * width + labels[t]!]!;
  }
  if (labelMarginals === undefined) return;
  const { columns, tags } = reported!;
  const { values } = labelMarginals;
  for (let t = first; t < end; t += 1) {
    for (let y = 0; y < columns.length; y += 1) {
      values[t * tags.length + columns[y]!] = view[t * width + y]!;
    }
  }
}

/** Returns the neighbouring label pairs of the sentence summed over last. */
function pairsOf(
  { structure, kernel, lattice, pairSums }: BatchWork,
  wide: WideLattice,
  s: number,
  logZ: number | undefined,
): SparsePairs {
  const sums = pairSums!;
  if (structure.pairs !== undefined) structure.pairs(kernel, lattice, s, sums);
  else chainPairs(wide.lattice, s, logZ, sums.columns, sums);
  return sums.finish();
}

/** Returns the label sequences of a sentence's n-best list. */
function bestPaths(work: BatchWork, wide: WideLattice, s: number): RankedPath[] {
  const { structure, lattice, nBest, hidden, options } = work;
  const count = options.nbest!;
  if (structure.paths !== undefined) return structure.paths(lattice, s, nBest, count);
  if (hidden === undefined) return nBest.paths(wide.kernel, wide.lattice, s, count);
  return rankedLabelSequences({ nBest, ...hidden }, wide, s, count);
}

/** Replaces a sentence's states by labels, and returns their summed score. */
function scoreOfLabels(
  { states, labelScore }: NonNullable<BatchWork['hidden']>,
  lattice: Lattice,
  s: number,
  labels: Int32Array,
): number {
  const { sentenceStarts } = lattice.batch!;
  const first = sentenceStarts[s]!;
  toFirstStates(labels, first, sentenceStarts[s + 1]!, states);
  return labelScore.of(lattice, s, labels, first);
}

/**
 * Moves the kernel's path to the front. It is already there unless a float32 kernel has chosen a
 * different path of equal score within rounding.
 */
function putFirst(paths: RankedPath[], best: Int32Array, score: number): void {
  const at = paths.findIndex(({ labels }) => labels.every((label, t) => label === best[t]));
  if (at === 0) return;
  paths.splice(at < 0 ? paths.length - 1 : at, 1);
  paths.unshift({ labels: best.slice(), score });
}
