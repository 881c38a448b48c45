import { parse } from 'yaml';
import { TagstreamError } from '../core/errors.js';
import type { Codec } from '../io/codec.js';
import { convert } from '../io/convert.js';
import { openOutput } from '../io/open-output.js';
import { parseOptions } from '../io/parse-options.js';
import { sources } from '../pipeline/catalogue/sources.js';
import { type BadRecordArguments, deadLettersOf } from './bad-record-options.js';
import { formats, inputCodec } from './input-format.js';

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
      ? await inputCodec(given.inputs[0]!, undefined, undefined, process.stdin)
      : namedCodec(given.from);
  const to = namedCodec(given.to);
  const deadLetters = deadLettersOf(given, true);
  const output = await openOutput(given.out);
  try {
    await convert({ files: given.inputs, from, to, output, deadLetters });
  } finally {
    deadLetters.finish(given.deadLetter);
  }
}

/** A codec from its name and, after a colon, its options as YAML. */
function namedCodec(text: string): Codec {
  const [name, ...rest] = text.split(':');
  const component = sources.find(source => source.name === name);
  if (component === undefined) {
    throw new TagstreamError('usage', `there is no format ${name}`, {
      fix: `use one of ${formats.join(', ')}`,
    });
  }
  const options: unknown = rest.length === 0 ? {} : parse(rest.join(':'));
  const checked = parseOptions(component.options, options ?? {}, component.name);
  return component.codec(checked as Record<string, unknown>);
}
