import type { LabelMarginals } from '../../core/sentence/label-marginals.js';
import type { LabelSet } from '../labels/label-set.js';

/** The tags that labels are reported as. */
export interface ReportedLabels {
  /** Each tag once. */
  readonly tags: readonly string[];
  /** For the label of each number the place of its tag among them. */
  readonly columns: Int32Array;
}

/**
 * The tags that labels are reported as: labels in another scheme, and states of the same label, share one.
 *
 * @example
 * const { tags, columns } = reportedLabels(new LabelSet(['O', 'B-X'], 2));
 * [tags, Array.from(columns)] // => [['O', 'B-X'], [0, 0, 1, 1]]
 */
export function reportedLabels({ reported }: LabelSet): ReportedLabels {
  const places = new Map<string, number>();
  const columns = Int32Array.from(reported, tag => {
    const place = places.get(tag) ?? places.size;
    places.set(tag, place);
    return place;
  });
  return { tags: [...places.keys()], columns };
}

/** Room for the probabilities of all labels at so many tokens, all 0. */
export function emptyMarginals({ tags }: ReportedLabels, tokens: number): LabelMarginals {
  return { labels: tags, values: new Float64Array(tokens * tags.length) };
}
