import { type Observable, takeUntil } from 'rxjs';
import type { Document } from '../core/document.js';
import { writeDocuments } from '../io/document-sink.js';
import { documentSource } from '../io/document-source.js';
import { FileTagger } from '../io/file-tagger.js';
import { openOutput } from '../io/open-output.js';
import { kernels } from '../models/kernels.js';
import type { Model } from '../models/model.js';
import { assemble } from '../operators/assemble.js';
import { batch } from '../operators/batch.js';
import { featurize } from '../operators/featurize.js';
import { tag } from '../operators/tag.js';
import { tokenize } from '../operators/tokenize.js';
import { aborted } from '../pipeline/aborted.js';
import { modelTokenizer } from '../pipeline/model-tokenizer.js';
import { isSpanScheme } from '../text/tag-scheme.js';
import { type BadRecordArguments, deadLettersOf } from './bad-record-options.js';
import { inputCodec } from './input-format.js';
import type { KernelArguments } from './kernel-option.js';
import { stopSignal } from './stop-signal.js';

/** Arguments of `tag`. */
export interface TagArguments extends BadRecordArguments, KernelArguments {
  readonly inputs: readonly string[];
  readonly model: string;
  readonly format?: string | undefined;
  readonly output: 'record' | 'tags';
  readonly out: string;
  readonly decoding: 'viterbi' | 'posterior';
  readonly marginals?: boolean | undefined;
  readonly scores?: boolean | undefined;
}

/** Sentences that are decoded at once, and how long an unfinished batch of a slow stream waits. */
const batching = { sentences: 32, milliseconds: 20 };

/** Tags files, or the standard input, with a model. */
export async function tagFiles(given: TagArguments): Promise<void> {
  const model = FileTagger.load(given.model, kernels[given.kernel ?? 'simd']).model;
  const hints = { file: given.inputs[0]!, named: given.format, model, untagged: true };
  const codec = await inputCodec(hints, process.stdin);
  const deadLetters = deadLettersOf(given, codec.name === 'ndjson');
  const output = await openOutput(given.out);
  const stop = stopSignal();
  let blank = 0;
  try {
    const documents = documentSource({
      files: given.inputs,
      codec,
      deadLetters,
      onBlank: () => {
        blank += 1;
      },
    });
    const tagged = tagDocuments(documents.pipe(takeUntil(aborted(stop.signal))), model, given);
    await writeDocuments(tagged, output, codec, { output: given.output });
  } finally {
    stop.dispose();
    deadLetters.finish(given.deadLetter);
    if (blank > 0) process.stderr.write(`tagstream: ${blank} blank lines were skipped\n`);
  }
}

function tagDocuments(documents: Observable<Document>, model: Model, given: TagArguments) {
  return documents.pipe(
    tokenize(modelTokenizer(model)),
    featurize(model),
    batch(batching),
    tag(model, { decoding: given.decoding, marginals: given.marginals ?? false }),
    assemble({
      scores: given.scores ?? false,
      spans: () => given.output === 'record' && isSpanScheme(model.scheme),
    }),
  );
}
