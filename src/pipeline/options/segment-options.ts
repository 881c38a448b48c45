import * as z from 'zod';
import type { Resources } from '../../features/resources/resources.js';
import {
  defaultSegmentFeatures,
  mostLength,
  type SegmentSpec,
  segmentFeatureKinds,
} from '../../features/segments/segment-feature.js';

const usualLength = 4;

function listed(takes: string): string {
  return segmentFeatureKinds
    .filter(kind => kind.takes === takes)
    .map(({ name, summary }) => `${name} (${summary})`)
    .join(', ');
}

/** Spans that are scored beside tokens. */
export const segmentShape = {
  maxLength: z
    .int()
    .min(1)
    .max(mostLength)
    .optional()
    .describe(
      `structure segments: the longest span with features, in tokens; longer ones share a weight. Default: ${usualLength}`,
    ),
  segmentFeatures: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      `structure segments: features of a span: ${listed('nothing')}; of the token or, as in text:pos, another column: ${listed('column')}; with the name of a list: ${listed('list')}. Default: ${defaultSegmentFeatures.join(', ')}, and the lists that there are`,
    ),
};

/** What is chosen of `segmentShape`. */
export interface SegmentChoice {
  readonly maxLength?: number | undefined;
  readonly segmentFeatures?: readonly string[] | undefined;
}

/**
 * How a model of these options scores spans.
 *
 * @param lists of the model
 * @example
 * segmentSpecOf({ segmentFeatures: ['text'] }) // => { maxLength: 4, features: ['text'] }
 */
export function segmentSpecOf(
  { maxLength = usualLength, segmentFeatures }: SegmentChoice,
  lists: Resources = {},
): SegmentSpec {
  const names = Object.keys(lists.gazetteers ?? {}).map(name => `gazetteer:${name}`);
  return { maxLength, features: segmentFeatures ?? [...defaultSegmentFeatures, ...names] };
}
