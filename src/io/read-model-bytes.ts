import { bundleModels } from '../models/files/bundle-models.js';
import { readBytes } from './reading/read-bytes.js';

/** A model file, and the column of its tags, if it is named. */
export interface NamedModel {
  readonly file: string;
  readonly column?: string | undefined;
}

/** Files that tag together. */
export interface ModelFiles extends NamedModel {
  /** Files whose models tag after it, each into a column of its own. */
  readonly further?: readonly NamedModel[] | undefined;
  /** A model file whose tokenizer splits texts for them. */
  readonly tokenizer?: string | undefined;
}

/**
 * Returns the bytes of a model file; for several models, or with another tokenizer, those of the bundle.
 *
 * @throws TagstreamError `file`, and as `bundleModels`
 */
export function readModelBytes({ file, column, further = [], tokenizer }: ModelFiles): Uint8Array {
  const named = ({ file: source, column }: NamedModel) => ({
    bytes: readBytes(source),
    source,
    column,
  });
  const models = [{ file, column }, ...further].map(named);
  return bundleModels(models, {
    tokenizer: tokenizer === undefined ? undefined : named({ file: tokenizer }),
  });
}
