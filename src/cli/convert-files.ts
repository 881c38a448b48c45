import { convert } from '../io/convert.js';
import { openOutput } from '../io/open-output.js';
import type { BadRecordArguments } from './bad-record-options.js';
import { inputCodec } from './input-codec.js';
import { namedCodec } from './named-codec.js';
import { textLog } from './text-log.js';
import { toldDeadLetters } from './told-dead-letters.js';

/** Arguments of `convert`. */
export interface ConvertArguments extends BadRecordArguments {
  readonly inputs: readonly string[];
  readonly from?: string | undefined;
  readonly to: string;
  readonly out: string;
}

/** Turns files of one format into one of another. */
export async function convertFiles(given: ConvertArguments): Promise<void> {
  const from =
    given.from === undefined
      ? await inputCodec({ file: given.inputs[0]! }, process.stdin)
      : namedCodec(given.from);
  const to = namedCodec(given.to);
  const policy = from.name === 'ndjson' ? 'skip' : 'fail';
  const deadLetters = toldDeadLetters(given, { policy }, textLog('info'));
  const output = await openOutput(given.out);
  try {
    await convert({ files: given.inputs, from, to, output, deadLetters });
  } finally {
    deadLetters.finish();
  }
}
