import { kinds, requireArgument, requireKnown } from '../../engine/core/schema/require-argument.js';
import { readTaggingModel } from '../../engine/models/files/model-file.js';
import type { FileBytes } from '../../engine/models/files/section-file.js';
import { Tagger, type TaggerReadOptions } from '../../engine/models/tagger.js';
import { withFileBytes } from '../../formats/files/with-file-bytes.js';
import { readAhead } from '../../formats/reading/read-bytes.js';
import { readModelBytes } from './read-model-bytes.js';

/** Options of `loadTagger`. */
export interface LoadTaggerOptions extends Omit<TaggerReadOptions, 'source'> {
  /** Path of a model file whose learned tokenizer replaces that of the model. */
  readonly tokenizer?: string | undefined;
}

/**
 * Returns a `Tagger` for a model file, which it reads synchronously.
 *
 * @param path the model file
 * @param options a kernel to replace the default one, token functions of plug-ins, rules
 * @throws TagstreamError `file`, `model-format`, `model-version`, `model-damaged`; `config` if the model needs a
 *   plug-in, or if the rules are invalid
 */
export function loadTagger(path: string, options: LoadTaggerOptions = {}): Tagger {
  requireArgument('loadTagger: the path', path, kinds.text);
  requireKnown('loadTagger', options, ['kernel', 'functions', 'rules', 'tokenizer']);
  const { kernel, functions, tokenizer, ...more } = options;
  const read = (bytes: Uint8Array | FileBytes) =>
    new Tagger(readTaggingModel(bytes, path, kernel, functions), more);
  if (tokenizer !== undefined) return read(readModelBytes({ file: path, tokenizer }));
  const ahead = readAhead(path);
  return ahead === undefined ? withFileBytes(path, read) : read(ahead);
}
