import { bundleModels } from '../../engine/models/files/bundle-models.js';
import { readBytes } from '../../formats/reading/read-bytes.js';

/** A model file, and the column for its tags, if named. */
export interface NamedModel {
  readonly file: string;
  readonly column?: string | undefined;
}

/** Model files that tag together. */
export interface ModelFiles extends NamedModel {
  /** Files whose models tag afterwards, each into its own column. */
  readonly further?: readonly NamedModel[] | undefined;
  /** Model file whose tokenizer splits the texts. */
  readonly tokenizer?: string | undefined;
}

/**
 * Returns the bytes of a model file, or of the bundle if there are several models or another tokenizer.
 *
 * @throws TagstreamError `file`, and the errors of `bundleModels`
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
