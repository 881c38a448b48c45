import type { KernelName } from '../../models/kernels.js';
import type { TaggingOptions } from '../../pipeline/tagging/tagging-options.js';
import type { BadInTagged } from '../../pipeline/tagging/tagging-run.js';
import type { PluginModule } from '../../plugins/loaded-plugin.js';

/** What a thread of the service makes its taggers of. */
export interface ServedSetup {
  /** The model file, which all threads share. */
  readonly modelBytes: SharedArrayBuffer;
  /** Its name, for errors and pages. */
  readonly modelFile: string;
  readonly kernel: KernelName;
  /** What distinguishes the model from all others, for records that are to have it. */
  readonly modelId: string;
  /** A dictionary and rules that hold for all requests. */
  readonly always: Pick<TaggingOptions, 'dictionary' | 'rules'>;
  /** Plug-ins, which each thread loads itself. */
  readonly modules?: readonly PluginModule[] | undefined;
  /** Bytes of a record at most, and tokens of a sentence. */
  readonly maxLineBytes: number;
  readonly maxTokens: number;
}

/** What a request asks for; plain data. Requests whose `key` is the same ask for the same. */
export interface ServedWish {
  readonly key: string;
  readonly form: WrittenForm;
  readonly options: Omit<TaggingOptions, 'modelId' | 'passing' | 'dictionary' | 'rules'>;
  /** False: the model's own dictionary is not used. */
  readonly dictionary?: false | undefined;
  /** Whether records have the id of the model. */
  readonly modelVersion: boolean;
  /** The field that has the text, and the key that results go below. */
  readonly fields: {
    readonly textField?: string | undefined;
    readonly into?: string | undefined;
  };
}

/** What results are written as: records as NDJSON, which others are made of; sentences in columns; a page; explanations. */
export const writtenForms = ['records', 'conll', 'conllu', 'html', 'explanation'] as const;

export type WrittenForm = (typeof writtenForms)[number];

/** Records to be tagged, a line each. */
export interface ServedTask {
  readonly wish: ServedWish;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The results. In `records`, each record of the task is one line, a bad one with its error. */
export interface ServedBlock {
  readonly output: Uint8Array<ArrayBuffer>;
  /** Records of the task, good and bad. */
  readonly read: number;
  readonly bad: readonly Pick<BadInTagged, 'number' | 'error'>[];
}
