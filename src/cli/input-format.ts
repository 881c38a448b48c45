import type { Readable } from 'node:stream';
import { TagstreamError } from '../core/errors.js';
import type { Codec } from '../io/codec.js';
import type { Model } from '../models/model.js';
import { sources } from '../pipeline/catalogue/sources.js';

/** Names of the formats. */
export const formats = ['ndjson', 'conll', 'conllu', 'letters'] as const;

const byExtension: Readonly<Record<string, Codec['name']>> = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'ndjson',
  conllu: 'conllu',
};

/**
 * The codec of an input: as named, else by the file's extension, else NDJSON if the standard input
 * starts with `{`, else the format that the model was trained on, with its columns.
 */
export async function inputCodec(
  file: string,
  named: string | undefined,
  model: Model | undefined,
  stdin: Readable,
): Promise<Codec> {
  const trained = model?.spec.input as
    | { codec: string; options: Record<string, unknown> }
    | undefined;
  const extension = file.replace(/\.gz$/, '').split('.').at(-1)!;
  const name =
    named ??
    byExtension[extension] ??
    (file === '-' && (await startsWithBrace(stdin)) ? 'ndjson' : (trained?.codec ?? 'ndjson'));
  const component = sources.find(source => source.name === name);
  if (component === undefined) {
    throw new TagstreamError('usage', `there is no format ${name}`, {
      fix: `use one of ${formats.join(', ')}`,
    });
  }
  const options = trained?.codec === name ? trained.options : {};
  return component.codec(component.options.parse({ ...options }) as Record<string, unknown>);
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
