import type { TaggedDocument } from '../../core/sentence/tagged-document.js';
import { typeOf } from '../../text/tags/chunk-boundaries.js';
import { fileName } from '../figures.js';
import { LabelPalette } from '../label-palette.js';
import { markedSpan, percentText } from '../marked-span.js';
import { baseStyle } from '../page/base-style.js';
import { html, type Markup, type Piece } from '../page/html.js';
import { pageFrame } from '../page/page.js';
import { type RecordPiece, recordPieces } from './record-pieces.js';
import { taggedStyle } from './tagged-style.js';

/** What a page of tagged text is made for. */
export interface TaggedPageOptions {
  /** Name of the model. */
  readonly model: string;
  /** Labels of the model, as far as they are known. */
  readonly labels: readonly string[];
  /** Whether they mark spans. */
  readonly spans: boolean;
}

/**
 * A page of tagged text, to be written record by record: `head`, then `write` of each record, then
 * `tail`. It keeps nothing of the records, and needs nothing from outside.
 *
 * @example
 * const page = new TaggedPage({ model: 'names', labels: ['O', 'B-PER'], spans: true });
 * const spans = [{ label: 'PER', start: 0, end: 1 }];
 * page.write({ document: {}, tokens: ['<Ben>'], tags: ['B-PER'], spans }).includes('&lt;Ben&gt;') // => true
 */
export class TaggedPage {
  readonly head: string;
  readonly tail: string;
  readonly #palette: LabelPalette;
  #records = 0;

  constructor({ model, labels, spans }: TaggedPageOptions) {
    const shown = spans ? labels.map(typeOf).filter(label => label !== '') : labels;
    this.#palette = new LabelPalette(shown);
    const title = `Text tagged by ${fileName(model)}`;
    const { head, tail } = pageFrame({ title, style: baseStyle + taggedStyle });
    const legend = this.#palette.labels.map(
      label =>
        html`<li><mark class="span c${this.#palette.of(label)}"><span class="tag">${label}</span></mark></li>`,
    );
    this.head = `${head}${
      html`<header>
<h1>${title}</h1>
<ul class="legend" aria-label="Labels">${legend}</ul>
</header>
<main>
`.text
    }`;
    const unsure = spans
      ? ''
      : ' A dashed frame stands around words whose tag is less likely than not, where probabilities were asked for.';
    this.tail = `</main>\n<footer><p>Written by tagstream tag.${unsure}</p></footer>\n${tail}`;
  }

  /** A record as HTML, line end included. */
  write(tagged: TaggedDocument): string {
    this.#records += 1;
    const { id } = tagged.document;
    const name = id ?? String(this.#records);
    const classes = tagged.spans === undefined ? html` class="words"` : undefined;
    const pieces = recordPieces(tagged).map(piece => this.#piece(piece));
    return html`<article aria-label="Record ${name}"><p class="id">${name}</p><p${classes}>${pieces}</p></article>
`.text;
  }

  #piece(piece: RecordPiece): Piece {
    switch (piece.kind) {
      case 'text':
        return piece.text;
      case 'span': {
        const { span, text } = piece;
        return markedSpan({ span, colour: this.#palette.of(span.label), content: text });
      }
      case 'word':
        return this.#word(piece);
    }
  }

  #word({ text, tag, probability }: RecordPiece & { kind: 'word' }): Markup {
    const colour = this.#palette.of(tag);
    if (probability === undefined) {
      return html`<ruby class="c${colour}">${text}<rt>${tag}</rt></ruby>`;
    }
    const unsure = probability < 0.5 ? ' unsure' : '';
    const chance = percentText(probability);
    return html`<ruby class="c${colour}${unsure}" title="${tag}, probability ${chance}">${text}<rt>${tag}</rt></ruby>`;
  }
}
