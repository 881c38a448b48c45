import { join } from 'node:path';
import { FlowLedger } from '../../../engine/core/delivery/flow-ledger.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import { counted } from '../../../engine/core/wording/numbers.js';
import { readsDocuments } from '../../../engine/features/template/parse-templates.js';
import { versionId } from '../../../engine/interfaces/model-address.js';
import { requireRulesFor } from '../../../engine/models/decoding/tag-rules.js';
import type { Model } from '../../../engine/models/model.js';
import { foreignFieldsNote } from '../../../formats/codecs/ndjson/record-fields.js';
import { contentDigest } from '../../../formats/files/node-parts.js';
import { inFlightName, lockDirectory } from '../../io/checkpoints/directory.js';
import { needsCare } from '../../io/sources/in-flight-note.js';
import { requireNoContext } from '../setup/require-no-context.js';
import { blockTaggerOf, type MixedTagger, requireSpans } from './mixed-tagger.js';
import { PlainTagger } from './plain/plain-tagger.js';
import { blockProgress } from './progress/block-progress.js';
import { openProgress } from './progress/open-progress.js';
import { Reloadable, readTagger, requireSameInput } from './reload/open-model.js';
import type { TaggingOptions } from './tagging-options.js';
import type { Newest, TaggingHooks, TaggingResult, TaggingRun, TaggingWay } from './tagging-run.js';
import { tagBlocks } from './write-tagged-blocks.js';

/**
 * Tags all records of a run on the fastest available path, with the newest model. Commits the output at the end. All
 * paths write the same output.
 *
 * @throws (rejects with) TagstreamError `file` if reading or writing fails, `model-...` and `config` for a model that
 * cannot fulfil the request, `checkpoint` for a folder that is in use or belongs to another run, or a bad record's
 * error if the dead letters throw it; the standard output then contains everything before it, whereas a file is not
 * kept
 */
export async function runTagging(run: TaggingRun): Promise<TaggingResult> {
  const { sink, checkpoint, signal, status, deadLetters, events } = run;
  let ended = false;
  let textless = 0;
  const isStopped = () => signal.aborted && !ended;
  const hooks: TaggingHooks = {
    ledger: new FlowLedger(),
    onEnd: () => {
      ended = true;
    },
    onBelow: once(() => events.onWarning?.('foreign-fields', foreignFieldsNote)),
    onTextless: records => {
      textless += records;
    },
  };
  const name = wayOf(run);
  // Ends idle threads.
  if (name !== 'threads') await run.pool?.close();
  const way = await ways[name](run, hooks);
  let unlock: (() => void) | undefined;
  try {
    const models = modelsOf(run, way);
    let lock = checkpoint?.lock;
    if (checkpoint !== undefined && lock === undefined) {
      const own = lockDirectory(checkpoint.directory);
      unlock = () => own.release();
      lock = own;
    }
    const progress =
      checkpoint &&
      (await openProgress({
        ...{ ...checkpoint, lock: lock!, file: sink.file, rotation: sink.rotation },
        ...{ inputs: run.source.files, recordEnd: run.source.codec.recordEnd },
        config: () => ({ ...checkpoint.identity, modelDigest: models.current.digest }),
        ...{ deadLetters, isStopped, status, events },
      }));
    const output = progress?.output ?? (name === 'messages' ? undefined : await sink.open());
    const endReloads = run.onReload?.(() => models.reload());
    const newest: Newest<unknown> = {
      get current() {
        return models.current.tagger;
      },
      onNew: listener => models.onNew(({ tagger }) => listener(tagger)),
    };
    try {
      const { records } = await way.tag(newest, { output: output!, progress });
      if (textless > 0 && textless === records && checkpoint?.resume !== true) throw noText(run);
      return { records, stopped: isStopped(), file: progress?.file };
    } finally {
      endReloads?.();
    }
  } finally {
    if (textless > 0) {
      const note = `${counted(textless, 'record')} without a text to redact, written unchanged`;
      events.onWarning?.('textless-records', note);
    }
    await way.close?.();
    unlock?.();
  }
}

/**
 * The path of records: message by message, in blocks of whole records in one or several threads, or one by one. All
 * paths write the same output.
 */
export type WayName = 'messages' | 'threads' | 'blocks' | 'records';

/**
 * Returns the fastest path that a run can take. Records go one by one if they are counted, selected or shown, if they
 * arrive or leave as messages of one record each, or if the model has no fast path for the format. A model that reads
 * previous sentences stays in one thread.
 *
 * @throws TagstreamError `config` if the results of a message must be sent together, but records must be processed one
 * by one
 */
export function wayOf(run: TaggingRun): WayName {
  const { source, sink, model, status, workers } = run;
  const isSingle = looksAtRecords(run);
  const takes = sink.target?.takes ?? 'records';
  if (takes !== 'records') {
    const isWhole = source.openTransport !== undefined && !isSingle;
    if (takes === 'messages' && !isWhole) throw notTogether(run);
    if (takes === 'messages') return 'messages';
    if (isWhole && status === undefined && source.codec.recordsAreLines) return 'messages';
  }
  if (isSingle || source.openTransport !== undefined || sink.target !== undefined) return 'records';
  if (workers > 1 && !readsDocuments(model.spec.templates, model.place.functions)) return 'threads';
  if (status !== undefined) return 'records';
  return PlainTagger.canTag(model.model, source.format) ? 'blocks' : 'records';
}

/**
 * Returns whether records are counted, selected or shown one by one, or whether one of them may have killed the
 * previous runs.
 */
function looksAtRecords({ source, sink, checkpoint, added }: TaggingRun): boolean {
  const { selection = {}, isGenerated = false } = source;
  if (isGenerated || Object.values(selection).some(part => part !== undefined)) return true;
  if (added !== undefined) return true;
  if ((sink.only ?? 'all') !== 'all' || sink.writer !== undefined) return true;
  if (checkpoint === undefined) return false;
  return checkpoint.records !== undefined || needsCare(join(checkpoint.directory, inFlightName));
}

type OpenWay = (
  run: TaggingRun,
  hooks: TaggingHooks,
) => TaggingWay<unknown> | Promise<TaggingWay<unknown>>;

/** All paths except the usual one are loaded on demand. */
const ways: Readonly<Record<WayName, OpenWay>> = {
  blocks: (run, hooks) => blocksWay(run, hooks) as TaggingWay<unknown>,
  records: async (run, hooks) =>
    (await import('./tag-records.js')).recordsWay(run, hooks) as TaggingWay<unknown>,
  threads: async (run, hooks) =>
    (await import('./tag-in-workers.js')).threadsWay(run, hooks) as TaggingWay<unknown>,
  messages: async (run, hooks) =>
    (await import('./messages/messages-way.js')).messagesWay(run, hooks) as TaggingWay<unknown>,
};

/** Tags blocks one after the other, in this thread. */
function blocksWay(
  { source, deadLetters, signal, sink, onBlank, ...run }: TaggingRun,
  { onEnd, onBelow, onTextless }: TaggingHooks,
): TaggingWay<MixedTagger> {
  const { files, codec, stdin } = source;
  return {
    make: blockTaggerOf({ source, ...run }),
    tag(newest, { output, progress }) {
      let last = newest.current;
      return tagBlocks({
        ...{ files, codec, stdin, output, deadLetters, signal },
        tag: task => {
          last = newest.current;
          return last.tag(task);
        },
        onWritten: sink.holdsWritten === true ? undefined : tagged => last.reuse(tagged),
        ...{ onBelow, onTextless, onBlank, onEnd },
        progress: progress && blockProgress(progress),
      });
    },
  };
}

/** A tagger made from a model, and the digest of its file, if requested. */
interface Made<Tagger> {
  readonly tagger: Tagger;
  readonly digest: string | undefined;
}

/** Returns the taggers of the first model of a run and of each replacement. */
function modelsOf<Tagger>(run: TaggingRun, way: TaggingWay<Tagger>): Reloadable<Made<Tagger>> {
  const { model, source, status, checkpoint, modelVersion, deadLetters, events } = run;
  const { place, spec } = model;
  const isAsked = modelVersion || status !== undefined || checkpoint !== undefined;
  const made = (bytes: Uint8Array, make: (options: TaggingOptions) => Tagger) => {
    const digest = isAsked ? contentDigest([bytes]) : undefined;
    const modelId = modelVersion ? versionId(digest!) : undefined;
    const tagger = make({ ...run.options, modelId, passing: deadLetters.passing });
    if (status !== undefined) status.modelDigest = digest;
    return { tagger, digest };
  };
  const first = () => {
    const { makeFirst } = way;
    if (makeFirst !== undefined) {
      if (checkpoint !== undefined) requireNoContext(spec);
      if (model.isBundle) requireResults(run);
      return made(model.bytes, options => makeFirst(model.bytes, options));
    }
    const read = model.take();
    requireAble(run, read.model);
    return made(read.bytes, options => way.make(read, options));
  };
  const again = () => {
    const read = readTagger(place);
    if (source.isOfModel === true) {
      requireSameInput(source.format.name, spec, read.model.spec, place.file);
    }
    requireAble(run, read.model);
    return made(read.bytes, options => way.make(read, options));
  };
  const report = { onReloaded: () => events.onReloaded?.(), onKept: events.onReloadRefused };
  const models = new Reloadable(first(), again, report);
  model.leave();
  return models;
}

/** @throws TagstreamError `config` for a model that cannot fulfil the request */
export function requireAble(run: TaggingRun, model: Model): void {
  const { options, checkpoint } = run;
  if (model.bundle !== undefined) requireResults(run);
  if (options.rules !== undefined) requireRulesFor(model, options.rules);
  if (options.redact !== undefined) requireSpans(model);
  if (checkpoint !== undefined) requireNoContext(model.spec);
}

/** @throws TagstreamError `config` for a format with room for only one tag per token */
function requireResults({ source, sink, place }: TaggingRun): void {
  const { name } = source.format.to ?? source.format;
  const { writesResults } = source.codec;
  if (writesResults === true || sink.writer !== undefined) return;
  throw new TagstreamError(
    'config',
    `the model has several taggers, but the format ${name} has room for the tags of only one`,
    {
      fix:
        place === undefined
          ? 'write another format: --to ndjson, conllu or conll'
          : 'write another format: sink: { format: ndjson }, conllu or conll',
    },
  );
}

function noText({ place }: TaggingRun): TagstreamError {
  return new TagstreamError('wrong-shape', 'no record has a text, so nothing was redacted', {
    ...(place !== undefined && { place: { source: place } }),
    fix: 'name the field of the text: textField (--text-field); all records were written unchanged',
  });
}

function notTogether({ place, sink }: TaggingRun): TagstreamError {
  return new TagstreamError(
    'config',
    `${sink.target!.name} sends all results of a message together, but this run processes records one by one`,
    {
      place: place === undefined ? {} : { source: place },
      fix: 'read records from a transport (from) and leave out limit, split, only and stages that do more than tag; or leave out together',
    },
  );
}

/** Returns a function that ignores all calls after the first. */
function once(call: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    call();
  };
}
