import type { KernelName } from '../../models/kernels.js';
import type { TaggingOptions } from '../../pipeline/tagging/tagging-options.js';
import type { BadInTagged } from '../../pipeline/tagging/tagging-run.js';
import type { PluginModule } from '../../plugins/loaded-plugin.js';

/** What a thread of the service makes its taggers from. */
export interface ServedSetup {
  /** The model file, which all threads share. */
  readonly modelBytes: SharedArrayBuffer;
  /** Its name, for errors and pages. */
  readonly modelFile: string;
  readonly kernel: KernelName;
  /** Identifies the model in records that are to contain it. */
  readonly modelId: string;
  /** A dictionary and rules for all requests. */
  readonly always: Pick<TaggingOptions, 'dictionary' | 'rules'>;
  /** Plug-ins, which each thread loads itself. */
  readonly modules?: readonly PluginModule[] | undefined;
  /** Most bytes of a record, and tokens of a sentence. */
  readonly maxLineBytes: number;
  readonly maxTokens: number;
}

/** What a request wants; plain data. Requests with the same `key` want the same. */
export interface ServedWish {
  readonly key: string;
  readonly form: WrittenForm;
  readonly options: Omit<TaggingOptions, 'modelId' | 'passing' | 'dictionary' | 'rules'>;
  /** False: the model's own dictionary is not used. */
  readonly dictionary?: false | undefined;
  /** Whether records have the id of the model. */
  readonly modelVersion: boolean;
  /** The field with the text, and the key under which results go. */
  readonly fields: {
    readonly textField?: string | undefined;
    readonly into?: string | undefined;
  };
}

/** The forms of results: records as NDJSON, from which others are made; sentences in columns; a page; explanations. */
export const writtenForms = ['records', 'conll', 'conllu', 'html', 'explanation'] as const;

export type WrittenForm = (typeof writtenForms)[number];

/** Records to be tagged, one per line. */
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
