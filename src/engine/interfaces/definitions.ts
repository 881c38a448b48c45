import type { MonoTypeOperatorFunction } from 'rxjs';
import type { Penalties } from '../core/component.js';
import type { Document } from '../core/sentence/document.js';
import type { Sentence, TaggedSentence } from '../core/sentence/sentence.js';
import type { TaggedDocument } from '../core/sentence/tagged-document.js';
import type { Stateful } from '../core/training/state.js';
import type { TrainingStep } from '../core/training/training-step.js';
import type { FoundInToken } from '../features/template/token-function.js';
import type { Loss, LossContext } from '../losses/loss.js';
import type { Model } from '../models/model.js';
import type { Optimizer, OptimizerContext } from '../optimizers/optimizer.js';
import type { MessageTransport, TransportSetting } from './messages.js';

/** A zod 4 schema, from any copy of zod. */
export interface ZodSchema<Output = unknown> {
  readonly _zod: { readonly output: Output };
}

/** Options of a component: a zod schema of an object, or a JSON Schema of one. */
export type OptionsSchema = ZodSchema | Readonly<Record<string, unknown>>;

/** The options that a component receives after its schema has checked them. */
export type OptionsOf<Schema> =
  Schema extends ZodSchema<infer Output> ? Output : Readonly<Record<string, unknown>>;

/** The description of a plug-in component. */
export interface Described<Schema extends OptionsSchema> {
  /** Key in a pipeline file: a letter, followed by letters, digits, - and _. */
  readonly name: string;
  /** Description in one line, with its formula or source. */
  readonly summary: string;
  /** Use in a pipeline file, as YAML; derived from the name if absent. */
  readonly example?: string;
  /** Schema of the options; absent if there are none. */
  readonly options?: Schema;
}

/** A loss of a plug-in: see `Loss` for the results of `apply`. */
export interface LossDefinition<Schema extends OptionsSchema = OptionsSchema>
  extends Described<Schema>,
    Pick<Loss, 'smooth' | 'exclusive'>,
    Partial<Pick<Loss, 'predicts'>> {
  create(options: OptionsOf<Schema>, context: LossContext): Loss['apply'];
}

/** An online optimizer of a plug-in. */
export interface OptimizerDefinition<Schema extends OptionsSchema = OptionsSchema>
  extends Described<Schema> {
  /** Names of the supported losses; default: all that are not `exclusive`. */
  readonly losses?: readonly string[];
  /** Whether several threads may run it on shared weights without locks (mode hogwild). Default false. */
  readonly hogwild?: boolean;
  /**
   * Returns the penalties that these options add to the losses, such as `{ l2: options.l2 }`, or `{}` if there are none.
   * Absent: unknown; studies then measure no objective.
   */
  penalty?(options: OptionsOf<Schema>): Penalties;
  create(options: OptionsOf<Schema>, context: OptimizerContext): Omit<Optimizer, 'name'>;
}

/** The result of parsing a record: `text` or `tokens`, and optionally other fields of a document. */
export type ParsedRecord = Pick<
  Document,
  'id' | 'text' | 'tokens' | 'columns' | 'tags' | 'partialTags' | 'weight'
>;

/** Reads and writes single records of a format. */
export interface RecordFormat {
  /** Names of the columns by number, for templates such as `%x[0,1]`; only the token if absent. */
  readonly columns?: readonly string[];
  /** Returns the record in some lines, without the last line end. Throws for invalid lines, which are then rejected. */
  parse(text: string): ParsedRecord;
  /** Returns a tagged record as text, line ends included. Throws if the format cannot represent it. */
  write(tagged: TaggedDocument): string;
  /**
   * Returns a record with its gold tags as text, line ends included; absent if records cannot be converted into the
   * format.
   */
  writeDocument?(document: Document): string;
}

/** A codec of a plug-in. */
export interface CodecDefinition<Schema extends OptionsSchema = OptionsSchema>
  extends Described<Schema> {
  /** Whether a record is a single line, or all lines up to a blank one. */
  readonly records: 'lines' | 'sentences';
  /** File name extensions of the format, without the leading dot. */
  readonly extensions?: readonly string[];
  create(options: OptionsOf<Schema>): RecordFormat;
}

/**
 * A transport of a plug-in, named by `from` in a source or `to` in the sink of a pipeline file. It reads messages,
 * writes them, or both, and acknowledges them.
 */
export interface TransportDefinition<Schema extends OptionsSchema = OptionsSchema>
  extends Described<Schema> {
  /** Creates a transport; called when a run begins to read, and when it begins to write. */
  create(options: OptionsOf<Schema>, setting: TransportSetting): MessageTransport;
}

/** A token function of a plug-in, which templates name as `%name[offset,column]`. */
export interface TokenFunctionDefinition<Argument extends ZodSchema = ZodSchema>
  extends Omit<Described<ZodSchema>, 'options'> {
  /** Schema of the third argument, which is passed as a number if it looks like one; absent if there is none. */
  readonly argument?: Argument;
  create(argument: Argument extends ZodSchema<infer Output> ? Output : unknown): FoundInToken;
}

/** The items between two stages of a pipeline, by the position of a plug-in stage. */
export interface StageItems {
  /** Before `tokenize`: the records of the source. */
  readonly document: Document;
  /** Between `tokenize` and `featurize`. */
  readonly sentence: Sentence;
  /** Between `optimize` and `checkpoint`: predictions first, then learning. */
  readonly 'training step': TrainingStep;
  /** After `tag`. */
  readonly 'tagged sentence': TaggedSentence;
}

/** An item of any of these types. */
export type StageItem = StageItems[keyof StageItems];

/** The context in which a plug-in's stage is created. */
export interface StageContext {
  /** The model being trained; absent if the pipeline only tags. */
  readonly model?: Model | undefined;
}

/** A stage of a plug-in, created from its options. */
export interface StageOperator<Item> extends Partial<Stateful> {
  /** Operator that passes on each item synchronously, changed or not; a stage of documents may drop some. */
  readonly operator: MonoTypeOperatorFunction<Item>;
}

/** A stage of a plug-in: an operator over one type of item. */
export interface StageDefinition<
  On extends keyof StageItems = keyof StageItems,
  Schema extends OptionsSchema = OptionsSchema,
> extends Described<Schema> {
  /** Type of its items, which determines its position in a pipeline. */
  readonly on: On;
  /** Whether the stage has state. `create` then returns `save` and `restore` for checkpoints. Default false. */
  readonly stateful?: boolean;
  create(options: OptionsOf<Schema>, context: StageContext): StageOperator<StageItems[On]>;
}

/** A component of a plug-in with its kind. */
export type PluginComponent =
  | ({ readonly kind: 'loss' } & LossDefinition<never>)
  | ({ readonly kind: 'optimizer' } & OptimizerDefinition<never>)
  | ({ readonly kind: 'codec' } & CodecDefinition<never>)
  | ({ readonly kind: 'stage' } & StageDefinition<never, never>)
  | ({ readonly kind: 'transport' } & TransportDefinition<never>)
  | ({ readonly kind: 'token function' } & TokenFunctionDefinition<never>);

/** The default export of a package or file that `use` names. */
export interface Plugin {
  /** Name of the plug-in in errors, such as that of its package. */
  readonly name: string;
  readonly components: readonly PluginComponent[];
}
