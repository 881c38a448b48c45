import { alternatives } from '../../models/decoding/alternatives.js';
import type { DecodedRows } from '../../models/decoding/row-decoder.js';
import type { MoreResults } from './tagged-lines.js';

/**
 * What records of one sentence each have beside tags and spans, as `ownedMembers` writes it.
 *
 * @param starts first token of each sentence, and after the last the number of tokens
 * @param withScores whether records have their scores
 */
export function moreResults(
  decoded: DecodedRows,
  starts: Uint32Array,
  names: readonly string[],
  withScores: boolean,
): MoreResults {
  const { scores, marginals, probabilities, nbest, spans, sentences } = decoded;
  const isAsked = withScores || [marginals, probabilities, nbest].some(one => one !== undefined);
  if (!isAsked && spans === undefined) return {};
  const records = Array.from({ length: sentences }, (_, s) => {
    let text = '';
    if (withScores) text += `,"score":${JSON.stringify(scores![s])}`;
    if (probabilities !== undefined) text += `,"probability":${JSON.stringify(probabilities[s])}`;
    if (marginals !== undefined) {
      const own = Array.from(marginals.subarray(starts[s]!, starts[s + 1]!));
      text += `,"marginals":${JSON.stringify(own)}`;
    }
    if (nbest !== undefined) text += `,"nbest":${JSON.stringify(alternatives(nbest[s]!, names))}`;
    return text;
  });
  const ofSpans: string[] = [];
  for (let s = 0; spans !== undefined && s < sentences; s += 1) {
    for (const { probability } of spans[s]!) {
      ofSpans.push(`,"probability":${JSON.stringify(probability)}`);
    }
  }
  return { records: isAsked ? records : undefined, spans: spans && ofSpans };
}
