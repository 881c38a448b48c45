import * as z from 'zod';
import type { Resources } from '../../features/resources/resources.js';
import type { ModelSpec } from '../../models/model-spec.js';
import { type GraphChoice, graphShape, graphSpecOf } from './graph-options.js';
import { type SegmentChoice, segmentShape, segmentSpecOf } from './segment-options.js';

/** What labels stand in, with the options of each structure. */
export const structureShape = {
  structure: z
    .enum(['chain', 'segments', 'graph'])
    .optional()
    .describe(
      'what is scored beside single tokens: chain: pairs of neighbours; segments: whole spans too, with features of their own (a semi-Markov model); graph: linked tokens too (a skip-chain, or linked records). Default: chain',
    ),
  ...segmentShape,
  ...graphShape,
};

/** What is chosen of `structureShape`. */
export interface StructureChoice extends SegmentChoice, GraphChoice {
  readonly structure?: 'chain' | 'segments' | 'graph' | undefined;
}

const owners = [
  ['segments', Object.keys(segmentShape)],
  ['graph', Object.keys(graphShape)],
] as const;

/** Refuses options of a structure that is not chosen. */
export function refuseMisplaced(chosen: StructureChoice, context: z.RefinementCtx): void {
  const { structure = 'chain' } = chosen;
  for (const [owner, names] of owners) {
    const given = names.filter(name => chosen[name as keyof StructureChoice] !== undefined);
    if (structure === owner || given.length === 0) continue;
    const message = `${names.join(' and ')} need structure: ${owner}`;
    context.addIssue({ code: 'custom', message });
  }
}

/**
 * The part of a model's specification that these options ask for; nothing for a chain.
 *
 * @param lists of the model
 */
export function structureSpecOf(
  chosen: StructureChoice,
  lists: Resources = {},
): Pick<ModelSpec, 'segments' | 'graph'> {
  if (chosen.structure === 'segments') return { segments: segmentSpecOf(chosen, lists) };
  return chosen.structure === 'graph' ? { graph: graphSpecOf(chosen) } : {};
}
