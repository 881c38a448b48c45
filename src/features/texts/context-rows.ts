import type { PackedRows } from '../../core/minibatch/packed-rows.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { DocumentMemory } from '../context/document-memory.js';
import type { ExtractionPlan } from '../extraction/extraction-plan.js';
import type { FeatureExtractor } from '../extraction/feature-extractor.js';
import type { FeatureIndex } from '../index/feature-index.js';
import { isPlaced as canLookUp } from '../index/placed-index.js';
import { StringFeatures } from './string-features.js';
import { TextFeatures } from './text-features.js';

/** By the plan that they are of. */
const known = new WeakMap<ExtractionPlan, ContextFeatures>();

/**
 * Copies of the rows of the state features of a sentence, for templates that look at other sentences of the document: those
 * that `FeatureExtractor` finds, faster, as what follows from a text is kept with it.
 *
 * Undefined for templates that look at none, or at something else than texts of tokens and of the context; and
 * where a column is missing or is not of strings, of which `FeatureExtractor` says more.
 *
 * @param index one that grows no more
 */
export function contextRows(
  { plan, readsDocuments, readsPredictions }: FeatureExtractor,
  index: FeatureIndex,
  sentence: Sentence,
): PackedRows | undefined {
  // What training says of its own words is not what is known of them later.
  const { tokens, columns, context } = sentence;
  if (!(readsDocuments || readsPredictions) || context?.seen !== undefined) return undefined;
  let features = known.get(plan);
  if (features?.index !== index || features.size !== index.size) {
    if (!canLookUp(index) || !TextFeatures.canMake(plan, true)) return undefined;
    features = { index, size: index.size, rows: new StringFeatures(plan, index) };
    known.set(plan, features);
  }
  const isPlaced = !readsDocuments || context?.case !== undefined;
  const placed = isPlaced ? context : { ...context, ...new DocumentMemory(1).columnsOf(sentence) };
  const found = features.rows.encode([{ tokens, columns, context: placed }])?.features;
  return found && { starts: found.starts.slice(), rows: found.rows.slice() };
}

/** Features of texts, and the index whose rows they are. */
interface ContextFeatures {
  readonly index: FeatureIndex;
  readonly size: number;
  readonly rows: StringFeatures;
}
