/** Templates of one purpose: what they are about, and the macros of each line. */
export interface PresetSection {
  /** Becomes a comment above the lines. */
  readonly about: string;
  /** Macros, joined by `/`; the name of the feature is put before them. */
  readonly lines: readonly string[];
  /** One name for all lines: a word is the same feature wherever it stands. */
  readonly shared?: boolean;
}

/** A set of templates for a task, in any language that is written in words. */
export interface Preset {
  readonly name: string;
  readonly summary: string;
  /** @param pos the column with parts of speech, if the records have one */
  sections(pos: string | undefined): readonly PresetSection[];
}
