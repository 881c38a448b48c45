import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { ParameterStore } from '../store/parameter-store.js';

/** What of a lattice its lists depend on. */
export interface ListedLattice {
  readonly edgeSlots: Int32Array;
  readonly transitionForm: 'auto' | 'dense' | 'sparse';
}

/** Labels from which on lists pay, and above which a pair has no room in a word. */
const fewestLabels = 16;
const mostLabels = 2 ** 16 - 1;
/** The share of all pairs, on average over the tokens of a sentence, up to which lists are taken to be faster. */
const largestShare = 0.15;

/**
 * For each sentence 1 where the pairs of its transitions are listed: where features conditioned on observations keep
 * single pairs, and those of its tokens are few. By the features and pairs alone, so that numbers depend neither on what
 * else is in a batch nor on threads. Partially labelled sentences go over matrices. Cost O(edge features).
 */
export function chooseListed(
  { labels, pairs: { lengths } }: ParameterStore,
  batch: Minibatch,
  { transitionForm, edgeSlots }: ListedLattice,
  plain: number,
): Uint8Array {
  const { sentenceStarts, edgeStarts, edgeRows, allowedStarts, gold } = batch;
  const listed = new Uint8Array(sentenceStarts.length - 1);
  if (transitionForm === 'dense' || labels > mostLabels) return listed;
  if (transitionForm === 'auto' && labels < fewestLabels) return listed;
  const share = transitionForm === 'sparse' ? Number.POSITIVE_INFINITY : largestShare;
  for (let s = 0; s < listed.length; s += 1) {
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    if (allowedStarts !== undefined && gold[first] === -1) continue;
    let slots = 0;
    let entries = 0;
    for (let t = first + 1; t < end; t += 1) {
      entries += plain;
      if (edgeSlots[t]! < 0) continue;
      slots += 1;
      for (let k = edgeStarts![t]!; k < edgeStarts![t + 1]!; k += 1) {
        entries += lengths[edgeRows![k]!]!;
      }
    }
    if (slots > 0 && entries <= share * labels ** 2 * (end - first - 1)) listed[s] = 1;
  }
  return listed;
}
