/** Templates for one purpose: a description, and the macros of each line. */
export interface PresetSection {
  /** Description, which becomes a comment above the lines. */
  readonly about: string;
  /** Macros of each line, joined by `/`; the feature name is added before them. */
  readonly lines: readonly string[];
  /** Whether all lines have the same name, so that a word is the same feature at every offset. */
  readonly shared?: boolean;
}

/** A set of templates for a task, for languages written in words. */
export interface Preset {
  readonly name: string;
  readonly summary: string;
  /** @param pos name of the part-of-speech column, if the records have one */
  sections(pos: string | undefined): readonly PresetSection[];
}

/**
 * Returns one line per offset, with `@` in the pattern replaced by it.
 *
 * @example
 * around([-1, 0], '%x[@,0]') // => ['%x[-1,0]', '%x[0,0]']
 */
export function around(offsets: readonly number[], pattern: string): string[] {
  return offsets.map(offset => pattern.replace('@', String(offset)));
}

/**
 * Returns the runs of `size` consecutive tokens in a window of `reach` tokens on both sides; `@` in
 * the pattern is replaced by the offset.
 *
 * @example
 * sequences(2, 1, '%x[@,0]') // => ['%x[-1,0]/%x[0,0]', '%x[0,0]/%x[1,0]']
 */
export function sequences(size: number, reach: number, pattern: string): string[] {
  const lines: string[] = [];
  for (let first = -reach; first + size - 1 <= reach; first += 1) {
    const macros = Array.from({ length: size }, (_, i) => pattern.replace('@', String(first + i)));
    lines.push(macros.join('/'));
  }
  return lines;
}

/**
 * Returns macros for the first and the last 1, 2, ... `longest` letters of the token, as written
 * and in lower case.
 *
 * @example
 * affixes(1) // => ['%prefix[0,0,1]', '%suffix[0,0,1]', '%Prefix[0,0,1]', '%Suffix[0,0,1]']
 */
export function affixes(longest: number): string[] {
  const lengths = Array.from({ length: longest }, (_, i) => i + 1);
  return ['', 'fold'].flatMap(fold =>
    lengths.flatMap(length =>
      fold === ''
        ? [`%prefix[0,0,${length}]`, `%suffix[0,0,${length}]`]
        : [`%Prefix[0,0,${length}]`, `%Suffix[0,0,${length}]`],
    ),
  );
}
