import { TagstreamError } from '../../engine/core/errors.js';
import type { IdsFrom } from '../../formats/codecs/ndjson/ndjson-format.js';
import type { NamedModel } from '../../runtime/io/read-model-bytes.js';
import type { PluginParts } from '../../runtime/pipeline/plugins/plugin-parts.js';
import type { TaggingOptions } from '../../runtime/pipeline/tagging/tagging-options.js';
import type { TokenizerArguments } from '../files/chosen-division.js';
import type { KernelArguments } from '../options/computing-options.js';
import type { FieldArguments } from '../options/field-options.js';
import type { NatsArguments } from '../options/nats-options.js';
import type {
  LogArguments,
  MetricsArguments,
  ShutdownArguments,
} from '../options/operation-options.js';
import type { BadRecordArguments, LimitArguments } from '../options/record-options.js';
import type { UseArguments } from '../options/use-option.js';
import type { ReloadsGiven } from '../signals/reload-requests.js';

/** Returns whether the output is tagged text for reading instead of records. */
export function isShown({ pretty, html }: Pick<TagArguments, 'pretty' | 'html'>): boolean {
  return pretty === true || html !== undefined;
}

/** Results that text for reading cannot contain. */
const onlyInRecords = ['nbest', 'probability', 'scores', 'modelVersion', 'into', 'redact'] as const;

/**
 * Refuses options that do not fit text for reading: it has no records from which a run could
 * resume, and is written by one thread.
 *
 * @throws TagstreamError `usage`
 */
export function refuseShown(
  given: Pick<
    TagArguments,
    | 'onBad'
    | 'pretty'
    | 'html'
    | 'out'
    | 'output'
    | 'checkpoint'
    | 'workers'
    | (typeof onlyInRecords)[number]
  >,
): void {
  if (!isShown(given)) return;
  const name = given.html === undefined ? '--pretty' : '--html';
  const refuse = (other: string, fix: string): never => {
    throw new TagstreamError('usage', `${name} cannot be combined with ${other}`, { fix });
  };
  if (given.html !== undefined && given.pretty === true) refuse('--pretty', 'choose one of them');
  if (given.html !== undefined && given.out !== '-') {
    refuse('--out', 'name only the file of the page: --html FILE');
  }
  if (given.output === 'tags') refuse('--output tags', 'leave --output out');
  if (given.checkpoint !== undefined) refuse('--checkpoint', 'leave it out, or write records');
  for (const result of onlyInRecords) {
    if ((given[result] ?? false) === false) continue;
    refuse(`--${optionName(result)}`, 'only records can hold it');
  }
  if (given.onBad?.some(policy => policy.endsWith('pass')) === true) {
    refuse('--on-bad pass', 'only records can hold an error');
  }
  if (given.workers !== 1) refuse('several workers', 'leave --workers out');
}

/** Returns the option name of an argument: `model-version` for `modelVersion`. */
export function optionName(argument: string): string {
  return argument.replace(/[A-Z]/g, capital => `-${capital.toLowerCase()}`);
}

/**
 * Rejects output rotation if no file is written, and invalid sizes and times.
 *
 * @throws TagstreamError `usage`
 */
export function requireRotation(given: TagArguments): void {
  const { out, rotateBytes, rotateSeconds } = given;
  if (rotateBytes === undefined && rotateSeconds === undefined) return;
  const refuse = (what: string, fix: string): never => {
    throw new TagstreamError('usage', what, { fix });
  };
  if (isShown(given))
    refuse('--pretty and --html do not rotate', 'leave the rotation out, or write records');
  if (out === '-') {
    refuse('--rotate-bytes and --rotate-seconds need a file', 'name one with --out');
  }
  if (rotateBytes !== undefined && !(Number.isSafeInteger(rotateBytes) && rotateBytes >= 1)) {
    refuse(`--rotate-bytes ${rotateBytes} is not a size`, 'give a whole number of at least 1');
  }
  if (rotateSeconds !== undefined && !(rotateSeconds > 0 && rotateSeconds <= 2 ** 31)) {
    refuse(`--rotate-seconds ${rotateSeconds} is not a duration`, 'give a number above 0');
  }
}

/** Arguments of `tag`. */
export interface TagArguments
  extends BadRecordArguments,
    FieldArguments,
    KernelArguments,
    ShutdownArguments,
    LimitArguments,
    LogArguments,
    MetricsArguments,
    NatsArguments,
    UseArguments,
    Pick<TokenizerArguments, 'tokenizer'>,
    Omit<TaggingOptions, 'dictionary' | 'modelId' | 'passing' | 'rules'> {
  readonly inputs: readonly string[];
  readonly model: string;
  /** Column of the model's tags, if it is named. */
  readonly column?: string | undefined;
  /** Models that tag after the first. */
  readonly further?: readonly NamedModel[] | undefined;
  readonly format?: string | undefined;
  /** Output format, if it differs from that of the input. */
  readonly to?: string | undefined;
  /** Loaded plug-ins; absent if there are none. */
  readonly plugins?: PluginParts | undefined;
  /** Source of ids for records that have none. */
  readonly ids?: IdsFrom | undefined;
  readonly out: string;
  readonly workers: number;
  /** Path of a dictionary file; false: no dictionary. */
  readonly dictionary?: string | false | undefined;
  /** Path of a rules file. */
  readonly rules?: string | undefined;
  readonly watch?: boolean | undefined;
  /** For a registry model: registers a listener for replacements of its file by another version. */
  readonly promotions?: ReloadsGiven['promotions'];
  /** Whether records contain the id of the model that tagged them. */
  readonly modelVersion?: boolean | undefined;
  /** Path of a checkpoint folder, so that the run can be resumed. */
  readonly checkpoint?: string | undefined;
  readonly checkpointSeconds?: number | undefined;
  /** Maximum bytes of an output file. */
  readonly rotateBytes?: number | undefined;
  /** Seconds after which an output file is closed. */
  readonly rotateSeconds?: number | undefined;
  readonly resume?: boolean | undefined;
  /** Path of a dead-letter file to read instead of the inputs. */
  readonly replay?: string | undefined;
  /** Whether to write text for a terminal instead of records. */
  readonly pretty?: boolean | undefined;
  /** Path of a page to write instead of records. */
  readonly html?: string | undefined;
}
