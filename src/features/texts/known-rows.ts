import type { PackedRows } from '../../core/minibatch/packed-rows.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { DocumentMemory } from '../context/document-memory.js';
import type { FeatureExtractor } from '../extraction/feature-extractor.js';
import type { FeatureIndex } from '../index/feature-index.js';
import { isPlaced as canLookUp } from '../index/placed-index.js';
import { StringFeatures } from './string-features.js';
import { TextFeatures } from './text-features.js';

/**
 * Copies of the rows of the state features of a sentence: those that `FeatureExtractor` finds, faster, as what follows from
 * a text is kept with it.
 *
 * Undefined for templates that look at something else than texts of tokens and of the context; and where a column is
 * missing or is not of strings, of which `FeatureExtractor` says more.
 *
 * @param index one that no longer grows
 */
export function knownRows(
  { plan, readsDocuments, readsPredictions }: FeatureExtractor,
  index: FeatureIndex,
  sentence: Sentence,
): PackedRows | undefined {
  // What training says of its own words is not what is known of them later.
  const { tokens, columns, context } = sentence;
  if (context?.seen !== undefined) return undefined;
  const readsContext = readsDocuments || readsPredictions;
  if (!canLookUp(index) || !TextFeatures.canMake(plan, readsContext)) return undefined;
  const isPlaced = !readsDocuments || context?.case !== undefined;
  const placed = isPlaced ? context : { ...context, ...new DocumentMemory(1).columnsOf(sentence) };
  const features = StringFeatures.of(plan, index);
  const found = features.encode([{ tokens, columns, context: placed }])?.features;
  return found && { starts: found.starts.slice(), rows: found.rows.slice() };
}
