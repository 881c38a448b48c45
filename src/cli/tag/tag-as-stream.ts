import { map } from 'rxjs';
import { FlowLedger } from '../../core/delivery/flow-ledger.js';
import type { Codec } from '../../io/codecs/codec.js';
import { writeDocuments } from '../../io/document-sink.js';
import { documentSource } from '../../io/sources/document-source.js';
import type { Output } from '../../io/writing/open-output.js';
import { replaceable } from '../../operators/replaceable.js';
import { codecOf } from '../../pipeline/catalogue/codec-of.js';
import { finishBeforeError } from '../../pipeline/tagging/finish-before-error.js';
import { requireSpans } from '../../pipeline/tagging/mixed-tagger.js';
import { ModelDigest } from '../../pipeline/tagging/progress/model-digest.js';
import { versionsOf } from '../../pipeline/tagging/reload/versions-of.js';
import { taggingStages } from '../../pipeline/tagging/tagging-stages.js';
import { warnOfForeignFields } from '../report/foreign-fields.js';
import { reportBlankLines } from '../report/report-blank-lines.js';
import { reportStopped } from '../report/report-stopped.js';
import { reportWritten } from '../report/report-written.js';
import { reportedDeadLetters } from '../report/reported-dead-letters.js';
import { type IdentifiedModel, modelsOf } from './first-model.js';
import { refuseUnreported } from './refuse-unreported.js';
import { isShown } from './shown.js';
import { openTagged, tagProgress } from './tag-progress.js';
import type { TagWork } from './tag-work.js';
import { taggingOptions } from './tagging-options.js';

/** Sentences that are decoded at once, where as many are at hand. */
const batching = { sentences: 32, milliseconds: 0 };

/** Tags documents one by one, with all that `tag` has. */
export async function tagAsStream(work: TagWork): Promise<void> {
  const { first, input, given, stopping, reloads, report } = work;
  const { log, status } = report;
  const { files } = input;
  const read = codecOf(input.format, given.plugins?.sources);
  const codec = read.forTagging?.() ?? read;
  if (!isShown(given)) refuseUnreported(given, codec.name);
  const policy = codec.lenient === true ? 'skip' : 'fail';
  let ended = false;
  const isStopped = () => stopping.aborted && !ended;
  const written = { format: codec.name, output: given.output };
  const deadLetters = await reportedDeadLetters(given, { policy }, log, stopping, written);
  const digest = new ModelDigest(given.model);
  const progress = await tagProgress({ given, input, deadLetters, report, digest, isStopped });
  const { output, writer } = await outputFor(work, codec, progress?.output);
  const models = modelsOf(first, codec.name, report, digest);
  const stopReloading = reloads.onRequest(() => models.reload());
  const ledger = new FlowLedger();
  let blank = 0;
  try {
    const documents = documentSource({
      ...{ files, codec, deadLetters, ledger, signal: stopping },
      selection: given.limit === undefined ? undefined : { limit: given.limit },
      onBlank: () => {
        blank += 1;
      },
      onEnd: () => {
        ended = true;
      },
      status,
      ...progress?.reading,
    });
    const held = { ...batching, ledger };
    const chosen = taggingOptions(given);
    const stagesOf = ({ model, modelId }: IdentifiedModel) => {
      if (given.redact !== undefined) requireSpans(model);
      return taggingStages(model, { ...chosen, modelId }, held, { durations: status?.batches });
    };
    const versions = versionsOf(models).pipe(map(stagesOf));
    const tagged = documents.pipe(finishBeforeError(replaceable(versions)));
    status?.begin();
    const options = {
      output: given.output,
      redact: given.redact,
      onBelow: warnOfForeignFields(log),
    };
    const hooks = { ledger, status, deadLetters, ...progress?.hooks };
    const { records } = await writeDocuments(tagged, output, writer, options, hooks);
    if (isStopped()) reportStopped(records, progress?.file ?? given.html ?? given.out, log);
    else if (progress !== undefined) reportWritten(records, given.out, log);
  } finally {
    progress?.unlock();
    stopReloading();
    await deadLetters.finish();
    reportBlankLines(blank, log, codec.name);
  }
}

/** Where the records go, and what writes them. */
async function outputFor(
  { given, first, input, stopping, report }: TagWork,
  codec: Codec,
  kept: Output | undefined,
): Promise<{ output: Output; writer: Pick<Codec, 'write'> }> {
  if (isShown(given)) {
    return (await import('./open-shown.js')).openShown(given, first.shown, stopping);
  }
  const of = given.output === 'tags' ? {} : codec;
  const options = { signal: stopping, log: report.log };
  const output = kept ?? (await openTagged(given, input.format.name, options, of, input.files));
  return { output, writer: codec };
}
