import { lastValueFrom, tap } from 'rxjs';
import type { Log } from '../../core/log.js';
import { badRecord } from '../../io/bad-records/bad-record.js';
import type { Codec } from '../../io/codecs/codec.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import { splitLines } from '../../io/lines/lines.js';
import { openInput } from '../../io/reading/open-input.js';
import { documentSource } from '../../io/sources/document-source.js';
import { type TokenizeOptions, tokenize } from '../../operators/tokenize.js';
import { splitSentences } from '../../text/sentences/sentence-splitter.js';
import { regexTokenizer } from '../../text/tokenizers/regex-tokenizer.js';
import { extensionOf, formatsByExtension } from '../files/input-format.js';
import { namedCodec } from '../files/named-codec.js';
import { reportGuessed } from '../report/report-guessed.js';

/** Tags would be words beside words if these were read as text. */
const byExtension: Readonly<Record<string, string>> = { ...formatsByExtension, conll: 'conll' };

/** What nobody takes for anything else: `-` has no extension. */
const textExtensions: ReadonlySet<string> = new Set(['txt', 'text', '-']);

/** What is read, and how. */
export interface ClusterText {
  readonly files: readonly string[];
  /** A format as named on the command line; by the extension of each file if absent. */
  readonly format: string | undefined;
  readonly tokenize: TokenizeOptions;
  readonly deadLetters: DeadLetters;
  readonly log: Log;
}

/** Hands on the tokens of each sentence of some files, in order. */
export async function readClusterText(
  { files, format, tokenize: options, deadLetters, log }: ClusterText,
  take: (tokens: readonly string[]) => void,
): Promise<void> {
  for (const file of files) {
    const extension = extensionOf(file);
    const known = format ?? byExtension[extension];
    if (known === undefined && !textExtensions.has(extension)) reportGuessed(file, log);
    const name = known ?? 'text';
    if (name === 'text') await readLines(file, options, deadLetters, take);
    else await readRecords(file, codecOf(name), options, deadLetters, take);
  }
}

/** A format whose records need no tags, unless its options say what they have. */
function codecOf(name: string): Codec {
  const canLackTags = ['conll', 'letters', 'slash'].includes(name);
  return namedCodec(canLackTags ? `${name}:{ tagOptional: true }` : name);
}

async function readRecords(
  file: string,
  codec: Codec,
  options: TokenizeOptions,
  deadLetters: DeadLetters,
  take: (tokens: readonly string[]) => void,
): Promise<void> {
  const sentences = documentSource({ files: [file], codec, deadLetters }).pipe(
    tokenize(options),
    tap(({ tokens, delivery }) => {
      take(tokens);
      delivery?.release();
      delivery?.ack();
    }),
  );
  await lastValueFrom(sentences, { defaultValue: undefined });
}

async function readLines(
  file: string,
  { tokenizer = regexTokenizer(), sentences = true, locale }: TokenizeOptions,
  deadLetters: DeadLetters,
  take: (tokens: readonly string[]) => void,
): Promise<void> {
  const input = await openInput(file);
  const { source } = input;
  try {
    for await (const lines of splitLines(input.chunks)) {
      for (const { number, start, end, text, bad } of lines) {
        if (bad !== undefined) {
          const position = { source, line: number, start, end };
          deadLetters.add(badRecord(position, bad.raw, bad.error, bad.truncated));
          continue;
        }
        deadLetters.pass();
        const ranges = tokenizer(text);
        const tokens = ranges.map(([from, to]) => text.slice(from, to));
        if (!sentences) take(tokens);
        else {
          const parts = splitSentences(text, ranges, locale === undefined ? {} : { locale });
          for (const [from, to] of parts) take(tokens.slice(from, to));
        }
      }
    }
  } finally {
    input.close();
  }
}
