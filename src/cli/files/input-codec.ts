import type { Readable } from 'node:stream';
import type { Codec } from '../../formats/codecs/codec.js';
import { codecOf } from '../../runtime/pipeline/catalogue/codec-of.js';
import { type InputHints, inputFormat } from './input-format.js';

/** Returns the codec for the result of `inputFormat`. */
export async function inputCodec(hints: InputHints, stdin: Readable): Promise<Codec> {
  return codecOf(await inputFormat(hints, stdin), hints.sources);
}
