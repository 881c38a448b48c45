import type { PluginModule } from '../../../engine/interfaces/loaded-plugin.js';
import type { KernelName } from '../../../engine/models/kernels.js';
import type { TaggingOptions } from '../../../runtime/pipeline/tagging/tagging-options.js';
import type { BadInTagged } from '../../../runtime/pipeline/tagging/tagging-run.js';

/** Setup of a service thread, from which it makes its taggers. */
export interface ServedSetup {
  /** The model file's bytes, which all threads share. */
  readonly modelBytes: SharedArrayBuffer;
  /** Name of the model file, for errors and pages. */
  readonly modelFile: string;
  readonly kernel: KernelName;
  /** Identifier of the model in records that are to contain it. */
  readonly modelId: string;
  /** Dictionary and rules for all requests. */
  readonly always: Pick<TaggingOptions, 'dictionary' | 'rules'>;
  /** Plug-ins, which each thread loads separately. */
  readonly modules?: readonly PluginModule[] | undefined;
  /** Maximum number of bytes per record, and of tokens per sentence. */
  readonly maxLineBytes: number;
  readonly maxTokens: number;
  /** Whether the thread is for long records, and gives way to the others. Default false. */
  readonly isForLong?: boolean | undefined;
}

/** The options of a request as plain data. Requests with equal `key` have equal options. */
export interface ServedWish {
  readonly key: string;
  readonly form: WrittenForm;
  readonly options: Omit<TaggingOptions, 'modelId' | 'passing' | 'dictionary' | 'rules'>;
  /** False if the model's own dictionary is not used. */
  readonly dictionary?: false | undefined;
  /** Whether results contain the model's id. */
  readonly modelVersion: boolean;
  /** The field that contains the text, and the key for the results. */
  readonly fields: {
    readonly textField?: string | undefined;
    readonly into?: string | undefined;
  };
}

/**
 * The forms of results: records as NDJSON, from which other forms are made; sentences in columns; a page; explanations.
 */
export const writtenForms = ['records', 'conll', 'conllu', 'html', 'explanation'] as const;

export type WrittenForm = (typeof writtenForms)[number];

/** A block of records to tag, one per line. */
export interface ServedTask {
  readonly wish: ServedWish;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Position of a block in its request, from which formats name records without an id. Default 0. */
  readonly offset?: number | undefined;
}

/** The results. In the form `records`, each record of the task is one line, a bad one with its error. */
export interface ServedBlock {
  readonly output: Uint8Array<ArrayBuffer>;
  /** Number of records in the task, good and bad. */
  readonly read: number;
  readonly bad: readonly Pick<BadInTagged, 'number' | 'error'>[];
}
