import { TagstreamError } from '../../core/errors.js';
import { parseOptions } from '../../core/schema/parse-options.js';
import type { Codec } from '../../io/codecs/codec.js';
import { writtenAs } from '../../io/codecs/written-as.js';
import { replayCodec } from '../../io/dead-letters/replay-codec.js';
import { sourceRegistry } from './sources.js';

/** A format by its name, and its options; plain data. */
export interface CodecChoice {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** What is read are dead letters that hold records of the format. */
  readonly replay?: boolean | undefined;
  /** The format that records are written in, where it is another. */
  readonly to?: Omit<CodecChoice, 'to' | 'replay'> | undefined;
}

/**
 * The codec of a format.
 *
 * @param sources where it is looked for; without plug-ins if absent
 * @throws TagstreamError `usage` for an unknown name, `config` on wrong options
 * @example
 * codecOf({ name: 'conll', options: { columns: ['form', 'tag'] } }).format // => 'conll whitespace  form tag'
 */
export function codecOf(
  { name, options, replay, to }: CodecChoice,
  sources = sourceRegistry,
): Codec {
  // What is generated is no format.
  const formats = sources.items.filter(({ generated }) => generated === undefined);
  const component = formats.find(source => source.name === name);
  if (component === undefined) {
    throw new TagstreamError('usage', `unknown format ${name}`, {
      fix: `use one of ${formats.map(source => source.name).join(', ')}, or load the plug-in that provides it: --use`,
    });
  }
  const checked = parseOptions(component.options, options, component.name);
  const codec = component.codec(checked as Record<string, unknown>);
  const read = replay === true ? replayCodec(codec) : codec;
  return to === undefined ? read : writtenAs(read, codecOf(to, sources));
}
