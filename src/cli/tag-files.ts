import { takeUntil } from 'rxjs';
import { contentDigest } from '../io/content-digest.js';
import { writeDocuments } from '../io/document-sink.js';
import { documentSource } from '../io/document-source.js';
import { openOutput } from '../io/open-output.js';
import { readBytes } from '../io/read-bytes.js';
import { kernels } from '../models/kernels.js';
import { readModel } from '../models/model-file.js';
import { aborted } from '../pipeline/aborted.js';
import { finishBeforeError } from '../pipeline/tagging/finish-before-error.js';
import { taggingStages } from '../pipeline/tagging/tagging-stages.js';
import { deadLettersOf } from './bad-record-options.js';
import { inputCodec } from './input-format.js';
import type { Reporting } from './reporting.js';
import { stopSignal } from './stop-signal.js';
import type { TagArguments } from './tag-arguments.js';
import { tellBlankLines } from './tell-blank-lines.js';

/** Sentences that are decoded at once, and how long an unfinished batch of a slow stream waits. */
const batching = { sentences: 32, milliseconds: 20 };

/** Tags files, or the standard input, with a model, in this thread. */
export async function tagFiles(given: TagArguments, report: Reporting): Promise<void> {
  const { log, status } = report;
  const bytes = readBytes(given.model);
  if (status !== undefined) status.modelDigest = contentDigest([bytes]);
  const model = readModel(bytes, given.model, kernels[given.kernel ?? 'simd']);
  const hints = { file: given.inputs[0]!, named: given.format, spec: model.spec, untagged: true };
  const codec = await inputCodec(hints, process.stdin);
  const deadLetters = deadLettersOf(given, codec.name === 'ndjson', log);
  const output = await openOutput(given.out);
  const stop = stopSignal(report);
  let blank = 0;
  try {
    const documents = documentSource({
      files: given.inputs,
      codec,
      deadLetters,
      onBlank: () => {
        blank += 1;
      },
      status,
    });
    const stages = finishBeforeError(taggingStages(model, given, batching, status?.batches));
    const tagged = documents.pipe(takeUntil(aborted(stop.signal)), stages);
    status?.begin();
    const how = { output: given.output };
    await writeDocuments(tagged, output, codec, how, undefined, status);
  } finally {
    stop.dispose();
    deadLetters.finish(given.deadLetter);
    tellBlankLines(blank, log);
  }
}
