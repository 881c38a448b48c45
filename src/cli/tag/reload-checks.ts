import type { TokenFunctions } from '../../features/template/token-function.js';
import type { KernelName } from '../../models/kernels.js';
import type { ModelSpec } from '../../models/model-spec.js';
import { type ReadTagger, readTagger } from '../../pipeline/tagging/reload/read-tagger.js';
import { requireSameInput } from '../../pipeline/tagging/reload/require-same-input.js';
import type { InputHints } from '../files/input-format.js';
import type { ReloadsGiven } from '../signals/reload-requests.js';
import type { TagArguments } from './tag-arguments.js';

/** What a model file has to be to take the place of the one that is in use. */
export interface ReloadChecks {
  readonly file: string;
  readonly kernel: KernelName;
  /** That of the model which was there from the start. */
  readonly spec: ModelSpec;
  /** The format as named on the command line. */
  readonly named: InputHints['named'];
  /** Token functions of plug-ins. */
  readonly functions?: TokenFunctions | undefined;
}

/** What asks for the model of a command to be read again. */
export function reloadsOf({
  model,
  watch,
  promotions,
}: Pick<TagArguments, 'model' | 'watch' | 'promotions'>): ReloadsGiven {
  return { watched: watch === true ? model : undefined, promotions };
}

/**
 * Reads a model file that is to take the place of another in mid-stream.
 *
 * @param format name of the format that is read
 * @throws TagstreamError if it cannot: `file`, `model-...`, or `config` where it reads another format
 */
export function readAgain(
  { file, kernel, spec, named, functions }: ReloadChecks,
  format: string,
): ReadTagger {
  const read = readTagger(file, kernel, functions);
  // Otherwise the options of the format are not those of a model.
  if (named?.includes(':') !== true) requireSameInput(format, spec, read.model.spec, file);
  return read;
}
