import { takeUntil } from 'rxjs';
import { writeDocuments } from '../io/document-sink.js';
import { documentSource } from '../io/document-source.js';
import { FileTagger } from '../io/file-tagger.js';
import { openOutput } from '../io/open-output.js';
import { kernels } from '../models/kernels.js';
import { aborted } from '../pipeline/aborted.js';
import { codecOf } from '../pipeline/codec-of.js';
import { finishBeforeError } from '../pipeline/tagging/finish-before-error.js';
import { taggingStages } from '../pipeline/tagging/tagging-stages.js';
import { stopSignal } from './stop-signal.js';
import type { TagArguments } from './tag-arguments.js';
import { tagInput } from './tag-input.js';
import { tellBlankLines } from './tell-blank-lines.js';
import { toldDeadLetters } from './told-dead-letters.js';

/** Sentences that are decoded at once, and how long an unfinished batch of a slow stream waits. */
const batching = { sentences: 32, milliseconds: 20 };

/** Tags files, or the standard input, with a model, in this thread. */
export async function tagFiles(given: TagArguments): Promise<void> {
  const model = FileTagger.load(given.model, kernels[given.kernel ?? 'simd']).model;
  const { files, format } = await tagInput(given, model.spec);
  const codec = codecOf(format);
  const deadLetters = toldDeadLetters(given, { policy: codec.name === 'ndjson' ? 'skip' : 'fail' });
  const output = await openOutput(given.out);
  const stop = stopSignal();
  let blank = 0;
  try {
    const documents = documentSource({
      files,
      codec,
      deadLetters,
      onBlank: () => {
        blank += 1;
      },
    });
    const stages = finishBeforeError(taggingStages(model, given, batching));
    const tagged = documents.pipe(takeUntil(aborted(stop.signal)), stages);
    await writeDocuments(tagged, output, codec, { output: given.output });
  } finally {
    stop.dispose();
    deadLetters.finish();
    tellBlankLines(blank);
  }
}
