import { type TaggedText, Tagger } from '../../engine/models/tagger.js';
import { LabelPalette, shownLabels } from '../label-palette.js';
import { legendMarkup, recordMarkup } from '../tagged/record-markup.js';

// The program of an exported page: tags text as it is typed, and shows the result. Scripts of the page may call
// `tagstream.tag`.

const byId = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;

/** Starts the page: shows a model's tags for the text as it is typed. */
function start(model: Uint8Array): void {
  const tagger = Tagger.fromBytes(model);
  const input = byId<HTMLTextAreaElement>('text');
  const sure = byId<HTMLInputElement>('sure');
  const state = byId('state');
  const result = byId('result');
  const areSpans = tagger.tagText('').spans !== undefined;
  const palette = new LabelPalette(shownLabels(tagger.labels, areSpans));

  const tag = (text: string, options: { spanProbabilities?: boolean } = {}): TaggedText =>
    tagger.tagText(text, options);

  function show(): void {
    const text = input.value;
    try {
      const { tokens, tags, offsets, sentences, spans } = tag(
        text,
        sure.checked ? { spanProbabilities: true } : {},
      );
      const found = { document: { text }, tokens, tags, offsets, sentences };
      result.innerHTML = recordMarkup(spans ? { ...found, spans } : found, palette).text;
      state.textContent = '';
    } catch (error) {
      result.innerHTML = '';
      state.textContent = (error as Error).message;
    }
  }

  let isDue = false;
  const soon = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      show();
    });
  };
  byId('legend').innerHTML = legendMarkup(palette).text;
  byId('how').hidden = !areSpans;
  for (const field of [input, sure]) field.addEventListener('input', soon);
  show();
  Object.assign(tagstream, { tag });
  document.documentElement.dataset.ready = 'true';
}

const tagstream = { start };
Object.assign(globalThis, { tagstream });
