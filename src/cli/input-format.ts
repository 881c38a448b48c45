import type { Readable } from 'node:stream';
import { parse } from 'yaml';
import { TagstreamError } from '../core/errors.js';
import type { Codec } from '../io/codec.js';
import { parseOptions } from '../io/parse-options.js';
import type { Model } from '../models/model.js';
import { sources } from '../pipeline/catalogue/sources.js';

const byExtension: Readonly<Record<string, Codec['name']>> = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'ndjson',
  conllu: 'conllu',
};

/** What is known of an input. */
export interface InputHints {
  readonly file: string;
  /** A format as named on the command line. */
  readonly named?: string | undefined;
  /** Its format, with its columns, is taken where nothing else tells. */
  readonly model?: Model | undefined;
  /** Records come without tags. */
  readonly untagged?: boolean;
}

/**
 * The codec of an input: as named, else by the file's extension, else NDJSON if the standard input
 * starts with `{`, else the format that the model was trained on.
 */
export async function inputCodec(hints: InputHints, stdin: Readable): Promise<Codec> {
  if (hints.named?.includes(':') === true) return namedCodec(hints.named);
  const trained = hints.model?.spec.input as TrainedInput | undefined;
  const extension = hints.file.replace(/\.gz$/, '').split('.').at(-1)!;
  const name =
    hints.named ??
    byExtension[extension] ??
    (hints.file === '-' && (await startsWithBrace(stdin))
      ? 'ndjson'
      : (trained?.codec ?? 'ndjson'));
  const options = trained?.codec === name ? trained.options : {};
  const canLackTags = name === 'conll' || name === 'letters';
  const more = hints.untagged === true && canLackTags ? { tagOptional: true } : {};
  return codecOf(name, { ...options, ...more });
}

interface TrainedInput {
  readonly codec: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * A codec from its name and, after a colon, its options as YAML.
 *
 * @throws TagstreamError `usage` for an unknown name or YAML that does not parse, `config` for options
 */
export function namedCodec(text: string): Codec {
  const [name, ...rest] = text.split(':');
  try {
    return codecOf(name!, (rest.length === 0 ? {} : (parse(rest.join(':')) as object)) ?? {});
  } catch (cause) {
    if (cause instanceof TagstreamError) throw cause;
    throw new TagstreamError('usage', `the format ${text} does not parse: ${String(cause)}`, {
      fix: 'write it as conll:{columns: [form, tag]}',
      cause,
    });
  }
}

function codecOf(name: string, options: object): Codec {
  const component = sources.find(source => source.name === name);
  if (component === undefined) {
    throw new TagstreamError('usage', `there is no format ${name}`, {
      fix: `use one of ${sources.map(source => source.name).join(', ')}`,
    });
  }
  const checked = parseOptions(component.options, options, component.name);
  return component.codec(checked as Record<string, unknown>);
}

/** Looks at the first byte of a stream that is no white space, and leaves the stream as it was. */
async function startsWithBrace(stream: Readable): Promise<boolean> {
  for (;;) {
    const chunk = stream.read() as Buffer | null;
    if (chunk !== null) {
      stream.unshift(chunk);
      return /^(?:\uFEFF)?\s*\{/.test(chunk.toString('utf8', 0, 1024));
    }
    if (stream.readableEnded || stream.destroyed) return false;
    const more = await new Promise<boolean>(resolve => {
      const settle = (value: boolean) => () => {
        stream.off('readable', readable);
        stream.off('end', ended);
        resolve(value);
      };
      const readable = settle(true);
      const ended = settle(false);
      stream.once('readable', readable);
      stream.once('end', ended);
    });
    if (!more) return false;
  }
}
