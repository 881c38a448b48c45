// The entry `tagstream/element`: importing it in a page defines `<tagstream-text model="people.model">`.

import { TextThread, taggedTextElement } from '../reports/tagger-page/tagged-text-element.js';

let thread: TextThread | undefined;

/** The thread of the page, from the file beside this one; bundlers follow this form. */
function threadOfPage(): TextThread {
  thread ??= new TextThread(
    new Worker(new URL('./element-worker.js', import.meta.url), { type: 'module' }),
  );
  return thread;
}

/**
 * The class of `<tagstream-text>`, which marks what a model finds in its text, in a thread of its own.
 *
 * Attributes: `model`, the address of a model file; `probabilities`, to show those of spans. It tags again when its text
 * or an attribute changes. Its event `tagged` has a `TaggedText` as its `detail`; where the model cannot be loaded, the
 * event `failed` has the reason, and the element shows its text unmarked.
 */
export const TaggedTextElement: CustomElementConstructor = taggedTextElement(threadOfPage);

globalThis.customElements?.define('tagstream-text', TaggedTextElement);
