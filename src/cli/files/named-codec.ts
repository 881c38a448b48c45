import { parse } from 'yaml';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Registry } from '../../engine/core/registry.js';
import type { Codec } from '../../formats/codecs/codec.js';
import { formatCalled } from '../../formats/codecs/format-traits.js';
import { type CodecChoice, codecOf } from '../../runtime/pipeline/catalogue/codec-of.js';
import {
  isCommonOption,
  type SourceComponent,
} from '../../runtime/pipeline/sources/source-component.js';

/**
 * Returns the codec of a format, given as a name and, after a colon, options as YAML.
 *
 * @param sources available formats; default: those of Tagstream
 * @throws TagstreamError `usage` for an unknown name or YAML that does not parse, `config` for
 * invalid options
 */
export function namedCodec(text: string, sources?: Registry<SourceComponent>): Codec {
  return codecOf(namedFormat(text), sources);
}

/**
 * Parses the name and options of a format as plain data.
 *
 * @param further source options that the caller supports in addition to those of the format
 * @throws TagstreamError `usage` for YAML that does not parse, and for unsupported source options
 */
export function namedFormat(text: string, further: readonly string[] = []): CodecChoice {
  const choice = parsedFormat(text);
  const options = Object.keys(choice.options);
  const unused = options.find(key => isCommonOption(key) && !further.includes(key));
  if (unused === undefined) return choice;
  throw new TagstreamError('usage', `the format ${text}: ${unused} has no effect here`, {
    fix: 'leave it out; a source of a pipeline file can have it, and eval --format can have split and limit',
  });
}

function parsedFormat(text: string): CodecChoice {
  const [name, ...rest] = text.split(':');
  try {
    const options = rest.length === 0 ? {} : (parse(rest.join(':')) as CodecChoice['options']);
    return { name: formatCalled(name!), options: options ?? {} };
  } catch (cause) {
    throw new TagstreamError('usage', `cannot parse the format ${text}: ${String(cause)}`, {
      fix: 'write it as conll:{columns: [form, tag]}',
      cause,
    });
  }
}
