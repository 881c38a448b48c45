import { TagstreamError } from '../../core/errors.js';
import { automatonLogSum, automatonViterbi } from '../../inference/automata/automaton-decode.js';
import { isAccepted, type LabelAutomaton } from '../../inference/automata/label-automaton.js';
import type { DecodeOptions } from './decode-options.js';
import type { BatchWork } from './decode-sentence.js';
import type { DecodedDraft } from './decoded.js';

/**
 * Decodes one sentence into its place, to the best of the label sequences that an automaton accepts; its probability is
 * that among these. False where there is none: its score then says why.
 *
 * If the best sequence of all is accepted, it is the one, at the cost of Viterbi alone; else O(T L^2 Q).
 */
export function decodeByRules(
  work: BatchWork,
  s: number,
  automaton: LabelAutomaton,
  { labels, scores, probabilities }: DecodedDraft,
): boolean {
  const { kernel, lattice } = work;
  const { sentenceStarts } = lattice.batch!;
  scores[s] = kernel.viterbi(lattice, s, labels);
  if (!Number.isFinite(scores[s])) return false;
  if (!isAccepted(automaton, labels, sentenceStarts[s]!, sentenceStarts[s + 1]!)) {
    scores[s] = automatonViterbi(lattice, s, automaton, labels);
    if (!Number.isFinite(scores[s])) return false;
  }
  if (probabilities !== undefined) {
    const wide = work.wide();
    const score = wide.kernel.pathScore(wide.lattice, s, labels);
    probabilities[s] = Math.min(1, Math.exp(score - automatonLogSum(wide.lattice, s, automaton)));
  }
  return true;
}

/** @throws TagstreamError `config` where more is asked for than the best sequence under rules */
export function requireRulesOnly(options: DecodeOptions): void {
  const { decoding = 'viterbi', marginals = false, nbest, spanProbabilities } = options;
  const unfit =
    decoding !== 'viterbi'
      ? `decoding: ${decoding}`
      : marginals !== false
        ? 'marginals'
        : nbest !== undefined
          ? 'nbest'
          : spanProbabilities === true
            ? 'spanProbabilities'
            : undefined;
  if (unfit === undefined) return;
  throw new TagstreamError('config', `rules for sequences do not go with ${unfit}`, {
    fix: 'leave it out: the best sequence and its probability can be had',
  });
}

/** Rules that, with all else that is forbidden, leave nothing. */
export function rulesContradict(): TagstreamError {
  return new TagstreamError('constraint', 'no label sequence meets the rules for sequences', {
    fix: 'the sentence may be too short for a count, or its constraints contradict the rules',
  });
}
