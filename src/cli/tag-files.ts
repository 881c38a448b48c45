import { map } from 'rxjs';
import { FlowLedger } from '../core/flow-ledger.js';
import type { Codec } from '../io/codec.js';
import { contentDigest } from '../io/content-digest.js';
import { writeDocuments } from '../io/document-sink.js';
import { documentSource } from '../io/document-source.js';
import { type Output, openOutput } from '../io/open-output.js';
import { waitFor } from '../io/wait-for.js';
import type { Model } from '../models/model.js';
import { replaceable } from '../operators/replaceable.js';
import { codecOf } from '../pipeline/codec-of.js';
import { ModelDigest } from '../pipeline/progress/model-digest.js';
import { readTagger } from '../pipeline/reload/read-tagger.js';
import { Reloadable } from '../pipeline/reload/reloadable.js';
import { finishBeforeError } from '../pipeline/tagging/finish-before-error.js';
import { taggingStages } from '../pipeline/tagging/tagging-stages.js';
import { isSpanScheme } from '../text/tag-scheme.js';
import { refuseNotTold } from './refuse-not-told.js';
import { type ReloadChecks, readAgain } from './reload-checks.js';
import { type ReloadRequests, reloadRequests } from './reload-requests.js';
import type { Reporting } from './reporting.js';
import { isShown, type ShownModel } from './shown.js';
import { stopSignal } from './stop-signal.js';
import type { TagArguments } from './tag-arguments.js';
import { type TagInput, tagInput } from './tag-input.js';
import { tagProgress } from './tag-progress.js';
import { taggingOptions } from './tagging-options.js';
import { tellBlankLines } from './tell-blank-lines.js';
import { tellKept, tellReloaded } from './tell-reload.js';
import { tellStopped } from './tell-stopped.js';
import { toldDeadLetters } from './told-dead-letters.js';

/** Sentences that are decoded at once, and how long an unfinished batch of a slow stream waits. */
const batching = { sentences: 32, milliseconds: 20 };

/** Tags files, or the standard input, with a model, in this thread. */
export async function tagFiles(given: TagArguments, report: Reporting): Promise<void> {
  const stop = stopSignal(report, given.shutdownTimeout);
  let reloads: ReloadRequests | undefined;
  try {
    reloads = reloadRequests(given.watch === true ? given.model : undefined);
    const first = firstModel(given, report);
    const input = await waitFor(tagInput(given, first.checks.spec), stop);
    if (input === 'stopped') process.stdin.destroy();
    else if (input !== 'late') {
      await tagWith({ first, input, given, stopping: stop.signal, reloads, report });
    }
  } finally {
    reloads?.dispose();
    stop.dispose();
  }
}

/** The model as it is at the start, until it is taken. */
interface FirstModel {
  readonly checks: ReloadChecks;
  readonly shown: ShownModel;
  /** To be called once: nothing else holds on to it then, and it can leave memory. */
  take(): Model;
}

function firstModel(
  { model: file, kernel = 'simd', format: named }: TagArguments,
  { status }: Reporting,
): FirstModel {
  const read = readTagger(file, kernel);
  if (status !== undefined) status.modelDigest = contentDigest([read.bytes]);
  let first: Model | undefined = read.model;
  const spans = isSpanScheme(first.scheme);
  return {
    shown: { model: file, labels: [...first.labels.names], spans },
    checks: { file, kernel, spec: first.spec, named },
    take: () => {
      const model = first!;
      first = undefined;
      return model;
    },
  };
}

/** The models of a file, each for as long as it is the newest. */
function modelsOf(
  { checks, take }: FirstModel,
  format: string,
  { log, status }: Reporting,
  digest: ModelDigest,
): Reloadable<Model> {
  const again = () => {
    const { model, bytes } = readAgain(checks, format);
    if (status !== undefined) status.modelDigest = contentDigest([bytes]);
    return model;
  };
  return new Reloadable(take(), again, {
    onReloaded: () => {
      digest.renew();
      tellReloaded(checks.file, log);
    },
    onKept: error => tellKept(error, log),
  });
}

interface TagWork {
  readonly first: FirstModel;
  readonly input: TagInput;
  readonly given: TagArguments;
  readonly stopping: AbortSignal;
  readonly reloads: ReloadRequests;
  readonly report: Reporting;
}

async function tagWith(work: TagWork): Promise<void> {
  const { first, input, given, stopping, reloads, report } = work;
  const { log, status } = report;
  const { files } = input;
  const codec = codecOf(input.format);
  if (!isShown(given)) refuseNotTold(given, codec.name);
  const policy = codec.name === 'ndjson' ? 'skip' : 'fail';
  let ended = false;
  const isStopped = () => stopping.aborted && !ended;
  const deadLetters = toldDeadLetters(given, { policy }, log);
  const digest = new ModelDigest(given.model);
  const progress = await tagProgress({ given, input, deadLetters, report, digest, isStopped });
  const { output, writer } = await outputFor(given, first.shown, codec, progress?.output);
  const models = modelsOf(first, codec.name, report, digest);
  const reloading = reloads.requests.subscribe(() => models.reload());
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
    const stagesOf = (model: Model) => taggingStages(model, chosen, held, status?.batches);
    const versions = models.versions.pipe(map(stagesOf));
    const tagged = documents.pipe(finishBeforeError(replaceable(versions)));
    status?.begin();
    const options = { output: given.output };
    const hooks = { ledger, status, ...progress?.hooks };
    const { records } = await writeDocuments(tagged, output, writer, options, hooks);
    if (isStopped()) tellStopped(records, progress?.file ?? given.html ?? given.out, log);
  } finally {
    progress?.unlock();
    reloading.unsubscribe();
    deadLetters.finish();
    tellBlankLines(blank, log);
  }
}

/** Where the records go, and what writes them. */
async function outputFor(
  given: TagArguments,
  model: ShownModel,
  codec: Codec,
  kept: Output | undefined,
): Promise<{ output: Output; writer: Pick<Codec, 'write'> }> {
  if (isShown(given)) return (await import('./open-shown.js')).openShown(given, model);
  return { output: kept ?? (await openOutput(given.out)), writer: codec };
}
