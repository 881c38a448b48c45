import { map } from 'rxjs';
import { FlowLedger } from '../core/flow-ledger.js';
import type { Codec } from '../io/codec.js';
import { contentDigest } from '../io/content-digest.js';
import { writeDocuments } from '../io/document-sink.js';
import { documentSource } from '../io/document-source.js';
import { openOutput } from '../io/open-output.js';
import { waitFor } from '../io/wait-for.js';
import type { Model } from '../models/model.js';
import { replaceable } from '../operators/replaceable.js';
import { readTagger } from '../pipeline/reload/read-tagger.js';
import { Reloadable } from '../pipeline/reload/reloadable.js';
import { finishBeforeError } from '../pipeline/tagging/finish-before-error.js';
import { taggingStages } from '../pipeline/tagging/tagging-stages.js';
import { deadLettersOf } from './bad-record-options.js';
import { inputCodec } from './input-format.js';
import { type ReloadChecks, readAgain } from './reload-checks.js';
import { type ReloadRequests, reloadRequests } from './reload-requests.js';
import type { Reporting } from './reporting.js';
import { stopSignal } from './stop-signal.js';
import type { TagArguments } from './tag-arguments.js';
import { tellBlankLines } from './tell-blank-lines.js';
import { tellKept, tellReloaded } from './tell-reload.js';
import { tellStopped } from './tell-stopped.js';

/** Sentences that are decoded at once, and how long an unfinished batch of a slow stream waits. */
const batching = { sentences: 32, milliseconds: 20 };

/** Tags files, or the standard input, with a model, in this thread. */
export async function tagFiles(given: TagArguments, report: Reporting): Promise<void> {
  const stop = stopSignal(report, given.shutdownTimeout);
  let reloads: ReloadRequests | undefined;
  try {
    reloads = reloadRequests(given.watch === true ? given.model : undefined);
    const first = firstModel(given, report);
    const { spec, named } = first.checks;
    const hints = { file: given.inputs[0]!, named, spec, untagged: true };
    const codec = await waitFor(inputCodec(hints, process.stdin), stop);
    if (codec === 'stopped') process.stdin.destroy();
    else if (codec !== 'late') {
      await tagWith({ first, codec, given, stopping: stop.signal, reloads, report });
    }
  } finally {
    reloads?.dispose();
    stop.dispose();
  }
}

/** The model as it is at the start, until it is taken. */
interface FirstModel {
  readonly checks: ReloadChecks;
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
  return {
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
): Reloadable<Model> {
  const again = () => {
    const { model, bytes } = readAgain(checks, format);
    if (status !== undefined) status.modelDigest = contentDigest([bytes]);
    return model;
  };
  return new Reloadable(take(), again, {
    onReloaded: () => tellReloaded(checks.file, log),
    onKept: error => tellKept(error, log),
  });
}

interface TagWork {
  readonly first: FirstModel;
  readonly codec: Codec;
  readonly given: TagArguments;
  readonly stopping: AbortSignal;
  readonly reloads: ReloadRequests;
  readonly report: Reporting;
}

async function tagWith(work: TagWork): Promise<void> {
  const { first, codec, given, stopping, reloads, report } = work;
  const { log, status } = report;
  const deadLetters = deadLettersOf(given, codec.name === 'ndjson', log);
  const output = await openOutput(given.out);
  const models = modelsOf(first, codec.name, report);
  const reloading = reloads.requests.subscribe(() => models.reload());
  const ledger = new FlowLedger();
  let blank = 0;
  let ended = false;
  try {
    const documents = documentSource({
      ...{ files: given.inputs, codec, deadLetters, ledger, signal: stopping },
      onBlank: () => {
        blank += 1;
      },
      onEnd: () => {
        ended = true;
      },
      status,
    });
    const held = { ...batching, ledger };
    const stagesOf = (model: Model) => taggingStages(model, given, held, status?.batches);
    const versions = models.versions.pipe(map(stagesOf));
    const tagged = documents.pipe(finishBeforeError(replaceable(versions)));
    status?.begin();
    const options = { output: given.output };
    const hooks = { ledger, status };
    const { records } = await writeDocuments(tagged, output, codec, options, hooks);
    if (stopping.aborted && !ended) tellStopped(records, given.out, log);
  } finally {
    reloading.unsubscribe();
    deadLetters.finish(given.deadLetter);
    tellBlankLines(blank, log);
  }
}
