import { performance } from 'node:perf_hooks';
import { lastValueFrom, tap } from 'rxjs';
import type { Log } from '../../engine/core/log.js';
import { counted } from '../../engine/core/wording/numbers.js';
import { ClusterCorpus } from '../../engine/features/clusters/cluster-corpus.js';
import { learnClusters } from '../../engine/features/clusters/learn-clusters.js';
import { type TokenizeOptions, tokenize } from '../../engine/operators/tokenize.js';
import { regexTokenizer } from '../../engine/text/tokenizers/regex-tokenizer.js';
import { sentencesOf, wordsOf } from '../../engine/text/words-of.js';
import { badRecord } from '../../formats/bad-records/bad-record.js';
import type { Codec } from '../../formats/codecs/codec.js';
import { formatsByExtension, traitsOf } from '../../formats/codecs/format-traits.js';
import { splitLines } from '../../formats/lines/line-splitter.js';
import { openInput } from '../../formats/reading/open-input.js';
import { readPipesAhead } from '../../formats/reading/read-bytes.js';
import type { DeadLetters } from '../../runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../runtime/io/sources/document-source.js';
import { writeWhole } from '../../runtime/io/writing/write-whole.js';
import { divisionTokenizer } from '../../runtime/pipeline/stages/tokenizer-file.js';
import { chosenDeadLetters } from '../files/chosen-dead-letters.js';
import {
  chosenDivision,
  type TokenizerArguments,
  tokenizerFile,
} from '../files/chosen-division.js';
import { extensionOf } from '../files/input-format.js';
import { namedCodec } from '../files/named-codec.js';
import { requireFilesApart } from '../files/require-files.js';
import { requireWhole } from '../options/option-kinds.js';
import type { BadRecordArguments } from '../options/record-options.js';
import { reportedDeadLetters } from '../report/reported-dead-letters.js';
import { reportGuessed } from '../report/run-messages.js';
import { printError } from '../report/terminal.js';
import { textLog } from '../report/text-log.js';

/** Arguments of `clusters`. */
export interface ClustersArguments extends BadRecordArguments, TokenizerArguments {
  readonly inputs: readonly string[];
  readonly out: string;
  readonly classes: number;
  readonly minCount: number;
  readonly fold: boolean;
  readonly format?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Maximum number of classes: more would need gigabytes of tables. */
const mostClasses = 4096;

/** Learns word clusters from files, and writes them in Brown format. */
export async function clustersFromText(given: ClustersArguments): Promise<void> {
  requireWhole('--classes', given.classes, 2, mostClasses);
  requireWhole('--min-count', given.minCount, 1, Number.MAX_SAFE_INTEGER);
  const { format, inputs, out } = given;
  requireFilesApart({
    reads: { 'the text': inputs, 'the model of the tokenizer': tokenizerFile(given) },
    writes: { 'the file of clusters': out },
    deadLetters: chosenDeadLetters(given, { policy: 'skip' }),
  });
  await readPipesAhead([tokenizerFile(given)]);
  const tokenize = divisionTokenizer({
    ...(chosenDivision(given) ?? { tokenizer: 'regex' as const, locale: 'en' }),
    sentences: true,
  });
  const start = performance.now();
  const corpus = new ClusterCorpus({ fold: given.fold });
  const log = textLog('info');
  const deadLetters = await reportedDeadLetters(given, { policy: 'skip' }, log);
  try {
    await readClusterText({ files: inputs, format, tokenize, deadLetters, log }, tokens =>
      corpus.add(tokens),
    );
  } finally {
    await deadLetters.finish();
  }
  const settled = corpus.settle(given.minCount);
  const learned = learnClusters(settled, { classes: given.classes });
  const lines = learned.words.map(({ path, word, count }) => `${path}\t${word}\t${count}\n`);
  await writeWhole(out, lines.join(''));
  const report = {
    words: learned.words.length,
    tokens: settled.counts.reduce((sum, count) => sum + count, 0),
    clusters: learned.clusters,
    mutualInformation: learned.mutualInformation,
    seconds: Number(((performance.now() - start) / 1000).toFixed(3)),
  };
  printError(given.json === true ? `${JSON.stringify(report)}\n` : `${sentenceOf(report)}\n`);
}

function sentenceOf({
  words,
  tokens,
  clusters,
  mutualInformation,
  seconds,
}: {
  words: number;
  tokens: number;
  clusters: number;
  mutualInformation: number;
  seconds: number;
}): string {
  const information = mutualInformation.toFixed(4);
  return `${counted(words, 'word')} (${counted(tokens, 'token')}) in ${counted(clusters, 'cluster')}, mutual information ${information} nats, ${seconds} s`;
}

/** Read as plain text, the tags in these files would become words. */
const byExtension: Readonly<Record<string, string>> = { ...formatsByExtension, conll: 'conll' };

/** Extensions of plain text, the default: `-` has no extension. */
const textExtensions: ReadonlySet<string> = new Set(['txt', 'text', '-']);

/** Input files, and how they are read. */
interface ClusterText {
  readonly files: readonly string[];
  /** Format as named on the command line; default: by the extension of each file. */
  readonly format: string | undefined;
  readonly tokenize: TokenizeOptions;
  readonly deadLetters: DeadLetters;
  readonly log: Log;
}

/** Passes on the tokens of each sentence in the files, in order. */
async function readClusterText(
  { files, format, tokenize: options, deadLetters, log }: ClusterText,
  take: (tokens: readonly string[]) => void,
): Promise<void> {
  for (const file of files) {
    const extension = extensionOf(file);
    const known = format ?? byExtension[extension];
    const isGuessed = known === undefined && !textExtensions.has(extension);
    if (isGuessed) reportGuessed(file, { name: 'text', options: {} }, log);
    const name = known ?? 'text';
    if (name === 'text') await readLines(file, options, deadLetters, take);
    else await readRecords(file, codecOf(name), options, deadLetters, take);
  }
}

/** Returns a codec whose records need no tags, unless its options say otherwise. */
function codecOf(name: string): Codec {
  const { canLackTags } = traitsOf(name);
  return namedCodec(canLackTags === true ? `${name}:{ tagOptional: true }` : name);
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
  { tokenizer = regexTokenizer(), sentences = true, locale, abbreviations }: TokenizeOptions,
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
        const found = wordsOf(tokenizer, text);
        const tokens = found.offsets.map(
          ([from, to], t) => found.forms?.get(t) ?? text.slice(from, to),
        );
        if (!sentences) take(tokens);
        else {
          for (const [from, to] of sentencesOf(found, text, { locale, abbreviations }))
            take(tokens.slice(from, to));
        }
      }
    }
  } finally {
    input.close();
  }
}
