import * as z from 'zod';
import type { Resources } from '../../features/resources/resources.js';
import type { Pruning } from '../../kernels/pruning/candidates.js';
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
  prune: z
    .strictObject({
      most: z.int().min(1).max(1000).default(24).describe('most labels that a token keeps'),
      ratio: z
        .number()
        .gt(0)
        .lt(1)
        .default(0.0001)
        .describe(
          'labels are left out whose score at the token, without its neighbours, makes them less probable than this share of the best one',
        ),
    })
    .optional()
    .describe(
      'for hundreds of labels: sequences are made of the best few labels of each token, in training with its gold label; sums and searches take a fraction of the time. prune: {} takes the defaults; default: all labels',
    ),
  ...segmentShape,
  ...graphShape,
};

/** What is chosen of `structureShape`. */
export interface StructureChoice extends SegmentChoice, GraphChoice {
  readonly structure?: 'chain' | 'segments' | 'graph' | undefined;
  readonly layers?: string | undefined;
  readonly codes?: CodeRequest | undefined;
  readonly prune?: Pruning | undefined;
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
): Pick<ModelSpec, 'segments' | 'graph' | 'layers' | 'codes' | 'prune'> {
  return {
    ...(chosen.prune === undefined ? {} : { prune: chosen.prune }),
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
