import { labelMarginalsText } from '../../../io/codecs/ndjson/label-marginals-text.js';
import { modelMember } from '../../../io/codecs/ndjson/owned-members.js';
import { alternatives } from '../../../models/decoding/alternatives.js';
import type { DecodedRecords } from './decoded-records.js';
import type { MoreResults } from './tagged-lines.js';

/**
 * What records have beside tags and spans, as `ownedMembers` writes it.
 *
 * @param withScores whether records have their scores
 * @param modelId that records have, if they do
 */
export function moreResults(
  decoded: DecodedRecords,
  names: readonly string[],
  withScores: boolean,
  modelId: string | undefined,
): MoreResults {
  const { scores, marginals, labelMarginals, probabilities, nbest, spans, records } = decoded;
  const { starts, firstSentences } = decoded;
  const isAsked = withScores || [marginals, probabilities, nbest].some(one => one !== undefined);
  if (!isAsked && spans === undefined && modelId === undefined) return {};
  const ofModel = modelId === undefined ? '' : `,"${modelMember}":${JSON.stringify(modelId)}`;
  /** That of the sentence if there is one, else a list of them. */
  const listed = (record: number, ofSentence: (sentence: number) => unknown) => {
    const first = firstSentences[record]!;
    const end = firstSentences[record + 1]!;
    if (end === first + 1) return JSON.stringify(ofSentence(first));
    return JSON.stringify(Array.from({ length: end - first }, (_, i) => ofSentence(first + i)));
  };
  const texts = Array.from({ length: isAsked ? records : 0 }, (_, r) => {
    let text = '';
    if (withScores) text += `,"score":${listed(r, s => scores![s])}`;
    if (probabilities !== undefined) text += `,"probability":${listed(r, s => probabilities[s])}`;
    const from = starts[firstSentences[r]!]!;
    const to = starts[firstSentences[r + 1]!]!;
    if (labelMarginals !== undefined) {
      text += `,"marginals":${labelMarginalsText(labelMarginals, from, to)}`;
    } else if (marginals !== undefined) {
      const own = marginals.subarray(from, to);
      text += `,"marginals":${JSON.stringify(Array.from(own))}`;
    }
    if (nbest !== undefined) text += `,"nbest":${listed(r, s => alternatives(nbest[s]!, names))}`;
    return text + ofModel;
  });
  const ofSpans: string[] = [];
  for (let s = 0; spans !== undefined && s < firstSentences[records]!; s += 1) {
    for (const { probability } of spans[s]!) {
      ofSpans.push(`,"probability":${JSON.stringify(probability)}`);
    }
  }
  if (isAsked) return { records: texts, spans: spans && ofSpans };
  const alike = modelId === undefined ? undefined : new Array<string>(records).fill(ofModel);
  return { records: alike, spans: spans && ofSpans };
}
