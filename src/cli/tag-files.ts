import { takeUntil } from 'rxjs';
import { FlowLedger } from '../core/flow-ledger.js';
import { writeDocuments } from '../io/document-sink.js';
import { documentSource } from '../io/document-source.js';
import { FileTagger } from '../io/file-tagger.js';
import { openOutput } from '../io/open-output.js';
import { kernels } from '../models/kernels.js';
import { aborted } from '../pipeline/aborted.js';
import { finishBeforeError } from '../pipeline/tagging/finish-before-error.js';
import { taggingStages } from '../pipeline/tagging/tagging-stages.js';
import { deadLettersOf } from './bad-record-options.js';
import { inputCodec } from './input-format.js';
import { stopSignal } from './stop-signal.js';
import type { TagArguments } from './tag-arguments.js';
import { tellBlankLines } from './tell-blank-lines.js';

/** Sentences that are decoded at once, and how long an unfinished batch of a slow stream waits. */
const batching = { sentences: 32, milliseconds: 20 };

/** Tags files, or the standard input, with a model, in this thread. */
export async function tagFiles(given: TagArguments): Promise<void> {
  const model = FileTagger.load(given.model, kernels[given.kernel ?? 'simd']).model;
  const hints = { file: given.inputs[0]!, named: given.format, spec: model.spec, untagged: true };
  const codec = await inputCodec(hints, process.stdin);
  const deadLetters = deadLettersOf(given, codec.name === 'ndjson');
  const output = await openOutput(given.out);
  const stop = stopSignal();
  const ledger = new FlowLedger();
  let blank = 0;
  try {
    const documents = documentSource({
      files: given.inputs,
      codec,
      deadLetters,
      ledger,
      onBlank: () => {
        blank += 1;
      },
    });
    const stages = finishBeforeError(taggingStages(model, given, { ...batching, ledger }));
    const tagged = documents.pipe(takeUntil(aborted(stop.signal)), stages);
    await writeDocuments(tagged, output, codec, { output: given.output }, { ledger });
  } finally {
    stop.dispose();
    deadLetters.finish(given.deadLetter);
    tellBlankLines(blank);
  }
}
