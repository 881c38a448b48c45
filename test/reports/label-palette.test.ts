import { describe, expect, it } from 'vitest';
import { hues, LabelPalette } from '../../src/reports/label-palette.js';

describe('LabelPalette', () => {
  const many = Array.from({ length: 2 * hues.length + 1 }, (_, i) => `L${i}`);

  it('gives each of as many labels as there are colours its own', () => {
    const labels = many.slice(0, hues.length);
    const palette = new LabelPalette(labels);
    expect(new Set(labels.map(label => palette.of(label))).size).toBe(hues.length);
  });

  it('uses all colours equally often where there are more labels', () => {
    const palette = new LabelPalette(many);
    const uses = hues.map((_, i) => many.filter(label => palette.of(label) === i).length);
    expect(uses.toSorted((a, b) => a - b)).toEqual([...hues.slice(1).map(() => 2), 3]);
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
