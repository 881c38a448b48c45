import { html, type Markup } from '../page/html.js';

/** Something wide in a box that scrolls by itself, also by keyboard. */
export function scrollable(name: string, content: Markup): Markup {
  return html`<div class="scroll" role="region" aria-label="${name}: table" tabindex="0">
${content}
</div>`;
}
