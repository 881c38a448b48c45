import { resolve } from 'node:path';
import { TagstreamError } from '../../core/errors.js';
import type { Log } from '../../core/log.js';
import { lockDirectory } from '../../io/checkpoints/directory-lock.js';
import type { Codec } from '../../io/codecs/codec.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import { contentDigest } from '../../io/files/content-digest.js';
import { readBytes } from '../../io/reading/read-bytes.js';
import type { Output } from '../../io/writing/open-output.js';
import type { OutputRotation } from '../../io/writing/resumable-file.js';
import { openRecords } from '../../pipeline/open-sink.js';
import type { ModelDigest } from '../../pipeline/tagging/progress/model-digest.js';
import { type OpenProgress, openProgress } from '../../pipeline/tagging/progress/open-progress.js';
import { decodeOptions } from '../../pipeline/tagging/tagging-options.js';
import { outputOfRecords } from '../files/output-of-records.js';
import { checkpointEvents } from '../report/checkpoint-events.js';
import type { Reporting } from '../report/reporting.js';
import type { TagArguments } from './tag-arguments.js';
import type { TagInput } from './tag-input.js';
import { rulesOf } from './tagging-options.js';

/** Seconds between two checkpoints, by default. */
const defaultSeconds = 30;

/** What a tagging command needs to note how far it is. */
export interface TagProgressGiven {
  readonly given: TagArguments;
  readonly input: TagInput;
  readonly deadLetters: DeadLetters;
  readonly report: Reporting;
  readonly digest: ModelDigest;
  readonly isStopped: () => boolean;
}

/** When the output is rotated, if it is. */
function rotationOf({ rotateBytes, rotateSeconds }: TagArguments): OutputRotation | undefined {
  if (rotateBytes === undefined && rotateSeconds === undefined) return undefined;
  return { bytes: rotateBytes, seconds: rotateSeconds };
}

/** Opens the output of a run without checkpoints. */
export async function openTagged(
  given: TagArguments,
  format: string,
  options: { readonly signal: AbortSignal; readonly log?: Log },
  codec: Pick<Codec, 'recordFiles'> = {},
  inputs: readonly string[] = [],
): Promise<Output> {
  const rotation = rotationOf(given);
  if (rotation === undefined) return outputOfRecords(codec, given.out, inputs, options);
  return openRecords(given.out, { format, rotation });
}

/** Progress that is noted, and what gives its folder back. */
export interface TagProgress extends OpenProgress {
  unlock(): void;
}

/**
 * The progress of `tag --checkpoint`; undefined without it.
 *
 * @throws TagstreamError `usage` where the output cannot be resumed, `checkpoint` for a folder in use or
 *   of another run
 */
export async function tagProgress(options: TagProgressGiven): Promise<TagProgress | undefined> {
  const { given, input, deadLetters, report, digest, isStopped } = options;
  const { checkpoint: directory, checkpointSeconds, resume, out } = given;
  if (directory === undefined) return undefined;
  if (out === '-') {
    throw new TagstreamError('usage', '--checkpoint does not work with the standard output', {
      fix: 'name a file with --out: a resumed run truncates it to the checkpoint',
    });
  }
  const lock = lockDirectory(resolve(directory));
  try {
    const chosen = chosenOf(given);
    const progress = await openProgress({
      directory: resolve(directory),
      lock,
      seconds: checkpointSeconds ?? defaultSeconds,
      inputs: input.files,
      format: input.format.name,
      file: out,
      rotation: rotationOf(given),
      resume: resume === true,
      config: () => ({
        ...{ inputs: input.files, format: input.format, ...chosen },
        modelDigest: digest.value,
      }),
      ...{ deadLetters, isStopped, status: report.status },
      events: checkpointEvents(report.log),
    });
    return Object.assign(progress, { unlock: () => lock.release() });
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

/** All that says what becomes of records, small: each checkpoint has it, and of a dictionary and of rules their digests. */
function chosenOf(given: TagArguments) {
  const { output, scores, modelVersion, redact, dictionary, rules, ...decoding } = given;
  const words =
    typeof dictionary === 'string' ? contentDigest([readBytes(dictionary)]) : dictionary;
  const ruled =
    rules === undefined
      ? {}
      : { rules: contentDigest([Buffer.from(JSON.stringify(rulesOf(rules)))]) };
  const texts = redact === undefined ? {} : { redact };
  const chosen = { output, scores, modelVersion, ...decodeOptions(decoding), dictionary: words };
  return { ...chosen, ...ruled, ...texts };
}
