import { typeOf } from '../engine/text/tags/chunk-boundaries.js';

/** Hues, in degrees of OKLCH; neighbours in the list are far apart. */
export const hues: readonly number[] = [25, 255, 145, 310, 75, 200, 350, 105, 280, 50, 175, 230];

/**
 * The colours of labels, by number: all hues in the page's light tone, followed by all in a deeper one. `tone` is the
 * number of the style for the tone.
 */
export const labelColours: readonly { readonly hue: number; readonly tone: 0 | 1 }[] = [
  ...hues.map(hue => ({ hue, tone: 0 }) as const),
  ...hues.map(hue => ({ hue, tone: 1 }) as const),
];

/** Returns the style of each colour of a label: `.c0`, `.c1`, ... set the hue, and a deeper tone if it has one. */
export function colourStyle(prefix: string): string {
  const deep = '--mark:var(--mark-deep);--mark-line:var(--mark-line-deep);--tag:var(--tag-deep)';
  return labelColours
    .map(({ hue, tone }, i) => `.${prefix}${i}{--h:${hue}${tone === 0 ? '' : `;${deep}`}}`)
    .join('');
}

/** Returns the labels that pages show: span labels if a model's tags mark spans, otherwise its tags. */
export function shownLabels(tags: readonly string[], areSpans: boolean): readonly string[] {
  return areSpans ? tags.map(typeOf).filter(label => label !== '') : tags;
}

/**
 * Assigns colours to labels: the one derived from the name, or the next free one; deeper colours once the light ones
 * are taken. The same labels get the same colours, in any order; if there are more labels than colours, colours repeat.
 *
 * @example
 * const palette = new LabelPalette(['PER', 'LOC']);
 * palette.of('PER') === new LabelPalette(['LOC', 'PER']).of('PER') // => true
 */
export class LabelPalette {
  readonly #colours = new Map<string, number>();
  /** Number of labels of each colour. */
  readonly #taken = new Array<number>(labelColours.length).fill(0);

  constructor(labels: Iterable<string>) {
    for (const label of [...new Set(labels)].sort()) this.#take(label);
  }

  /** The labels that have a colour, in order of assignment. */
  get labels(): string[] {
    return [...this.#colours.keys()];
  }

  /** Returns the number of a label's colour; a new label gets one now. */
  of(label: string): number {
    return this.#colours.get(label) ?? this.#take(label);
  }

  #take(label: string): number {
    const fewest = Math.min(...this.#taken);
    const { length } = hues;
    // The first tone in which such a colour exists.
    const first = length * Math.floor(this.#taken.indexOf(fewest) / length);
    let step = hashOf(label) % length;
    while (this.#taken[first + step] !== fewest) step = (step + 1) % length;
    const colour = first + step;
    this.#taken[colour]! += 1;
    this.#colours.set(label, colour);
    return colour;
  }
}

/** Computes FNV-1a of the UTF-16 units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}
