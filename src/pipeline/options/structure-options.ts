import * as z from 'zod';
import type { Resources } from '../../features/resources/resources.js';
import type { ModelSpec } from '../../models/model-spec.js';
import { type CodeRequest, codeSpecOf, codesOption } from './codes-option.js';
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
  layers: z
    .string()
    .min(1)
    .optional()
    .describe(
      'tags are of two layers with this text between, as DT|B-NP: each layer has weights of its own, and each pair that occurs one (factorial CRF)',
    ),
  codes: codesOption.optional(),
  ...segmentShape,
  ...graphShape,
};

/** What is chosen of `structureShape`. */
export interface StructureChoice extends SegmentChoice, GraphChoice {
  readonly structure?: 'chain' | 'segments' | 'graph' | undefined;
  readonly layers?: string | undefined;
  readonly codes?: CodeRequest | undefined;
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
): Pick<ModelSpec, 'segments' | 'graph' | 'layers' | 'codes'> {
  return {
    ...(chosen.structure === 'segments' ? { segments: segmentSpecOf(chosen, lists) } : {}),
    ...(chosen.structure === 'graph' ? { graph: graphSpecOf(chosen) } : {}),
    ...columnsSpecOf(chosen),
  };
}

/** The part of it that says what columns labels are made of; nothing where each has its own. */
export function columnsSpecOf({
  layers,
  codes,
}: Pick<StructureChoice, 'layers' | 'codes'>): Pick<ModelSpec, 'layers' | 'codes'> {
  return {
    ...(layers === undefined ? {} : { layers: { separator: layers } }),
    ...(codes === undefined ? {} : { codes: codeSpecOf(codes) }),
  };
}
