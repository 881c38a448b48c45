import { gzipSync } from 'node:zlib';
import { html, Markup } from '../page/html.js';
import { pageFrame } from '../page/page.js';
import { baseStyle } from '../page/style.js';
import { taggedStyle } from '../tagged/tagged-page.js';
import { toDenseText } from './dense-text.js';

/** The parts of an exported page. */
export interface TaggerPageParts {
  readonly title: string;
  /** The bytes of the model file. */
  readonly model: Uint8Array;
  /** The text that the page shows initially. */
  readonly sample?: string | undefined;
  /** The bundled scripts of `loader.ts` and `main.ts`. */
  readonly scripts: { readonly loader: string; readonly program: string };
}

/**
 * Returns a page that tags text as it is typed, with an embedded model. It needs no network, opens from a file, and
 * cannot send anything anywhere, because its policy forbids requests.
 *
 * Model and program are gzipped; the page takes 8/7 of their bytes.
 */
export function taggerPage({ title, model, sample = '', scripts }: TaggerPageParts): string {
  const { loader, program } = scripts;
  const { head, tail } = pageFrame({
    title,
    style: baseStyle + taggedStyle + textFieldStyle,
    script: loader,
    addedScripts: [program],
    runsWebAssembly: true,
  });
  const blocks = [dataBlock('program', Buffer.from(program)), dataBlock('model', model)];
  // A text area drops a leading line end of its content.
  const content = html`<header>
<h1>${title}</h1>
<div id="legend"></div>
</header>
<main>
<label for="text">Text</label>
<textarea id="text" rows="5" spellcheck="false" placeholder="Type or paste a text">
${sample}</textarea>
<p id="how" hidden><label><input type="checkbox" id="sure"> Probabilities</label></p>
<p id="state" role="status"></p>
<article id="result" aria-label="Tagged text" aria-live="polite"></article>
</main>
<footer><p>Everything happens in this page: nothing that you type leaves it.</p></footer>
${blocks}
`;
  return head + content.text + tail;
}

function dataBlock(id: string, bytes: Uint8Array): Markup {
  const packed = gzipSync(bytes, { level: 9 });
  return new Markup(
    `<script type="text/plain" id="${id}" data-bytes="${packed.length}">${toDenseText(packed)}</script>\n`,
  );
}

/**
 * Returns a module of JavaScript that exports `tagger`, a `Tagger` of its embedded model. It imports nothing.
 *
 * @param program the bundled script of `module.ts`
 */
export function taggerModule(model: Uint8Array, program: string): string {
  return `const tagstreamModel = "${Buffer.from(model).toString('base64')}";\n${program}`;
}

/** Type declarations for `taggerModule`. */
export const taggerModuleTypes = `import type { Tagger } from 'tagstream/browser';
export declare const tagger: Tagger;
`;

/** A text field of full width, and its note. */
export const textFieldStyle = `
main>label{display:block;font-weight:600;margin:.85rem 0 .35rem}
textarea{font:inherit;width:100%;padding:.6rem .75rem;border:1px solid var(--soft);border-radius:.5rem;
background:var(--bg);color:inherit;resize:vertical}
#how label{display:inline-flex;gap:.5rem;align-items:center;min-height:2rem}
#state{color:var(--bad);margin:0}
#result{min-height:4rem}
`;
