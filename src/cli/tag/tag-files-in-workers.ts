import { readsDocuments } from '../../features/context/reads-documents.js';
import { contentDigest } from '../../io/files/content-digest.js';
import { standardStreams } from '../../io/files/standard-streams.js';
import { versionId } from '../../io/nats/registry/version-id.js';
import { readBytes } from '../../io/reading/read-bytes.js';
import { readPipesAhead } from '../../io/reading/read-pipes-ahead.js';
import { waitFor } from '../../io/sources/wait-for.js';
import { readModelHeader } from '../../models/files/model-header.js';
import { codecOf } from '../../pipeline/catalogue/codec-of.js';
import { blockProgress } from '../../pipeline/tagging/progress/block-progress.js';
import { ModelDigest } from '../../pipeline/tagging/progress/model-digest.js';
import { Reloadable } from '../../pipeline/tagging/reload/reloadable.js';
import { type TaggingPool, tagInWorkers } from '../../pipeline/tagging/tag-in-workers.js';
import type { NewModel, TaggingSetup } from '../../pipeline/tagging/tagging-task.js';
import { warnOfForeignFields } from '../report/foreign-fields.js';
import { reportBlankLines } from '../report/report-blank-lines.js';
import { reportGuessed } from '../report/report-guessed.js';
import { reportKept, reportReloaded } from '../report/report-reload.js';
import { reportStopped } from '../report/report-stopped.js';
import { reportWritten } from '../report/report-written.js';
import { reportedDeadLetters } from '../report/reported-dead-letters.js';
import type { Reporting } from '../report/reporting.js';
import { type ReloadRequests, reloadRequests } from '../signals/reload-requests.js';
import { stopSignal } from '../signals/stop-signal.js';
import { refuseUnreported } from './refuse-unreported.js';
import { type ReloadChecks, readAgain, reloadsOf } from './reload-checks.js';
import { requireTagFilesApart } from './require-tag-files-apart.js';
import type { TagArguments } from './tag-arguments.js';
import { type TagInput, tagInput } from './tag-input.js';
import { openTagged, tagProgress } from './tag-progress.js';
import { taggingOptions } from './tagging-options.js';

/**
 * Tags files, or the standard input, with a model, in the worker threads of a pool, and ends them. False, with nothing
 * read but the model, where that looks at the sentences before: these have to be tagged in one thread.
 */
export async function tagFilesInWorkers(
  given: TagArguments,
  pool: TaggingPool,
  report: Reporting,
): Promise<boolean> {
  const stop = stopSignal(report, given.shutdownTimeout);
  let reloads: ReloadRequests | undefined;
  try {
    requireTagFilesApart(given);
    const { model: file, kernel = 'simd' } = given;
    reloads = reloadRequests(report.log, reloadsOf(given));
    await readPipesAhead([file, given.dictionary, given.rules], stop.signal);
    const modelBytes = shared(readBytes(file));
    const identifies = given.modelVersion === true;
    const isAsked = identifies || report.status !== undefined;
    const modelDigest = isAsked ? contentDigest([new Uint8Array(modelBytes)]) : undefined;
    if (report.status !== undefined) report.status.modelDigest = modelDigest;
    const { spec } = readModelHeader(new Uint8Array(modelBytes), file);
    if (readsDocuments(spec.templates, given.plugins?.functions)) return false;
    const input = await waitFor(tagInput(given, spec), stop);
    if (input === 'stopped') standardStreams().stdin.destroy();
    if (input === 'stopped' || input === 'late') return true;
    const { format } = input;
    if (input.guessed === true) reportGuessed(input.files[0]!, report.log);
    refuseUnreported(given, format.name);
    const modelId = identifies ? versionId(modelDigest!) : undefined;
    const options = { ...taggingOptions(given), modelId };
    const { functions, modules } = given.plugins ?? {};
    const codec = format;
    const setup = { modelBytes, modelFile: file, kernel, codec, options, modules };
    const digest = new ModelDigest(file);
    const models = newModels(
      { file, kernel, spec, named: given.format, functions },
      identifies,
      format.name,
      report,
      digest,
    );
    reloads.onRequest(() => models.reload());
    await tagWith({ pool, setup, input, given, signal: stop.signal, models, digest, report });
    return true;
  } finally {
    reloads?.dispose();
    await pool.close();
    stop.dispose();
  }
}

/** The newest model of a file, once it is not the first one any more. */
function newModels(
  checks: ReloadChecks,
  identifies: boolean,
  format: string,
  { log, status }: Reporting,
  digest: ModelDigest,
): Reloadable<NewModel | undefined> {
  let generation = 0;
  const make = (): NewModel => {
    // Read here too, so that what is bad gets to no worker.
    const { bytes } = readAgain(checks, format);
    generation += 1;
    const digest = contentDigest([bytes]);
    if (status !== undefined) status.modelDigest = digest;
    const modelId = identifies ? versionId(digest) : undefined;
    return { generation, bytes: shared(bytes), modelId };
  };
  return new Reloadable<NewModel | undefined>(undefined, make, {
    onReloaded: () => {
      digest.renew();
      reportReloaded(checks.file, log);
    },
    onKept: error => reportKept(error, log),
  });
}

interface TagWork {
  readonly pool: TaggingPool;
  readonly setup: TaggingSetup;
  readonly input: TagInput;
  readonly given: TagArguments;
  readonly signal: AbortSignal;
  readonly models: Reloadable<NewModel | undefined>;
  readonly digest: ModelDigest;
  readonly report: Reporting;
}

async function tagWith(work: TagWork): Promise<void> {
  const { pool, setup, input, given, signal, models, digest, report } = work;
  const { log, status } = report;
  const codec = codecOf(setup.codec, given.plugins?.sources);
  const policy = codec.lenient === true ? 'skip' : 'fail';
  const written = { format: codec.name, output: given.output };
  const deadLetters = await reportedDeadLetters(given, { policy }, log, signal, written);
  let ended = false;
  const isStopped = () => signal.aborted && !ended;
  const progress = await tagProgress({ given, input, deadLetters, report, digest, isStopped });
  const of = given.output === 'tags' ? {} : codec;
  const output =
    progress?.output ??
    (await openTagged(given, input.format.name, { signal, log }, of, input.files));
  let blank = 0;
  try {
    const { records } = await tagInWorkers({
      ...{ files: input.files, codec, pool, output, deadLetters, signal },
      setup: { ...setup, options: { ...setup.options, passing: deadLetters.passing } },
      newModel: () => models.current,
      reusesMemory: true,
      onBelow: warnOfForeignFields(log),
      onBlank: lines => {
        blank += lines;
      },
      status,
      onReady: () => status?.begin(),
      onEnd: () => {
        ended = true;
      },
      progress: progress && blockProgress(progress),
    });
    if (isStopped()) reportStopped(records, progress?.file ?? given.out, log);
    else if (progress !== undefined) reportWritten(records, given.out, log);
  } finally {
    progress?.unlock();
    await deadLetters.finish();
    reportBlankLines(blank, log, codec.name);
  }
}

/** Memory that threads share, with a copy of bytes in it. */
function shared(bytes: Uint8Array): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes.length);
  new Uint8Array(memory).set(bytes);
  return memory;
}
