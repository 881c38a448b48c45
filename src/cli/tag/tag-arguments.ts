import type { IdsFrom } from '../../io/codecs/ndjson/give-id.js';
import type { PluginParts } from '../../pipeline/plugins/plugin-parts.js';
import type { TaggingOptions } from '../../pipeline/tagging/tagging-options.js';
import type { BadRecordArguments } from '../options/bad-record-options.js';
import type { FieldArguments } from '../options/field-options.js';
import type { KernelArguments } from '../options/kernel-option.js';
import type { LimitArguments } from '../options/limit-option.js';
import type { LogArguments } from '../options/log-options.js';
import type { MetricsArguments } from '../options/metrics-options.js';
import type { NatsArguments } from '../options/nats-options.js';
import type { ShutdownArguments } from '../options/shutdown-option.js';
import type { UseArguments } from '../options/use-option.js';
import type { ReloadsGiven } from '../signals/reload-requests.js';

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
    Omit<TaggingOptions, 'dictionary' | 'modelId' | 'passing' | 'rules'> {
  readonly inputs: readonly string[];
  readonly model: string;
  readonly format?: string | undefined;
  /** Plug-ins, loaded; absent where there are none. */
  readonly plugins?: PluginParts | undefined;
  /** What ids follow from that records without one are given. */
  readonly ids?: IdsFrom | undefined;
  readonly out: string;
  readonly workers: number;
  /** A file; false: no dictionary. */
  readonly dictionary?: string | false | undefined;
  /** A file. */
  readonly rules?: string | undefined;
  readonly watch?: boolean | undefined;
  /** Where the model is one of a registry: calls when its file has become that of another version. */
  readonly promotions?: ReloadsGiven['promotions'];
  /** Whether records have the id of their model. */
  readonly modelVersion?: boolean | undefined;
  /** A folder for checkpoints, so that the run can be resumed. */
  readonly checkpoint?: string | undefined;
  readonly checkpointSeconds?: number | undefined;
  /** Bytes of a file of the output at most. */
  readonly rotateBytes?: number | undefined;
  /** Seconds until a file of the output is closed. */
  readonly rotateSeconds?: number | undefined;
  readonly resume?: boolean | undefined;
  /** A file of dead letters, in place of the inputs. */
  readonly replay?: string | undefined;
  /** Text to be read on a terminal, in place of records. */
  readonly pretty?: boolean | undefined;
  /** Where a page goes, in place of records. */
  readonly html?: string | undefined;
}
