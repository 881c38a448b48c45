import type { Span } from '../engine/core/sentence/sentence.js';
import { html, type Markup, type Piece } from './page/html.js';

/** How a span is displayed. */
export interface SpanMark {
  readonly span: Pick<Span, 'label' | 'probability'>;
  /** Number of its colour. */
  readonly colour: number;
  /** Its text as markup. */
  readonly content: Piece;
  /** Additional classes. */
  readonly classes?: string;
  /** A note before its label. */
  readonly note?: Piece;
}

/** Returns a span of text in the colour of its label, with the label after it and its probability, if known. */
export function markedSpan({ span, colour, content, classes = '', note }: SpanMark): Markup {
  const { label, probability } = span;
  const chance = probability === undefined ? undefined : percentText(probability);
  const title = chance === undefined ? label : `${label}, probability ${chance}`;
  const shown = chance === undefined ? '' : html` <span class="p">${chance}</span>`;
  return html`<mark class="span c${colour}${classes}" title="${title}">${content}<span class="tag">${note}${label}${shown}</span></mark>`;
}

/**
 * Returns a probability in percent, never rounded to certainty.
 *
 * @example
 * percentText(0.9996) // => '>99.9 %'
 */
export function percentText(probability: number): string {
  const percent = 100 * probability;
  if (percent > 99.9 && percent < 100) return '>99.9 %';
  if (percent < 0.1 && percent > 0) return '<0.1 %';
  return `${percent.toFixed(1)} %`;
}
