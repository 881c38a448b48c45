import { statSync } from 'node:fs';
import { lastValueFrom, takeWhile, tap } from 'rxjs';
import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import { DeadLetters } from '../../../io/dead-letters/dead-letters.js';
import { readHead } from '../../../io/reading/read-head.js';
import { readsOnce } from '../../../io/reading/reads-once.js';
import { settleCorpus } from '../../../models/learning/settle-corpus.js';
import { tokenize } from '../../../operators/tokenize.js';
import type { Pipeline } from '../../definition/pipeline.js';
import type { RunContext } from '../../definition/run-context.js';
import { sourceFiles } from '../../definition/source-files.js';
import { runSource } from '../../setup/run-source.js';
import type { TrainingParts } from '../../stages/build-training.js';
import { grownBy } from './growth.js';
import { type TrainingSize, trainingSize } from './training-size.js';

/** Tokens of the sample. */
const sampled = 200_000;

/**
 * Foresees the size of a training from the beginning of its corpus, 200,000 tokens of it: of what is longer, features
 * and pairs are taken to grow on by the power of the size by which they grew in the sample. Undefined for input that can
 * be read only once. Its model is of no use for a run afterwards.
 *
 * @param sentences of the whole corpus, where they are known
 */
export async function foreseenSize(
  pipeline: Pipeline,
  { model, reading, encode }: TrainingParts,
  context: RunContext,
  sentences?: number,
): Promise<TrainingSize | undefined> {
  const files = sourceFiles(pipeline);
  if (files.length === 0 || files.some(readsOnce)) return undefined;
  const corpus: EncodedSentence[] = [];
  let tokens = 0;
  let last: { readonly source: string; readonly end: number } | undefined;
  let half: TrainingSize | undefined;
  const take = tap((encoded: EncodedSentence) => {
    const { delivery } = encoded.sentence;
    last = delivery?.position ?? last;
    delivery?.release();
    delivery?.ack();
    if (encoded.gold === undefined && encoded.allowed === undefined) return;
    corpus.push(encoded);
    tokens += encoded.length;
    if (half === undefined && 2 * tokens >= sampled) half = trainingSize(model, corpus);
  });
  const documents = runSource(pipeline, context, {
    deadLetters: new DeadLetters({ policy: 'skip', maxBadInRow: Number.POSITIVE_INFINITY }),
  });
  const sample = documents.pipe(
    tokenize(reading.tokenizer),
    encode,
    take,
    takeWhile(() => tokens < sampled),
  );
  await lastValueFrom(sample, { defaultValue: undefined });
  if (corpus.length === 0) return undefined;
  const all = trainingSize(model, settleCorpus(model, corpus));
  if (tokens < sampled || half === undefined || last === undefined) return all;
  const times =
    sentences === undefined
      ? (await bytesOf(files)) / (await bytesUntil(files, last))
      : sentences / corpus.length;
  const doublings = Math.log2(tokens / half.tokens);
  // Counts at exactly half of the sample, by the power between.
  const foreseen = (before: number, after: number) =>
    grownBy(before === 0 ? 0 : after / (after / before) ** (1 / doublings), after, times);
  return {
    sentences: Math.round(all.sentences * Math.max(1, times)),
    tokens: Math.round(tokens * Math.max(1, times)),
    columns: all.columns,
    active: all.active,
    ...(all.valued === undefined ? {} : { valued: all.valued }),
    labels: foreseen(half.labels, all.labels),
    features: foreseen(half.features, all.features),
    edges: all.edges === 0 ? 0 : foreseen(half.edges, all.edges),
    pairs: all.pairs === undefined ? undefined : foreseen(half.pairs!, all.pairs),
  };
}

/** Bytes of all files, unpacked. */
async function bytesOf(files: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const file of files) bytes += await unpackedBytes(file);
  return bytes;
}

/** Bytes up to the end of a record. */
async function bytesUntil(
  files: readonly string[],
  { source, end }: { readonly source: string; readonly end: number },
): Promise<number> {
  return end + (await bytesOf(files.slice(0, Math.max(0, files.indexOf(source)))));
}

async function unpackedBytes(file: string): Promise<number> {
  return /\.(?:gz|zst)$/.test(file) ? (await readHead(file, 1)).fileBytes : statSync(file).size;
}
