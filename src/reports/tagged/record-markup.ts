import type { TaggedDocument } from '../../engine/core/sentence/tagged-document.js';
import type { LabelPalette } from '../label-palette.js';
import { markedSpan, percentText } from '../marked-span.js';
import { html, type Markup, type Piece } from '../page/html.js';
import { type RecordPiece, recordPieces } from './record-pieces.js';

/**
 * Renders a tagged record as content of a page: spans are marked in the colours of their labels; other tags appear
 * below their words.
 */
export function recordMarkup(tagged: TaggedDocument, palette: LabelPalette): Markup {
  const classes = tagged.spans === undefined ? html` class="words"` : undefined;
  const pieces = recordPieces(tagged).map(piece => pieceMarkup(piece, palette));
  return html`<p${classes}>${pieces}</p>`;
}

/** Returns a legend of a page's labels in their colours. */
export function legendMarkup(palette: LabelPalette): Markup {
  const items = palette.labels.map(
    label =>
      html`<li><mark class="span c${palette.of(label)}"><span class="tag">${label}</span></mark></li>`,
  );
  return html`<ul class="legend" aria-label="Labels">${items}</ul>`;
}

function pieceMarkup(piece: RecordPiece, palette: LabelPalette): Piece {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'span': {
      const { span, text } = piece;
      return markedSpan({ span, colour: palette.of(span.label), content: text });
    }
    case 'word':
      return wordMarkup(piece, palette);
  }
}

function wordMarkup(
  { text, tag, probability }: RecordPiece & { kind: 'word' },
  palette: LabelPalette,
): Markup {
  const colour = palette.of(tag);
  if (probability === undefined) {
    return html`<ruby class="c${colour}">${text}<rt>${tag}</rt></ruby>`;
  }
  const unsure = probability < 0.5 ? ' unsure' : '';
  const chance = percentText(probability);
  return html`<ruby class="c${colour}${unsure}" title="${tag}, probability ${chance}">${text}<rt>${tag}</rt></ruby>`;
}

/** Style of words with their tags below. */
export const wordStyle = `ruby{display:inline-flex;flex-direction:column;align-items:center;max-width:100%;vertical-align:top;line-height:1.35;
background:oklch(var(--mark) var(--h));border-radius:.35em;padding:.1em .3em .15em;margin:0 .08em .35em 0}
rt{font-size:.65em;font-weight:650;letter-spacing:.02em;line-height:1.3;color:oklch(var(--tag) var(--h));padding:0 .15em;
-webkit-user-select:none;user-select:none}
p.words{line-height:1.6}
ruby.unsure{outline:2px dashed oklch(var(--mark-line) var(--h));outline-offset:-2px}
.p{font-weight:400}`;
