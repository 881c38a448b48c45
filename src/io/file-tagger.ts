import type { TokenFunctions } from '../features/template/token-function.js';
import type { Kernel } from '../kernels/kernel.js';
import type { FileBytes } from '../models/files/file-bytes.js';
import { readTaggingModel } from '../models/files/model-file.js';
import { Tagger, type TaggerOptions } from '../models/tagger.js';
import { withFileBytes } from './files/with-file-bytes.js';
import { readAhead } from './reading/pipe-contents.js';

/** A `Tagger` that is loaded from a file. Each `Tagger`, as `train` gives it, is an instance of it. */
export class FileTagger extends Tagger {
  /** It has no more than a `Tagger` has; to load one is all that needs files. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one is another
    return this === FileTagger ? value instanceof Tagger : super[Symbol.hasInstance](value);
  }

  /**
   * Reads a model file, synchronously.
   *
   * @param kernel in place of the default one
   * @param functions token functions of plug-ins that its templates may name
   * @param options rules beside the model
   * @throws TagstreamError `file`, `model-format`, `model-version`, `model-damaged`
   */
  static load(
    path: string,
    kernel?: Kernel,
    functions?: TokenFunctions,
    options?: TaggerOptions,
  ): FileTagger {
    const read = (bytes: Uint8Array | FileBytes) =>
      new FileTagger(readTaggingModel(bytes, path, kernel, functions), options);
    const ahead = readAhead(path);
    return ahead === undefined ? withFileBytes(path, read) : read(ahead);
  }
}
