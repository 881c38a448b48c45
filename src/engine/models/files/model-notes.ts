import * as z from 'zod/mini';
import type { FeatureKind } from '../../features/extraction/feature-names.js';
import { type PassRecord, passesSchema } from '../learning/training-history.js';
import { damagedModel, type SectionFile, type Sections, schemaContext } from './section-file.js';

/** Feature counts of one template, before and after selection. */
export interface TemplateSize {
  /** Number of features seen in training. */
  readonly met: number;
  /** Number of features that the model keeps because they have a nonzero weight. */
  readonly kept: number;
  /** Number of nonzero weights. */
  readonly weights: number;
  /**
   * Number of nonzero weights by label; for transitions, by target label. Absent in older files.
   */
  readonly labels?: readonly number[] | undefined;
}

/** Notes about a model's training: its length and its data. */
export interface TrainingNote {
  readonly optimizer: string;
  /** The configured number of passes or iterations. */
  readonly epochs: number;
  /** Fingerprints of the first sentences of the corpus; see `TrainingSample`. */
  readonly sample: readonly string[];
}

/** Information in a model file that tagging does not need. */
export interface ModelNotes {
  readonly history: readonly PassRecord[];
  /** Note about the training; absent in older files. */
  readonly training?: TrainingNote | undefined;
  /** Sizes by template number within each kind; absent if training did not count them. */
  readonly templates?: Readonly<Record<FeatureKind, readonly TemplateSize[]>>;
  /** Feature names, by rows in the model read from the file. */
  readonly names: Readonly<Record<FeatureKind, ReadonlyMap<number, string>>>;
}

const count = z.int().check(z.minimum(0));
const sizes = z.array(
  z.strictObject({
    ...{ met: count, kept: count, weights: count },
    labels: z.optional(z.array(count)),
  }),
);
const trainingSchema = z.looseObject({
  optimizer: z.string(),
  epochs: count,
  sample: z.array(z.string()),
});
const notesSchema = z.looseObject({
  history: passesSchema,
  training: z.optional(trainingSchema),
  templates: z.optional(z.strictObject({ state: sizes, edge: sizes })),
});

/** Sections of the names, which `readModel` skips. */
export const nameSections = { rows: 'names.rows', text: 'names.text' } as const;

/** Returns the notes as the `notes` part of a header and sections; empty if there are none. */
export function writeNotes(
  { history, training, templates, names }: ModelNotes,
  stateRows: number,
): { readonly header: Readonly<Record<string, unknown>>; readonly sections: Sections } {
  const empty = history.length === 0 && templates === undefined;
  const header = empty
    ? {}
    : {
        notes: {
          history,
          ...(training && { training }),
          ...(templates && { templates }),
        },
      };
  const all = [...inOrder(names.state, 0), ...inOrder(names.edge, stateRows)];
  if (all.length === 0) return { header, sections: {} };
  const sections = {
    [nameSections.rows]: Uint32Array.from(all, ([row]) => row),
    [nameSections.text]: new TextEncoder().encode(JSON.stringify(all.map(([, name]) => name))),
  };
  return { header, sections };
}

function inOrder(names: ReadonlyMap<number, string>, first: number): [number, string][] {
  return [...names]
    .map(([row, name]): [number, string] => [row + first, name])
    .sort(([a], [b]) => a - b);
}

/**
 * Returns the notes in a model file; empty if the file has none.
 *
 * @param stateRows number of state feature rows of its model
 * @param source name of the file, for errors
 * @throws TagstreamError `model-damaged`
 */
export function readNotes(file: SectionFile, stateRows: number, source: string): ModelNotes {
  const fail = damagedModel(source);
  const state = new Map<number, string>();
  const edge = new Map<number, string>();
  if (file.has(nameSections.rows)) {
    const rows = file.section(nameSections.rows, 'Uint32Array');
    const names = parsedNames(file.section(nameSections.text, 'Uint8Array'));
    if (names?.length !== rows.length) throw fail('its names do not match its features');
    for (const [i, row] of rows.entries()) {
      if (row < stateRows) state.set(row, names[i]!);
      else edge.set(row - stateRows, names[i]!);
    }
  }
  const written = notesSchema.safeParse(file.header.notes ?? { history: [] }, schemaContext);
  if (!written.success) {
    const { path, message } = written.error.issues[0]!;
    throw fail(`its notes: ${path.join('.')}: ${message}`);
  }
  const { history, training, templates } = written.data;
  return {
    history,
    ...(training === undefined ? {} : { training }),
    ...(templates === undefined ? {} : { templates }),
    names: { state, edge },
  };
}

function parsedNames(bytes: Uint8Array): readonly string[] | undefined {
  try {
    return z.array(z.string()).parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** Returns the training note in a header; undefined if it is missing or unreadable. */
export function trainingNoteOf(header: object): TrainingNote | undefined {
  const { notes } = header as { readonly notes?: unknown };
  const read = notesSchema.safeParse(notes, schemaContext);
  return read.success ? read.data.training : undefined;
}
