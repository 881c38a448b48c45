import type { ParameterLayout } from '../../kernels/store/parameter-store.js';
import { chainStructure } from './chain-structure.js';
import { codesStructure } from './codes-structure.js';
import { graphStructure } from './graph-structure.js';
import { layersStructure } from './layers-structure.js';
import { segmentsStructure } from './segments-structure.js';
import type { Structure } from './structure.js';

/** What distinguishes structures, of parameters or of the specification of a model. */
export type StructureSign = {
  readonly [Key in 'layers' | 'codes' | 'segments' | 'graph']?:
    | ParameterLayout[Key]
    | object
    | undefined;
};

/** The structure of parameters, or of a model. */
export function structureOf({ layers, codes, segments, graph }: StructureSign): Structure {
  if (graph !== undefined) return graphStructure;
  if (segments !== undefined) return segmentsStructure;
  if (codes !== undefined) return codesStructure;
  return layers === undefined ? chainStructure : layersStructure;
}
