import { TagstreamError } from '../../core/errors.js';
import type { OutputCodes } from '../../kernels/store/label-columns.js';
import type { ParameterLayout } from '../../kernels/store/parameter-store.js';
import { scorerHas } from '../scorers/scorers.js';
import { chainStructure } from './chain-structure.js';
import { codesStructures } from './codes-structure.js';
import { graphStructure } from './graph-structure.js';
import { layersStructure } from './layers-structure.js';
import { partsStructure } from './parts-structure.js';
import { segmentsStructure } from './segments-structure.js';
import type { Structure, StructureCapability } from './structure.js';

/** The fields of the parameters, or of a model's specification, that identify the structure. */
export type StructureSign = {
  readonly [Key in 'layers' | 'parts' | 'segments' | 'graph']?:
    | ParameterLayout[Key]
    | object
    | undefined;
} & { readonly codes?: Pick<OutputCodes, 'decoder'> | undefined };

/** Returns the structure of some parameters or of a model. */
export function structureOf({ layers, parts, segments, graph, codes }: StructureSign): Structure {
  if (graph !== undefined) return graphStructure;
  if (segments !== undefined) return segmentsStructure;
  if (codes !== undefined) return codesStructures[codes.decoder];
  if (parts !== undefined) return partsStructure;
  return layers === undefined ? chainStructure : layersStructure;
}

/**
 * Checks that a structure has a capability that not all structures have.
 *
 * @param sign the parameters' layout or the model's specification
 * @param what name of the component that needs the capability, such as "the optimizer cd"
 * @throws TagstreamError `config` if the structure lacks it
 */
export function requireStructure(
  sign: StructureSign,
  capability: StructureCapability,
  what: string,
): void {
  const { name, capabilities, instead } = structureOf(sign);
  if (capabilities.includes(capability)) return;
  throw new TagstreamError(
    'config',
    `${what} needs the structure chain, but this model has ${name}`,
    {
      fix: instead,
    },
  );
}

/**
 * Returns whether kernels may use lists of labels and label pairs, because potentials depend only on
 * their own scores.
 */
export function allowsLists(layout: ParameterLayout): boolean {
  const { scorer = 'linear' } = layout;
  return scorer === 'linear' && structureOf(layout).capabilities.includes('label lists');
}

/** Returns whether scores are those of a chain and linear in the weights, so that kernels need only the weights. */
export function isLinearChain(layout: ParameterLayout): boolean {
  return scorerHas(layout.scorer, 'log-linear') && structureOf(layout) === chainStructure;
}
