import { parse } from 'yaml';
import { TagstreamError } from '../../core/errors.js';
import type { Registry } from '../../core/registry.js';
import type { Codec } from '../../io/codecs/codec.js';
import { type CodecChoice, codecOf } from '../../pipeline/catalogue/codec-of.js';
import type { SourceComponent } from '../../pipeline/sources/source-component.js';

/**
 * A codec from its name and, after a colon, its options as YAML.
 *
 * @param sources formats that it is one of; those of Tagstream if absent
 * @throws TagstreamError `usage` for an unknown name or YAML that does not parse, `config` for options
 */
export function namedCodec(text: string, sources?: Registry<SourceComponent>): Codec {
  return codecOf(namedFormat(text), sources);
}

/**
 * The same as plain data.
 *
 * @throws TagstreamError `usage` for YAML that does not parse
 */
export function namedFormat(text: string): CodecChoice {
  const [name, ...rest] = text.split(':');
  try {
    const options = rest.length === 0 ? {} : (parse(rest.join(':')) as CodecChoice['options']);
    return { name: name!, options: options ?? {} };
  } catch (cause) {
    throw new TagstreamError('usage', `the format ${text} does not parse: ${String(cause)}`, {
      fix: 'write it as conll:{columns: [form, tag]}',
      cause,
    });
  }
}
