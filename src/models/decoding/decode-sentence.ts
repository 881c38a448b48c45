import { forwardBackward } from '../../inference/forward-backward.js';
import { minimumRiskDecode } from '../../inference/minimum-risk-decode.js';
import { nBest, type RankedPath } from '../../inference/n-best.js';
import { posteriorDecode } from '../../inference/posterior-decode.js';
import { spanProbability } from '../../inference/span-probability.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import type { SpanPairs } from '../../text/tags/span-pairs.js';
import { spansOf } from '../../text/tags/spans.js';
import type { DecodeOptions } from './decode-options.js';
import type { DecodedDraft } from './decoded.js';

/** How a sentence of a scored lattice is to be decoded. */
export interface SentenceWork {
  readonly options: DecodeOptions;
  /** Whether labels are forbidden at single tokens, or transitions such that some labels cannot be had. */
  readonly masked: boolean;
  readonly names: readonly string[];
  /** Present where spans are wanted. */
  readonly pairs: SpanPairs | undefined;
}

/**
 * Decodes one sentence into its place; false where no sequence of labels is possible: its score then says
 * why, minus infinity or what is not a finite number.
 *
 * All that needs probabilities of whole sequences is made in log space, whose vectors are float64 in each
 * kernel.
 */
export function decodeSentence(
  kernel: Kernel,
  lattice: Lattice,
  s: number,
  { options, masked, names, pairs }: SentenceWork,
  decoded: DecodedDraft,
): boolean {
  const { labels, scores, marginals, probabilities, nbest, spans } = decoded;
  const { decoding = 'viterbi' } = options;
  if (decoding === 'viterbi') {
    scores[s] = kernel.viterbi(lattice, s, labels);
    if (!Number.isFinite(scores[s])) return false;
  }
  const sums = probabilities !== undefined || nbest !== undefined || spans !== undefined;
  if (decoding === 'viterbi' && marginals === undefined && !sums) return true;
  const logZ = forwardBackward(kernel, lattice, s, sums || masked ? 'log' : 'auto');
  if (!Number.isFinite(logZ)) {
    scores[s] = logZ;
    return false;
  }
  if (decoding !== 'viterbi') {
    if (decoding === 'posterior') posteriorDecode(lattice, s, labels);
    else minimumRiskDecode(lattice, s, labels);
    scores[s] = kernel.pathScore(lattice, s, labels);
  }
  const first = lattice.batch!.sentenceStarts[s]!;
  const end = lattice.batch!.sentenceStarts[s + 1]!;
  if (marginals !== undefined) {
    const nodes = lattice.nodes.view;
    for (let t = first; t < end; t += 1) marginals[t] = nodes[t * lattice.width + labels[t]!]!;
  }
  const probabilityOf = (score: number) => Math.min(1, Math.exp(score - logZ));
  if (probabilities !== undefined) probabilities[s] = probabilityOf(scores[s]!);
  if (nbest !== undefined) {
    const paths = nBest(lattice, s, options.nbest!);
    if (decoding === 'viterbi') putFirst(paths, labels.subarray(first, end), scores[s]!);
    nbest[s] = paths.map(path => ({ ...path, probability: probabilityOf(path.score) }));
  }
  if (spans !== undefined) {
    const tags = Array.from(labels.subarray(first, end), label => names[label]!);
    spans[s] = spansOf(tags).map(span => ({
      ...span,
      probability: spanProbability(lattice, s, logZ, pairs!, span),
    }));
  }
  return true;
}

/**
 * Puts the path of the kernel first. It is there already, unless a kernel in float32 has taken another one
 * that is as good within its rounding.
 */
function putFirst(paths: RankedPath[], best: Int32Array, score: number): void {
  const at = paths.findIndex(({ labels }) => labels.every((label, t) => label === best[t]));
  if (at === 0) return;
  paths.splice(at < 0 ? paths.length - 1 : at, 1);
  paths.unshift({ labels: best.slice(), score });
}
