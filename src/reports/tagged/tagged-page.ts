import type { TaggedDocument } from '../../engine/core/sentence/tagged-document.js';
import { fileName } from '../figures.js';
import { LabelPalette, shownLabels } from '../label-palette.js';
import { html } from '../page/html.js';
import { pageFrame } from '../page/page.js';
import { baseStyle } from '../page/style.js';
import { legendMarkup, recordMarkup, wordStyle } from './record-markup.js';

/** Settings of a page of tagged text. */
export interface TaggedPageOptions {
  /** Name of the model. */
  readonly model: string;
  /** Labels of the model, if known. */
  readonly labels: readonly string[];
  /** Whether the labels mark spans. */
  readonly spans: boolean;
}

/**
 * A self-contained page of tagged text, written record by record: `head`, `write` for each record, and `tail`. It does
 * not keep the records.
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
    this.#palette = new LabelPalette(shownLabels(labels, spans));
    const title = `Text tagged by ${fileName(model)}`;
    const { head, tail } = pageFrame({ title, style: baseStyle + taggedStyle });
    this.head = `${head}${
      html`<header>
<h1>${title}</h1>
${legendMarkup(this.#palette)}
</header>
<main>
`.text
    }`;
    const unsure = spans
      ? ''
      : ' A dashed frame stands around words whose tag is less likely than not, where probabilities were asked for.';
    this.tail = `</main>\n<footer><p>Written by tagstream tag.${unsure}</p></footer>\n${tail}`;
  }

  /** Returns a record as HTML, including the line end. */
  write(tagged: TaggedDocument): string {
    this.#records += 1;
    const { id } = tagged.document;
    const name = id ?? String(this.#records);
    const content = recordMarkup(tagged, this.#palette);
    return html`<article aria-label="Record ${name}"><p class="id">${name}</p>${content}</article>
`.text;
  }
}

/** Styles of the tagged-text page, in addition to those of all pages. */
export const taggedStyle = `
main{background:var(--panel);border:1px solid var(--line);border-radius:.75rem;padding:.25rem 1.25rem;max-width:69.5rem;width:calc(100% - 2.5rem)}
.legend{margin-top:.75rem}
article{border-bottom:1px solid var(--line);padding:.85rem 0}
article:last-child{border-bottom:0}
article p{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;line-height:2.1;max-width:62rem}
article .id{color:var(--soft);font-size:.8rem;line-height:1.4;margin:0 0 .15rem;white-space:normal}
${wordStyle}
@media print{article{break-inside:avoid}main{border:0;padding:0;width:auto}}
@media (max-width:30rem){main{padding:.1rem .9rem;width:calc(100% - 1.5rem)}.wrap,header,footer{padding-left:.75rem;padding-right:.75rem}}
`;
