import { TagstreamError } from '../../engine/core/errors.js';
import type { TaggedText } from '../../engine/models/tagger.js';
import { LabelPalette, shownLabels } from '../label-palette.js';
import { colours, dark, light, markStyle } from '../page/style.js';
import { recordMarkup, wordStyle } from '../tagged/record-markup.js';
import type { TextAnswer, TextQuestion } from './text-worker.js';

type Found = Extract<TextAnswer, { readonly tagged: TaggedText }>;

/** Sends the texts of all elements of a page to the tagging thread. */
class TextThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (answer: TextAnswer) => void>();
  #asked = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<TextAnswer>) => {
      this.#waiting.get(data.number)?.(data);
      this.#waiting.delete(data.number);
    });
    worker.addEventListener('error', ({ message }) => {
      const error = message || 'the script of the thread cannot be loaded';
      for (const [number, resolve] of this.#waiting) resolve({ number, error });
      this.#waiting.clear();
    });
  }

  /** @throws (rejects with) Error, if the model cannot be loaded or cannot tag the text */
  async ask(question: Omit<TextQuestion, 'number'>): Promise<Found> {
    this.#asked += 1;
    const number = this.#asked;
    const answer = await new Promise<TextAnswer>(resolve => {
      this.#waiting.set(number, resolve);
      this.#worker.postMessage({ number, ...question });
    });
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  }
}

const style = `:host{display:block;${light};--p:1}
@media (prefers-color-scheme:dark){:host{${dark}}}
p{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;line-height:2}
${markStyle}
${wordStyle}
${colours}`;

/** In Node there are no elements: code for pages may be imported there, but creates none. */
const Base: typeof HTMLElement =
  globalThis.HTMLElement ??
  class {
    constructor() {
      throw new TagstreamError('config', '<tagstream-text> only works in a page', {
        fix: 'import tagstream/element in a page',
      });
    }
  };

let thread: TextThread | undefined;

/** Starts the page's worker from the file next to the entry; bundlers recognise this form. */
function threadOfPage(): TextThread {
  thread ??= new TextThread(
    new Worker(new URL('./element-worker.js', import.meta.url), { type: 'module' }),
  );
  return thread;
}

class MarkedText extends Base {
  static readonly observedAttributes = ['model', 'probabilities'];
  readonly #root = this.attachShadow({ mode: 'open' });
  readonly #changes = new MutationObserver(() => this.#tag());
  #turn = 0;

  connectedCallback(): void {
    this.#changes.observe(this, { childList: true, characterData: true, subtree: true });
    this.#tag();
  }

  disconnectedCallback(): void {
    this.#changes.disconnect();
    this.#turn += 1;
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#tag();
  }

  #tag(): void {
    this.#turn += 1;
    const turn = this.#turn;
    const model = this.getAttribute('model');
    const text = this.textContent ?? '';
    if (model === null || text === '') {
      this.#root.innerHTML = '<slot></slot>';
      return;
    }
    const address = new URL(model, this.ownerDocument.baseURI).href;
    const spanProbabilities = this.hasAttribute('probabilities');
    threadOfPage()
      .ask({ model: address, text, spanProbabilities })
      // A later text may have superseded this one.
      .then(found => turn === this.#turn && this.#show(text, found))
      .catch((error: Error) => turn === this.#turn && this.#fail(error.message));
  }

  #show(text: string, { tagged, labels }: Found): void {
    const palette = new LabelPalette(shownLabels(labels, tagged.spans !== undefined));
    const content = recordMarkup({ ...tagged, document: { text } }, palette);
    this.#root.innerHTML = `<style>${style}</style>${content.text}`;
    this.dispatchEvent(new CustomEvent('tagged', { detail: tagged, bubbles: true }));
  }

  #fail(message: string): void {
    this.#root.innerHTML = '<slot></slot>';
    this.dispatchEvent(new CustomEvent('failed', { detail: message, bubbles: true }));
  }
}

/**
 * The class of `<tagstream-text model="people.model">`, which marks the spans that a model finds in its text, using a
 * separate thread.
 *
 * Attributes: `model`, the address of a model file; `probabilities`, to show span probabilities. It tags again when its
 * text or an attribute changes. The event `tagged` has a `TaggedText` as its `detail`. If the model cannot be loaded,
 * the event `failed` has the reason and the text stays unmarked.
 */
export const TaggedTextElement: CustomElementConstructor = MarkedText;

globalThis.customElements?.define('tagstream-text', TaggedTextElement);
