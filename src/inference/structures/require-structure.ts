import { TagstreamError } from '../../core/errors.js';
import type { StructureCapability } from './structure.js';
import { type StructureSign, structureOf } from './structures.js';

/**
 * For whoever needs what not every structure can do.
 *
 * @param sign the parameters' layout or the model's specification
 * @param what asks for it, as in "the optimizer cd"
 * @throws TagstreamError `config` where the structure cannot
 */
export function requireStructure(
  sign: StructureSign,
  capability: StructureCapability,
  what: string,
): void {
  const { name, capabilities, instead } = structureOf(sign);
  if (capabilities.includes(capability)) return;
  throw new TagstreamError('config', `${what} needs the structure chain, this model has ${name}`, {
    fix: instead,
  });
}
