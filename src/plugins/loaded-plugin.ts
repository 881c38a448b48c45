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
  /** The package or file as it was named. */
  readonly named: string;
  /** The file itself, which threads load too. */
  readonly file: string;
}

/** A plug-in that was checked: its components by kind, as those of Tagstream are. */
export interface LoadedPlugin {
  readonly name: string;
  /** Absent where code gave the plug-in itself. */
  readonly module?: PluginModule | undefined;
  readonly losses: readonly LossComponent<never>[];
  readonly optimizers: readonly OptimizerComponent<never>[];
  readonly codecs: readonly CodecComponent[];
  readonly transports: readonly TransportComponent[];
  readonly stages: readonly PluginStage[];
  readonly functions: readonly TokenFunctionComponent[];
}

/** A codec of a plug-in that was checked. */
export interface CodecComponent
  extends Pick<CodecDefinition, 'name' | 'summary' | 'records' | 'extensions'> {
  readonly example: string;
  readonly options: ZodObject;
  /** The codec and its plug-in, for errors. */
  readonly what: string;
  create(options: unknown): RecordFormat;
}

/** A stage of a plug-in as pipeline files name it. */
export interface PluginStage extends Pick<StageDefinition, 'name' | 'summary' | 'on'> {
  readonly example: string;
  readonly options: ZodObject;
  readonly stateful: boolean;
  /** @throws TagstreamError `config` that names it, for what it throws or lacks */
  create(options: unknown, context: StageContext): StageOperator<StageItem>;
}

/** A transport that brings messages. */
export type MessageOrigin = Required<Pick<MessageTransport, 'name' | 'read'>> &
  Pick<MessageTransport, 'state' | 'close'>;

/** A transport that takes messages. */
export type MessageTarget = Required<Pick<MessageTransport, 'name' | 'write'>> &
  Pick<MessageTransport, 'takes'>;

/** A transport as pipeline files name it, its options checked. */
export interface TransportComponent extends Pick<TransportDefinition, 'name' | 'summary'> {
  readonly example: string;
  readonly options: ZodObject;
  /** @throws TagstreamError `config` that names it, for what it throws or lacks */
  reading(options: unknown, setting: TransportSetting): MessageOrigin;
  writing(options: unknown, setting: TransportSetting): MessageTarget;
}
