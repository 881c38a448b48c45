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

/** What labels stand in: a chain, or a chain with scored spans. */
export const segmentShape = {
  structure: z
    .enum(['chain', 'segments'])
    .optional()
    .describe(
      'what is scored beside single tokens: chain: pairs of labels; segments: whole spans too, with features of their own (a semi-Markov model). Default: chain',
    ),
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
  readonly structure?: 'chain' | 'segments' | undefined;
  readonly maxLength?: number | undefined;
  readonly segmentFeatures?: readonly string[] | undefined;
}

/** Whether options of segments are given for a chain. */
export function lacksStructure({ structure, maxLength, segmentFeatures }: SegmentChoice): boolean {
  return structure !== 'segments' && (maxLength !== undefined || segmentFeatures !== undefined);
}

/** What to say then. */
export const withoutStructure = 'maxLength and segmentFeatures need structure: segments';

/**
 * How a model of these options scores spans; undefined for a chain.
 *
 * @param lists of the model
 * @example
 * segmentSpecOf({ structure: 'segments', segmentFeatures: ['text'] }) // => { maxLength: 4, features: ['text'] }
 */
export function segmentSpecOf(
  { structure, maxLength = usualLength, segmentFeatures }: SegmentChoice,
  lists: Resources = {},
): SegmentSpec | undefined {
  if (structure !== 'segments') return undefined;
  const names = Object.keys(lists.gazetteers ?? {}).map(name => `gazetteer:${name}`);
  return { maxLength, features: segmentFeatures ?? [...defaultSegmentFeatures, ...names] };
}
