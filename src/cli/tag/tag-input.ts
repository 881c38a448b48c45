import { TagstreamError } from '../../core/errors.js';
import { withRotations } from '../../io/dead-letters/rotation-name.js';
import { standardStreams } from '../../io/files/standard-streams.js';
import { sourceName } from '../../io/reading/open-input.js';
import { readsOnce } from '../../io/reading/reads-once.js';
import type { ModelSpec } from '../../models/model-spec.js';
import type { CodecChoice } from '../../pipeline/catalogue/codec-of.js';
import { inputFormat } from '../files/input-format.js';
import { hasFields, withFields } from '../options/field-options.js';
import type { TagArguments } from './tag-arguments.js';

/** What `tag` reads. */
export interface TagInput {
  readonly files: readonly string[];
  readonly format: CodecChoice;
  /** The format was guessed from what the input begins with. */
  readonly guessed?: boolean;
}

/**
 * What `tag` reads: its inputs, or dead letters and what they were rotated to, the oldest first. They
 * that do not come from a file whose name shows the format are NDJSON where the first of them is a fault of
 * that format.
 *
 * @throws TagstreamError `usage` for inputs given with a replay, and ids or fields for a format without, `file` for one that cannot be read
 */
export async function tagInput(given: TagArguments, spec: ModelSpec): Promise<TagInput> {
  const { inputs, format, ids, replay, plugins } = given;
  const named = format ?? (hasFields(given) ? 'ndjson' : undefined);
  const hints = { file: inputs[0]!, named, spec, untagged: true, sources: plugins?.sources };
  if (replay === undefined) {
    const { guessed, ...format } = await inputFormat(hints, standardStreams().stdin);
    const chosen = withFields(withIds(format, ids), given);
    return { files: inputs, format: chosen, guessed: guessed === true };
  }
  if (inputs.some(input => input !== '-')) {
    throw new TagstreamError('usage', '--replay and inputs contradict each other', {
      fix: 'leave one of them out',
    });
  }
  if (replay === '-') {
    throw new TagstreamError('usage', 'dead letters are read from a file', {
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

/** @throws TagstreamError `usage` where records of the format cannot be given ids */
function withIds(format: CodecChoice, ids: TagArguments['ids']): CodecChoice {
  if (ids === undefined) return format;
  if (format.name === 'ndjson') return { ...format, options: { ...format.options, ids } };
  throw new TagstreamError('usage', `records in the format ${format.name} cannot be given ids`, {
    fix: 'leave --ids out, or convert the input to NDJSON',
  });
}

/** A name as that of the input that the rejected records come from, as far as it shows the format. */
async function nameOf(files: readonly string[]): Promise<string> {
  const unknown = 'letters';
  if (files.some(readsOnce)) return unknown;
  const { firstRejected } = await import('../../io/dead-letters/first-rejected.js');
  const first = await firstRejected(files);
  if (first === undefined) return unknown;
  const { source } = first.position;
  if (['not-json', 'not-an-object'].includes(first.error.code)) return '.ndjson';
  if (source !== sourceName('-')) return source;
  return /^\s*\{/.test(Buffer.from(first.raw).toString()) ? '.ndjson' : unknown;
}
