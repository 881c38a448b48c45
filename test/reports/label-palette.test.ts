import { describe, expect, it } from 'vitest';
import { hues, LabelPalette, labelColours } from '../../src/reports/label-palette.js';
import { dark, light } from '../../src/reports/page/style.js';

/** The fill and the edge of the box of a label, as points of OKLab. */
function oklab(theme: string, colour: number): number[] {
  const { hue, tone } = labelColours[colour]!;
  const angle = (hue * Math.PI) / 180;
  return ['mark', 'mark-line'].flatMap(name => {
    const found = new RegExp(`--${name}${tone === 1 ? '-deep' : ''}:([\\d.]+) ([\\d.]+)`).exec(
      theme,
    )!;
    const [lightness, chroma] = [Number(found[1]), Number(found[2])];
    return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
  });
}

describe('LabelPalette', () => {
  const many = Array.from({ length: 2 * labelColours.length + 1 }, (_, i) => `L${i}`);

  it('gives each of as many labels as there are colours its own', () => {
    const labels = many.slice(0, labelColours.length);
    const palette = new LabelPalette(labels);
    expect(new Set(labels.map(label => palette.of(label))).size).toBe(labelColours.length);
  });

  it('gives the seventeen universal parts of speech colours that differ, and few labels the light ones', () => {
    const parts = 'ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X';
    const palette = new LabelPalette(parts.split(' '));
    const colours = parts.split(' ').map(label => palette.of(label));
    expect(new Set(colours).size).toBe(17);
    expect(colours.filter(colour => colour < hues.length)).toHaveLength(hues.length);
    for (const theme of [light, dark]) {
      const points = colours.map(colour => oklab(theme, colour));
      for (const [i, a] of points.entries()) {
        for (const b of points.slice(0, i)) {
          const apart = Math.hypot(...a.map((value, k) => value - b[k]!));
          // Twice what is just noticeable in OKLab, with the fill and the edge of a box together.
          expect(apart).toBeGreaterThan(0.04);
        }
      }
    }
  });

  it('uses all colours equally often where there are more labels', () => {
    const palette = new LabelPalette(many);
    const uses = labelColours.map((_, i) => many.filter(label => palette.of(label) === i).length);
    expect(uses.toSorted((a, b) => a - b)).toEqual([...labelColours.slice(1).map(() => 2), 3]);
  });

  it('does not depend on the order of the labels, nor on repeats', () => {
    const forth = new LabelPalette(many);
    const back = new LabelPalette([...many.toReversed(), ...many]);
    expect(many.map(label => back.of(label))).toEqual(many.map(label => forth.of(label)));
    expect(forth.labels).toHaveLength(many.length);
  });

  it('gives a label that comes later a free colour, and keeps it', () => {
    const palette = new LabelPalette(['PER']);
    const colour = palette.of('LOC');
    expect(colour).not.toBe(palette.of('PER'));
    expect(palette.of('LOC')).toBe(colour);
    expect(palette.labels).toEqual(['PER', 'LOC']);
  });
});
