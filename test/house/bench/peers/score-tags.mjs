import { TaggingScores } from '../library.mjs';

/**
 * F1 of spans, in percent, as conlleval counts, of tags that some tagger gave to copies of sentences.
 *
 * @param {readonly (readonly string[])[]} predicted tags of each sentence of each copy
 * @param {readonly { tags: readonly string[] }[]} gold
 * @returns {number}
 * @throws Error if there are more or fewer sentences than in whole copies of the gold ones
 */
export function scoreTags(predicted, gold) {
  if (predicted.length === 0 || predicted.length % gold.length !== 0) {
    throw new Error(`${predicted.length} sentences were tagged, expected copies of ${gold.length}`);
  }
  const scores = new TaggingScores(true);
  for (const [s, tags] of predicted.entries()) scores.add(gold[s % gold.length].tags, tags);
  return scores.scores().f1;
}
