import { hues } from '../../reports/label-palette.js';
import { baseStyle } from '../../reports/page/style.js';

const colours = hues.map((hue, i) => `.h${i}{--h:${hue}}`).join('');

/** The look of the page: what all pages share, and its own. `--p` is a probability, by which proposals fade. */
export const pageStyle = `${baseStyle}
${colours}
body{min-height:100vh}
header{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:baseline;padding-top:1rem;padding-bottom:.75rem}
header h1{font-size:1.1rem;margin:0}
main{display:grid;grid-template-columns:minmax(0,1fr) 19rem;gap:1.25rem;align-items:start;padding-bottom:2rem}
@media (max-width:60rem){main{grid-template-columns:minmax(0,1fr)}}
section,aside>div{background:var(--panel);border:1px solid var(--line);border-radius:.6rem;padding:1rem 1.1rem}
aside{display:grid;gap:1rem}
h2{font-size:.95rem;margin:0 0 .5rem}
.banner{max-width:72rem;margin:0 auto .75rem;padding:.6rem 1.25rem;border-radius:.5rem;background:var(--panel);
border:2px solid var(--bad);color:var(--bad);font-weight:600}
.banner[hidden]{display:none}
.tokens{font-size:1.25rem;line-height:2.4;white-space:pre-wrap;overflow-wrap:anywhere;outline-offset:.4rem;min-height:5rem;
touch-action:pan-y;-webkit-user-select:none;user-select:none}
.block{display:block;min-height:2.4em}
.token{border-radius:.3em;padding:.12em .06em;cursor:pointer;border-bottom:3px solid transparent}
.token.in{background:color-mix(in oklch,oklch(var(--mark) var(--h)) calc(25% + 75%*var(--p)),var(--panel));
box-shadow:inset 0 0 0 1px oklch(var(--mark-line) var(--h))}
.token.begin{border-start-start-radius:.6em;border-end-start-radius:.6em}
.token.fixed{border-bottom-color:oklch(var(--mark-line) var(--h,250))}
.token.asked{text-decoration:underline dotted 2px;text-underline-offset:.35em}
.token.undecided{outline:2px dashed var(--bad);outline-offset:1px;background:repeating-linear-gradient(-45deg,transparent 0 .3em,
color-mix(in oklch,var(--bad) 18%,transparent) .3em .45em)}
.token.selected{outline:2px solid var(--accent);outline-offset:1px}
.token.cursor{outline:3px solid var(--accent);outline-offset:2px}
.token[data-badge]::after{content:attr(data-badge);color:oklch(var(--tag) var(--h));font-size:.62em;font-weight:650;margin-inline:.25em .35em;
-webkit-user-select:none;user-select:none}
.labels,.actions,.facts{list-style:none;margin:0;padding:0;display:grid;gap:.35rem}
button{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);border-radius:.45rem;
padding:.3rem .6rem;cursor:pointer;text-align:start;display:flex;gap:.6rem;align-items:center;width:100%;min-height:2rem}
button:hover{border-color:var(--accent)}
button.label{background:oklch(var(--mark) var(--h));border-color:oklch(var(--mark-line) var(--h))}
kbd{font:600 .8rem ui-monospace,monospace;border:1px solid var(--line);border-radius:.3rem;padding:.05rem .4rem;
background:var(--panel);min-width:1.6rem;text-align:center}
.facts div{display:flex;justify-content:space-between;gap:1rem}
.facts dt{color:var(--soft)}.facts dd{margin:0;text-align:end;font-variant-numeric:tabular-nums}
.why{font-size:.85rem;overflow-wrap:anywhere}
.why ol{padding-inline-start:1.2rem;margin:.25rem 0 .75rem}
.guidelines{white-space:pre-wrap;font-size:.9rem;max-height:24rem;overflow:auto}
.note{margin-top:1rem;color:var(--soft);font-size:.9rem}
dialog{border:1px solid var(--line);border-radius:.6rem;background:var(--panel);color:inherit;width:min(34rem,92vw);padding:1.2rem}
dialog::backdrop{background:rgb(0 0 0/.45)}
dialog input,dialog textarea{font:inherit;width:100%;padding:.4rem .6rem;border:1px solid var(--soft);border-radius:.4rem;
background:var(--bg);color:inherit}
dialog .row{display:flex;gap:.75rem;align-items:center;justify-content:space-between;margin:.35rem 0}
dialog .row button{width:auto}
.found{list-style:none;padding:0;margin:.75rem 0 0;display:grid;gap:.3rem;max-height:50vh;overflow:auto}
`;
