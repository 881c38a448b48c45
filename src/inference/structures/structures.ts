import type { OutputCodes } from '../../kernels/store/output-codes.js';
import type { ParameterLayout } from '../../kernels/store/parameter-store.js';
import { chainStructure } from './chain-structure.js';
import { codesStructures } from './codes-structure.js';
import { graphStructure } from './graph-structure.js';
import { layersStructure } from './layers-structure.js';
import { segmentsStructure } from './segments-structure.js';
import type { Structure } from './structure.js';

/** What distinguishes structures, of parameters or of the specification of a model. */
export type StructureSign = {
  readonly [Key in 'layers' | 'segments' | 'graph']?: ParameterLayout[Key] | object | undefined;
} & { readonly codes?: Pick<OutputCodes, 'decoder'> | undefined };

/** The structure of parameters, or of a model. */
export function structureOf({ layers, segments, graph, codes }: StructureSign): Structure {
  if (graph !== undefined) return graphStructure;
  if (segments !== undefined) return segmentsStructure;
  if (codes !== undefined) return codesStructures[codes.decoder];
  return layers === undefined ? chainStructure : layersStructure;
}
