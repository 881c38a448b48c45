import { TagstreamError } from '../../../engine/core/errors.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import { writtenAs } from '../../../formats/codecs/written-as.js';
import { replayCodec } from '../../io/dead-letters/replay-codec.js';
import { sourceRegistry } from './sources.js';

/** A format by its name, with its options, as plain data. */
export interface CodecChoice {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether the input is dead letters with records of the format. */
  readonly replay?: boolean | undefined;
  /** The format in which records are written, if it differs. */
  readonly to?: Omit<CodecChoice, 'to' | 'replay'> | undefined;
}

/**
 * Returns the codec of a format.
 *
 * @param sources the known formats; default: without plug-ins
 * @throws TagstreamError `usage` for an unknown name, `config` on wrong options
 * @example
 * codecOf({ name: 'conll', options: { columns: ['form', 'tag'] } }).format // => 'conll whitespace  form tag'
 */
export function codecOf(
  { name, options, replay, to }: CodecChoice,
  sources = sourceRegistry,
): Codec {
  // Generated data has no format.
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
