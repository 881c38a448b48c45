import { resolve } from 'node:path';
import { TagstreamError } from '../../engine/core/errors.js';
import { kernels } from '../../engine/models/kernels.js';
import type { ModelSpec } from '../../engine/models/model-spec.js';
import { redactionPattern } from '../../engine/text/redact.js';
import type { Codec } from '../../formats/codecs/codec.js';
import { traitsOf } from '../../formats/codecs/format-traits.js';
import { ndjsonFormat } from '../../formats/codecs/ndjson/ndjson-format.js';
import { defaultKey } from '../../formats/codecs/ndjson/record-fields.js';
import { contentDigest } from '../../formats/files/node-parts.js';
import { standardStreams } from '../../formats/files/standard-streams.js';
import { sourceName } from '../../formats/reading/open-input.js';
import { readBytes, readPipesAhead, readsOnce } from '../../formats/reading/read-bytes.js';
import { checkpointNames } from '../../runtime/io/checkpoints/directory.js';
import type { DeadLetters } from '../../runtime/io/dead-letters/dead-letters.js';
import { withRotations } from '../../runtime/io/dead-letters/rotations.js';
import { waitFor } from '../../runtime/io/sources/wait-for.js';
import { resumableUses } from '../../runtime/io/written-uses.js';
import { plainFormat, writtenFormat } from '../../runtime/pipeline/blocks/plain-format.js';
import type { CodecChoice } from '../../runtime/pipeline/catalogue/codec-of.js';
import type { TokenizeStageOptions } from '../../runtime/pipeline/options/tokenize-options.js';
import {
  isAskedFor,
  results,
  unreportedResult,
} from '../../runtime/pipeline/options/unreported-result.js';
import { OpenModel } from '../../runtime/pipeline/tagging/reload/open-model.js';
import { runTagging } from '../../runtime/pipeline/tagging/run-tagging.js';
import {
  decodeOptions,
  readDictionary,
  type TaggingOptions,
} from '../../runtime/pipeline/tagging/tagging-options.js';
import type {
  TaggingCheckpoint,
  TaggingPool,
  TaggingRun,
  TaggingSink,
} from '../../runtime/pipeline/tagging/tagging-run.js';
import { chosenDeadLetters } from '../files/chosen-dead-letters.js';
import { chosenDivision, namedDivision, tokenizerFile } from '../files/chosen-division.js';
import { inputFormat } from '../files/input-format.js';
import { outputOfRecords } from '../files/output-of-records.js';
import { requireFilesApart } from '../files/require-files.js';
import { hasFields, withFields } from '../options/field-options.js';
import { filesUsed } from '../options/use-option.js';
import { checkpointEvents } from '../report/checkpoint-events.js';
import { reportedDeadLetters } from '../report/reported-dead-letters.js';
import type { Reporting } from '../report/reporting.js';
import {
  reportBlankLines,
  reportGuessed,
  reportKept,
  reportReloaded,
  reportStopped,
  reportWritten,
} from '../report/run-messages.js';
import { type ReloadRequests, reloadRequests } from '../signals/reload-requests.js';
import { stopSignal } from '../signals/stop-signal.js';
import { isShown, optionName, type TagArguments } from './refuse-shown.js';

/** Default seconds between two checkpoints. */
const defaultSeconds = 30;

/** Maximum number of sentences decoded at once, without waiting for more. */
const batching = { sentences: 32, milliseconds: 0 };

/**
 * Tags files, or the standard input, with a model.
 *
 * @param pool tagging workers; default: only this thread
 */
export async function tagFiles(
  given: TagArguments,
  report: Reporting,
  pool?: TaggingPool,
): Promise<void> {
  const { model: file, column, further = [], kernel = 'simd', plugins } = given;
  const { watch, promotions } = given;
  const tokenizer = tokenizerFile(given);
  const stop = stopSignal(report, given.shutdownTimeout);
  let reloads: ReloadRequests | undefined;
  try {
    requireTagFilesApart(given);
    reloads = reloadRequests(report.log, {
      watched:
        watch === true
          ? [
              file,
              ...further.map(each => each.file),
              ...(tokenizer === undefined ? [] : [tokenizer]),
            ]
          : [],
      promotions,
    });
    await readPipesAhead(
      [file, ...further.map(each => each.file), tokenizer, given.dictionary, given.rules],
      stop.signal,
    );
    const { functions, modules = [] } = plugins ?? {};
    const read = { kernel: kernels[kernel], functions, modules: () => modules };
    const division = chosenDivision(given);
    const place = { file, column, further, tokenizer: division?.model, ...read };
    const model = new OpenModel(place, pool !== undefined);
    const input = await waitFor(tagInput(given, model.spec), stop);
    if (input === 'stopped') standardStreams().stdin.destroy();
    if (input === 'stopped' || input === 'late') return;
    if (input.guessed === true) {
      reportGuessed(input.files[0]!, input.format, report.log);
    }
    await tagWith({ given, input, model, division, signal: stop.signal, reloads, report, pool });
  } finally {
    reloads?.dispose();
    stop.dispose();
  }
}

/** Settings that `tag` has determined before it begins to read. */
interface TagWork {
  readonly given: TagArguments;
  readonly input: TagInput;
  readonly model: OpenModel;
  /** Tokenization of texts, if given. */
  readonly division: TokenizeStageOptions | undefined;
  readonly signal: AbortSignal;
  readonly reloads: ReloadRequests;
  readonly report: Reporting;
  readonly pool: TaggingPool | undefined;
}

async function tagWith(work: TagWork): Promise<void> {
  const { given, input, signal, report } = work;
  const { log } = report;
  if (!isShown(given)) refuseUnreported(given, (input.format.to ?? input.format).name);
  const codec = await codecFor(input.format, given.plugins?.sources);
  const policy = codec.lenient === true ? 'skip' : 'fail';
  // A blank text is no fault, but has no sentence in columns.
  const isKept = policy === 'skip' || given.deadLetter !== undefined;
  const policies = isKept ? {} : ({ 'empty-sentence': 'skip' } as const);
  const written = { format: codec.name, to: input.format.to?.name, output: given.output };
  const deadLetters = await reportedDeadLetters(given, { policy, policies }, log, signal, written);
  let blank = 0;
  const onBlank = (lines: number) => {
    blank += lines;
  };
  try {
    const { records, stopped, file } = await runTagging({
      ...(await taggingRun(work, codec, deadLetters)),
      onBlank,
    });
    if (stopped) reportStopped(records, file ?? given.html ?? given.out, log);
    else if (given.checkpoint !== undefined) reportWritten(records, given.out, log);
  } finally {
    await deadLetters.finish();
    reportBlankLines(blank, log, codec.name);
  }
}

/** Returns the codec of a format; schemas are loaded only if needed. */
async function codecFor(
  format: CodecChoice,
  sources: TaggingRun['source']['sources'],
): Promise<Codec> {
  const plain = plainFormat(format);
  if (plain !== undefined) return ndjsonFormat(plain);
  return (await import('../../runtime/pipeline/catalogue/codec-of.js')).codecOf(format, sources);
}

/** Builds the run from the arguments of `tag`, and reads a dictionary and rules. */
async function taggingRun(
  { given, input, model, division, signal, reloads, report, pool }: TagWork,
  codec: Codec,
  deadLetters: DeadLetters,
): Promise<TaggingRun> {
  const { output, scores, redact, dictionary, rules, ...decoding } = given;
  const { log, status } = report;
  const sink = isShown(given)
    ? (await import('./open-shown.js')).shownSink(given, model.model, signal)
    : { open: opening(given, input, codec, { signal, log }) };
  const read = { dictionary: readDictionary(dictionary), rules: await rulesOf(rules) };
  return {
    source: {
      ...{ files: input.files, format: input.format, codec, sources: given.plugins?.sources },
      selection: { limit: given.limit },
      // Options given after a colon are not those of the model.
      isOfModel: given.format?.includes(':') !== true,
    },
    model,
    options: {
      ...{ output, scores, redact, passesTextless: redact !== undefined },
      ...decodeOptions({ ...decoding, ...read }),
    },
    modelVersion: given.modelVersion === true,
    tokenize: namedDivision(division, model.spec),
    batching,
    sink: { ...sink, file: given.out, rotation: rotationOf(given) },
    checkpoint: checkpointOf(given, input, read.rules),
    ...{ workers: given.workers, pool, deadLetters, signal, status },
    events: {
      ...checkpointEvents(log),
      onReloaded: () => reportReloaded(given.model, log),
      onReloadRefused: error => reportKept(error, log),
      onWarning: (code, message) =>
        log.warn(message, code === 'foreign-fields' ? { into: defaultKey } : { code }),
    },
    onReload: listener => reloads.onRequest(listener),
  };
}

/** Returns the rotation settings of the output; undefined if it is not rotated. */
function rotationOf({ rotateBytes, rotateSeconds }: TagArguments): TaggingSink['rotation'] {
  if (rotateBytes === undefined && rotateSeconds === undefined) return undefined;
  return { bytes: rotateBytes, seconds: rotateSeconds };
}

/** Opens the output for records. */
function opening(
  given: TagArguments,
  { files }: TagInput,
  codec: Codec,
  options: Pick<Reporting, 'log'> & { readonly signal: AbortSignal },
): TaggingSink['open'] {
  const rotation = rotationOf(given);
  // Records shortened by `--output tags` never have their own files.
  const inFiles = given.output === 'tags' ? {} : codec;
  return async () => {
    if (rotation === undefined) return outputOfRecords(inFiles, given.out, files, options);
    const { openRecords } = await import('../../runtime/pipeline/open-sink.js');
    return openRecords(given.out, { recordEnd: codec.recordEnd, rotation });
  };
}

/**
 * Returns the checkpoint settings of the run; undefined without `--checkpoint`.
 *
 * @throws TagstreamError `usage` if the output cannot be resumed
 */
function checkpointOf(
  given: TagArguments,
  { files: inputs, format }: TagInput,
  rules: TaggingOptions['rules'],
): TaggingCheckpoint | undefined {
  const { checkpoint, checkpointSeconds: seconds = defaultSeconds, resume = false } = given;
  if (checkpoint === undefined) return undefined;
  if (given.out === '-') {
    throw new TagstreamError('usage', '--checkpoint cannot be combined with standard output', {
      fix: 'name a file with --out: a resumed run truncates it to the checkpoint',
    });
  }
  const identity = { inputs, format, ...chosenOf(given, rules) };
  // The list may grow; the file that was being read must be in it.
  const mayChange = ([setting]: readonly string[]) => setting === 'inputs';
  return { directory: resolve(checkpoint), seconds, resume, identity, mayChange };
}

/**
 * Returns all settings that determine the results, kept small because each checkpoint contains
 * them: a dictionary and rules are represented by digests.
 */
function chosenOf(given: TagArguments, rules: TaggingOptions['rules']) {
  const { output, scores, modelVersion, redact, dictionary, rules: _, ...decoding } = given;
  const { tokenizer } = given;
  const words =
    typeof dictionary === 'string' ? contentDigest([readBytes(dictionary)]) : dictionary;
  return {
    ...{ output, scores, modelVersion, ...decodeOptions(decoding), dictionary: words },
    ...(rules && { rules: contentDigest([Buffer.from(JSON.stringify(rules))]) }),
    ...(redact === undefined ? {} : { redact }),
    ...(tokenizer === undefined ? {} : { tokenizer }),
  };
}

/** Reads rules from a file, which requires loading schemas. */
async function rulesOf(file: string | undefined): Promise<TaggingOptions['rules']> {
  if (file === undefined) return undefined;
  return (await import('../../runtime/pipeline/options/rule-options.js')).readRulesFile(file);
}

/** Input of `tag`. */
interface TagInput {
  readonly files: readonly string[];
  readonly format: CodecChoice;
  /** Whether the format was guessed from the beginning of the input. */
  readonly guessed?: boolean;
}

/**
 * Returns the input of `tag`: its inputs, or dead letters and their rotated files, oldest first.
 * Dead letters from a source whose name does not show the format are NDJSON if the first one has an
 * error of that format.
 *
 * @throws TagstreamError `usage` for inputs given with a replay, and for ids or fields in a format
 * without them; `file` if an input cannot be read
 */
async function tagInput(given: TagArguments, spec: ModelSpec): Promise<TagInput> {
  const { inputs, format, ids, replay, plugins } = given;
  const named = format ?? (hasFields(given) ? 'ndjson' : undefined);
  const hints = { file: inputs[0]!, named, spec, untagged: true, sources: plugins?.sources };
  if (replay === undefined) {
    const { guessed, ...format } = await inputFormat(hints, standardStreams().stdin);
    const chosen = writtenIn(given, withFields(withIds(format, ids), given), spec);
    return { files: inputs, format: chosen, guessed: guessed === true };
  }
  if (inputs.some(input => input !== '-')) {
    throw new TagstreamError('usage', '--replay cannot be combined with inputs', {
      fix: 'leave one of them out',
    });
  }
  if (replay === '-') {
    throw new TagstreamError('usage', '--replay needs a file', {
      fix: 'name it: --replay FILE',
    });
  }
  const files = withRotations(replay);
  const found = await inputFormat(
    { ...hints, file: await nameOf(files), beginning: '' },
    standardStreams().stdin,
  );
  return { files, format: { ...withFields(withIds(found, ids), given), replay: true } };
}

/**
 * Adds the output format if it differs, with the tags in the same column as in the model's data.
 *
 * @throws TagstreamError `usage` if the format contradicts the form of the output
 */
function writtenIn(given: TagArguments, format: CodecChoice, { input }: ModelSpec): CodecChoice {
  const { to } = given;
  if (to === undefined) return format;
  const other = (['output', 'redact', 'pretty', 'html', 'into', 'replay'] as const).find(name =>
    name === 'output' ? given.output !== 'record' : (given[name] ?? false) !== false,
  );
  if (other !== undefined) {
    throw new TagstreamError('usage', `--to cannot be combined with --${other}`, {
      fix: 'leave one of them out',
    });
  }
  // Given options keep their order and their values.
  const more = { ...format.options, ...traitsOf(format.name).toConvert, ...format.options };
  return { ...format, options: more, to: writtenFormat(to, input) };
}

/** @throws TagstreamError `usage` if records of the format cannot get ids */
function withIds(format: CodecChoice, ids: TagArguments['ids']): CodecChoice {
  if (ids === undefined) return format;
  if (traitsOf(format.name).hasFields === true)
    return { ...format, options: { ...format.options, ids } };
  throw new TagstreamError('usage', `records in the format ${format.name} cannot be given ids`, {
    fix: 'leave --ids out, or convert the input to NDJSON',
  });
}

/**
 * Returns the input name of the rejected records, or a substitute that shows their format if it is
 * known.
 */
async function nameOf(files: readonly string[]): Promise<string> {
  const unknown = 'letters';
  if (files.some(readsOnce)) return unknown;
  const { firstRejected } = await import('../../runtime/io/dead-letters/first-rejected.js');
  const first = await firstRejected(files);
  if (first === undefined) return unknown;
  const { source } = first.position;
  if (['not-json', 'not-an-object'].includes(first.error.code)) return '.ndjson';
  if (source !== sourceName('-')) return source;
  return /^\s*\{/.test(Buffer.from(first.raw).toString()) ? '.ndjson' : unknown;
}

/**
 * Requires that `tag` does not write a file that it reads, or that it writes for another purpose.
 *
 * @throws TagstreamError `usage`
 */
function requireTagFilesApart(given: TagArguments): void {
  const { inputs, model, further = [], dictionary, rules, replay, out, html, checkpoint } = given;
  const isReplay = replay !== undefined && replay !== '-';
  const resumable = checkpoint !== undefined && out !== '-';
  requireFilesApart({
    reads: {
      ...(isReplay ? { 'the dead letters to replay': withRotations(replay) } : {}),
      ...(replay === undefined ? { 'the input': inputs } : {}),
      'the model': [model, ...further.map(({ file }) => file)],
      'the model of the tokenizer': tokenizerFile(given),
      'the dictionary': dictionary === false ? undefined : dictionary,
      'the rules': rules,
      'the plug-in': filesUsed(given),
    },
    writes: {
      'the page': html,
      'the output': resumable || html !== undefined ? undefined : out,
    },
    more: [
      ...(resumable ? resumableUses(out) : []),
      ...(checkpoint === undefined
        ? []
        : [{ path: checkpoint, what: 'the folder of checkpoints', names: checkpointNames }]),
    ],
    deadLetters: chosenDeadLetters(given, { policy: 'skip' }, true),
  });
}

/**
 * Rejects results that would be computed but not written.
 *
 * @throws TagstreamError `usage`
 */
function refuseUnreported(given: TagArguments, format: string): void {
  if (given.into !== undefined && given.output === 'tags') {
    throw new TagstreamError('usage', '--into cannot be combined with --output tags', {
      fix: 'leave one of them out: --output tags writes only id and tags',
    });
  }
  if (given.redact !== undefined) refuseBesideText(given, format);
  const found = unreportedResult(given, format, given.output);
  if (found === undefined) return;
  const { result, because, fix } = found;
  throw new TagstreamError('usage', `--${optionName(result)} would not be written: ${because}`, {
    fix,
  });
}

/**
 * Rejects results that redacted texts cannot contain, and output that would reveal the redacted
 * text.
 */
function refuseBesideText(given: TagArguments, format: string): void {
  redactionPattern(given.redact!);
  const refuse = (problem: string, fix: string): never => {
    throw new TagstreamError('usage', `--redact ${problem}`, { fix });
  };
  if (traitsOf(format).writesJson !== true) {
    refuse(`cannot be combined with records of the format ${format}`, 'read NDJSON or text');
  }
  if (given.output === 'tags')
    refuse('cannot be combined with --output tags', 'leave one of them out');
  if (given.into !== undefined)
    refuse('cannot be combined with --into: no results are written', 'leave one of them out');
  if (given.onBad?.some(policy => policy.endsWith('pass')) === true) {
    refuse(
      'cannot be combined with --on-bad pass: bad records would not be redacted',
      'use skip or dead-letter',
    );
  }
  const result = results.find(name => isAskedFor(given, name));
  if (result !== undefined) {
    refuse(
      `cannot be combined with --${optionName(result)}: no results are written`,
      'leave one of them out',
    );
  }
}
