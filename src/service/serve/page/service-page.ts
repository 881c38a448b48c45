import { readFileSync } from 'node:fs';
import { html } from '../../../reports/page/html.js';
import { pageFrame } from '../../../reports/page/page.js';
import { baseStyle } from '../../../reports/page/style.js';
import { taggedStyle } from '../../../reports/tagged/tagged-page.js';
import { textFieldStyle } from '../../../reports/tagger-page/tagger-page.js';
import { threadFile } from '../../../runtime/thread-file.js';

/** Number of results that the page requests. */
export interface ServicePageOptions {
  /** Number of tag sequences per sentence. */
  readonly alternatives: number;
}

/**
 * Returns the page at `/`: it tags text as it is typed, with probabilities and alternatives, and explains each word. It sends
 * requests to this server only. A link to a text contains it after `#`, which browsers do not send.
 */
export function servicePage({ alternatives }: ServicePageOptions): string {
  const { head, tail } = pageFrame({
    title: 'Try Tagstream',
    style: baseStyle + taggedStyle + textFieldStyle + ownStyle,
    script: readFileSync(threadFile('service/serve/page/main'), 'utf8'),
    connects: true,
  });
  const content = html`<header>
<h1>Try Tagstream</h1>
<p class="soft">Tags what you type by the models of this server. <a href="openapi.json">Interface (OpenAPI)</a></p>
</header>
<main data-alternatives="${alternatives}">
<noscript><p>This page needs JavaScript.</p></noscript>
<form id="access" hidden>
<label for="token">Token</label>
<input id="token" type="password" autocomplete="off">
<button type="submit">Use token</button>
</form>
<p id="choice" hidden><label for="model">Model</label> <select id="model"></select></p>
<label for="text" class="field">Text</label>
<textarea id="text" rows="5" spellcheck="false" placeholder="Type or paste a text"></textarea>
<p class="row"><button type="button" id="share">Link to this text</button> <span id="version" class="soft"></span></p>
<p id="state" role="status"></p>
<article id="result" aria-label="Tagged text" aria-live="polite"></article>
<section id="alternatives" aria-labelledby="others" hidden>
<h2 id="others">Alternatives</h2>
<div></div>
</section>
<section id="why" aria-labelledby="reasons" hidden>
<h2 id="reasons">Why?</h2>
<p class="soft">Choose a word to see what speaks for its tag and against it.</p>
<div id="words"></div>
<div id="reason" aria-live="polite"></div>
</section>
</main>
<footer><p>Your text goes to this server and to no other; a link has it after #, which no server sees.</p></footer>
`;
  return head + content.text + tail;
}

const ownStyle = `
button,select,input{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--soft);border-radius:.5rem;
padding:.35rem .7rem;min-height:2.75rem}
button{cursor:pointer}
button[aria-pressed=true]{outline:3px solid var(--accent);outline-offset:1px}
.row{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin:.6rem 0}
#access{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.85rem 0}
#access[hidden]{display:none}
section{border-top:1px solid var(--line);padding:.85rem 0}
ol.sequences{margin:.25rem 0 .75rem;padding-left:1.5rem}
#words{display:flex;flex-wrap:wrap;gap:.35rem}
#words button{padding:.2rem .55rem}
#words .tag{margin-left:.4em}
table{border-collapse:collapse;margin:.5rem 0;max-width:100%}
th,td{text-align:left;padding:.2rem .75rem .2rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.for{color:var(--good)}.against{color:var(--bad)}
`;
