import type { ZodObject } from 'zod';
import type { TokenFunctionComponent } from '../features/template/token-function.js';
import type { LossComponent } from '../losses/loss-components.js';
import type { OptimizerComponent } from '../optimizers/optimizer.js';
import type {
  CodecDefinition,
  RecordFormat,
  StageContext,
  StageDefinition,
  StageItem,
  StageOperator,
  TransportDefinition,
} from './definitions.js';
import type { MessageTransport, TransportSetting } from './messages.js';

/** Where a plug-in was loaded from. */
export interface PluginModule {
  /** The package or file as named by the user. */
  readonly named: string;
  /** The file, which threads load too. */
  readonly file: string;
}

/** A checked plug-in: its components by kind, in the form of Tagstream's own. */
export interface LoadedPlugin {
  readonly name: string;
  /** Origin of the plug-in; absent if code passed the object. */
  readonly module?: PluginModule | undefined;
  readonly losses: readonly LossComponent<never>[];
  readonly optimizers: readonly OptimizerComponent<never>[];
  readonly codecs: readonly CodecComponent[];
  readonly transports: readonly TransportComponent[];
  readonly stages: readonly PluginStage[];
  readonly functions: readonly TokenFunctionComponent[];
}

/** A checked codec of a plug-in. */
export interface CodecComponent
  extends Pick<CodecDefinition, 'name' | 'summary' | 'records' | 'extensions'> {
  readonly example: string;
  readonly options: ZodObject;
  /** Description of the codec and its plug-in, for errors. */
  readonly what: string;
  create(options: unknown): RecordFormat;
}

/** A stage of a plug-in for pipeline files. */
export interface PluginStage extends Pick<StageDefinition, 'name' | 'summary' | 'on'> {
  readonly example: string;
  readonly options: ZodObject;
  readonly stateful: boolean;
  /** @throws TagstreamError `config` that names the stage if its code throws or its result is incomplete */
  create(options: unknown, context: StageContext): StageOperator<StageItem>;
}

/** A transport that reads messages. */
export type MessageOrigin = Required<Pick<MessageTransport, 'name' | 'read'>> &
  Pick<MessageTransport, 'state' | 'close'>;

/** A transport that writes messages. */
export type MessageTarget = Required<Pick<MessageTransport, 'name' | 'write'>> &
  Pick<MessageTransport, 'takes'>;

/** A transport for pipeline files, with checked options. */
export interface TransportComponent extends Pick<TransportDefinition, 'name' | 'summary'> {
  readonly example: string;
  readonly options: ZodObject;
  /** @throws TagstreamError `config` that names the transport if its code throws or its result is incomplete */
  reading(options: unknown, setting: TransportSetting): MessageOrigin;
  writing(options: unknown, setting: TransportSetting): MessageTarget;
}
