import type { Kernel } from '../kernels/kernel.js';
import { readModel } from '../models/model-file.js';
import { Tagger } from '../models/tagger.js';
import { readBytes } from './read-bytes.js';

/** A `Tagger` that is loaded from a file. */
export class FileTagger extends Tagger {
  /**
   * Reads a model file, synchronously.
   *
   * @param kernel in place of the default one
   *
   * @throws TagstreamError `file`, `model-format`, `model-version`, `model-damaged`
   */
  static load(path: string, kernel?: Kernel): FileTagger {
    return new FileTagger(readModel(readBytes(path), path, kernel));
  }
}
