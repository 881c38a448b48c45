import type { Readable } from 'node:stream';
import type { Registry } from '../../core/registry.js';
import type { Codec } from '../../io/codecs/codec.js';
import type { ModelSpec } from '../../models/model-spec.js';
import type { CodecChoice } from '../../pipeline/catalogue/codec-of.js';
import type { SourceComponent } from '../../pipeline/sources/source-component.js';

/** Formats that the extension of a file name determines. */
export const formatsByExtension: Readonly<Record<string, Codec['name']>> = {
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
  /** Of the model: its format, with its columns, is the last resort. */
  readonly spec?: ModelSpec | undefined;
  /** Formats of plug-ins among others; absent where there are no plug-ins. */
  readonly sources?: Registry<SourceComponent> | undefined;
  /** Records come without tags. */
  readonly untagged?: boolean;
}

/**
 * The format of an input: as named, else by the file's extension, else NDJSON if the standard input
 * starts with `{`, else the format that the model was trained on.
 */
export async function inputFormat(hints: InputHints, stdin: Readable): Promise<CodecChoice> {
  if (hints.named?.includes(':') === true) {
    return (await import('./named-codec.js')).namedFormat(hints.named);
  }
  const trained = hints.spec?.input as TrainedInput | undefined;
  const name =
    hints.named ??
    formatByExtension(hints.file, hints.sources) ??
    (hints.file === '-' && /^\s*\{/.test(await beginningOf(stdin))
      ? 'ndjson'
      : (trained?.codec ?? 'ndjson'));
  const options = trained?.codec === name ? trained.options : {};
  const canLackTags =
    hints.sources?.find(name)?.canLackTags ?? (name === 'conll' || name === 'letters');
  const more = hints.untagged === true && canLackTags ? { tagOptional: true } : {};
  return { name, options: { ...options, ...more } };
}

interface TrainedInput {
  readonly codec: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The format that the extension of a file name determines; undefined where there is none. */
export function formatByExtension(
  file: string,
  sources?: Registry<SourceComponent>,
): string | undefined {
  const extension = file.replace(/\.gz$/, '').split('.').at(-1)!;
  return (
    formatsByExtension[extension] ??
    sources?.items.find(({ extensions }) => extensions?.includes(extension))?.name
  );
}

/** The first characters of a stream, without a byte order mark; empty if there are none. Leaves the stream as it was. */
export async function beginningOf(stream: Readable): Promise<string> {
  for (;;) {
    const chunk = stream.read() as Buffer | null;
    if (chunk !== null) {
      stream.unshift(chunk);
      return chunk.toString('utf8', 0, 1024).replace(/^\uFEFF/, '');
    }
    if (stream.readableEnded || stream.destroyed) return '';
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
    if (!more) return '';
  }
}
