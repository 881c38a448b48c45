import { TagstreamError } from '../../core/errors.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { constraintMasks } from './constraint-masks.js';
import type { DecodeOptions, DecodingRules } from './decode-options.js';

/**
 * Checks before scoring that some labels satisfy a sentence's constraints, because no weights help
 * otherwise. Cost O(T L^2), or nothing without constraints.
 *
 * @throws TagstreamError `constraint`
 */
export function requirePossible(
  { labels, transitionMask }: DecodingRules,
  { constraints, tokens }: Sentence,
  { transitions, decoding }: DecodeOptions = {},
): void {
  // An empty label set is an error of its own, which is reported later.
  if (constraints === undefined || labels.size === 0) return;
  const masks = constraintMasks(constraints, tokens.length, labels);
  if (
    transitionMask === undefined ||
    transitions === 'any' ||
    decoding === 'posterior' ||
    decoding === 'loopy'
  )
    return;
  const { pairs, first, last } = transitionMask;
  const open = Array.from(tokens, () => new Uint8Array(labels.size).fill(1));
  for (const { token, allowed } of masks) open[token]!.set(allowed);
  for (const y of first) open[0]![y] = 0;
  for (const y of last) open.at(-1)![y] = 0;
  const isForbidden = new Uint8Array(labels.size ** 2);
  for (let i = 0; i < pairs.length; i += 2)
    isForbidden[pairs[i]! * labels.size + pairs[i + 1]!] = 1;
  for (let t = 1; t < open.length; t += 1) {
    const before = open[t - 1]!;
    const here = open[t]!;
    for (let to = 0; to < labels.size; to += 1) {
      const reached = before.some((is, from) => is === 1 && !isForbidden[from * labels.size + to]);
      if (!reached) here[to] = 0;
    }
  }
  if (!open.at(-1)!.includes(1)) throw contradiction();
}

/** Returns the error for constraints that leave no sequence with the allowed transitions. */
export function contradiction(): TagstreamError {
  return new TagstreamError('constraint', 'the constraints allow no label sequence', {
    fix: 'correct constraints that contradict the tag scheme, or use --transitions any',
  });
}
