import { colourStyle } from '../../reports/label-palette.js';
import { baseStyle } from '../../reports/page/style.js';

/** Labels and actions are below the text, in a bar at the edge of the window. */
const narrow = `@media (max-width:60rem){
html{scroll-padding-bottom:calc(var(--bar,11rem) + 1.5rem)}
body{padding-bottom:calc(var(--bar,11rem) + 1rem)}
header,main{padding-inline:.75rem}
.banner{width:calc(100% - 1.5rem)}
.versions button{display:block}
main{grid-template-columns:minmax(0,1fr)}
.panel{display:contents}
.why{scroll-margin-top:1rem}
.bar{position:fixed;inset:auto 0 0 0;z-index:2;border-width:1px 0 0;border-radius:.9rem .9rem 0 0;
padding:.6rem .75rem calc(.6rem + env(safe-area-inset-bottom));box-shadow:0 -.3rem 1.2rem rgb(0 0 0/.14)}
.bar h2{display:none}
.labels{display:flex;flex-wrap:wrap;max-height:8.2rem}
.labels li{flex:1 0 auto}
.labels button{justify-content:center}
.main{grid-template-columns:repeat(5,minmax(0,1fr))}
.main li:nth-child(n){grid-column:auto}
.main li:nth-child(1){grid-column:1/-1;order:1}
.main button{justify-content:center;padding-inline:.2rem;font-size:.9rem}
.bar button{min-height:2.75rem}
}
@media (max-width:40rem),(hover:none){.bar kbd{display:none}}`;

/**
 * Style sheet of the page: the shared style, followed by its own. `--p` is a probability, by which
 * proposals fade.
 */
export const pageStyle = `${baseStyle}
${colourStyle('h')}
[hidden]{display:none!important}
body{min-height:100vh}
header{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:baseline;justify-content:space-between;padding-top:1rem;padding-bottom:.9rem}
header h1{font-size:1.1rem;margin:0}
header p{margin:0;font-variant-numeric:tabular-nums}
main{display:grid;grid-template-columns:minmax(0,1fr) 20rem;gap:1.25rem;align-items:start;padding-bottom:2rem}
section,.bar,aside>div{background:var(--panel);border:1px solid var(--line);border-radius:.6rem;padding:1rem 1.1rem}
.panel{position:sticky;top:1rem;max-height:calc(100vh - 6.5rem);overflow:auto;display:grid;gap:1rem;padding-block:1px 1rem;scrollbar-width:thin}
.bar{position:sticky;top:0;z-index:1;display:grid;gap:.6rem;min-width:0}
aside{display:grid;gap:1rem;min-width:0}
h2{font-size:.95rem;margin:0 0 .5rem}
.bar h2{margin:0}
.banner{width:calc(100% - 2.5rem);max-width:69.5rem;margin:0 auto .75rem;padding:.6rem 1.1rem;border-radius:.5rem;background:var(--panel);
border:2px solid var(--bad);color:var(--bad);font-weight:600}
.banner.good{border-color:var(--good);color:var(--good)}
.names{list-style:none;margin:0;padding:0;display:grid;gap:.4rem}
.names li{display:flex;justify-content:space-between;gap:1rem}
.names a{font-weight:600}
.tokens{font-size:1.25rem;line-height:2.4;white-space:pre-wrap;overflow-wrap:anywhere;outline-offset:.4rem;min-height:5rem;
touch-action:pan-y;-webkit-user-select:none;user-select:none}
.block{display:block;min-height:2.4em}
.token,.gap{border:1px solid transparent;border-inline-width:0;padding-block:.12em;cursor:pointer}
.token{border-inline-width:1px;padding-inline:.03em}
.begin{padding-inline-start:.12em}
.end{padding-inline-end:.08em}
.in{background:color-mix(in oklch,oklch(var(--mark) var(--h)) calc(25% + 75%*var(--p)),var(--panel));
border-block-color:oklch(var(--mark-line) var(--h))}
.begin{border-start-start-radius:.4em;border-end-start-radius:.4em;border-inline-start-color:oklch(var(--mark-line) var(--h))}
.end{border-start-end-radius:.4em;border-end-end-radius:.4em;border-inline-end-color:oklch(var(--mark-line) var(--h))}
:is(.token,.gap).fixed{box-shadow:inset 0 -.14em oklch(var(--mark-line) var(--h,250))}
.token.asked{text-decoration:underline dotted 2px;text-underline-offset:.35em}
.token.undecided{outline:2px dashed var(--bad);outline-offset:-1px;border-radius:.3em;background:repeating-linear-gradient(-45deg,transparent 0 .3em,
color-mix(in oklch,var(--bad) 16%,transparent) .3em .45em)}
.token.selected{background-image:linear-gradient(color-mix(in oklch,var(--accent) 22%,transparent) 0 0)}
.token.cursor{outline:2px solid var(--soft);outline-offset:-1px;border-radius:.3em}
.tokens:focus-visible,.tokens:focus{outline:none}
.tokens:focus .cursor{outline-color:var(--accent)}
.token[data-badge]::after{content:attr(data-badge);color:oklch(var(--tag) var(--h));font-size:.62em;font-weight:650;margin-inline:.3em .2em;
-webkit-user-select:none;user-select:none}
.labels,.actions,.main,.facts{list-style:none;margin:0;padding:0;display:grid;gap:.35rem}
.idle :is(h2,.labels),.idle .main li:not(:has(.undo)){display:none}
.labels{grid-template-columns:repeat(auto-fill,minmax(min(8rem,47%),1fr));max-height:50vh;overflow:auto}
.main{grid-template-columns:repeat(6,1fr)}
.main li{grid-column:span 2}
.main li:nth-child(-n+3){grid-column:span 3}
.main li:nth-child(1){grid-column:1/-1}
button{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);border-radius:.45rem;
padding:.3rem .6rem;cursor:pointer;text-align:start;display:flex;gap:.5rem;align-items:center;width:100%;min-height:2rem;min-width:0;overflow-wrap:anywhere}
button:hover{border-color:var(--accent)}
button.label{background:oklch(var(--mark) var(--h));border-color:oklch(var(--mark-line) var(--h))}
button.accept{background:var(--accent);border-color:var(--accent);color:var(--panel);font-weight:650;justify-content:center}
button.accept:hover{filter:brightness(1.08)}
.idle .main{grid-template-columns:1fr}
.main button{padding-inline:.4rem;gap:.35rem;font-size:.9rem}
.main kbd{min-width:1.3rem;padding-inline:.2rem}
kbd{font:600 .8rem ui-monospace,monospace;border:1px solid var(--line);border-radius:.3rem;padding:.05rem .35rem;
background:var(--panel);color:var(--text);min-width:1.5rem;text-align:center}
.why:empty{display:none}
progress{flex:1 0 100%;height:.4rem;appearance:none;border:0;border-radius:.2rem;overflow:hidden;background:var(--line)}
progress::-webkit-progress-bar{background:var(--line)}
progress::-webkit-progress-value{background:var(--accent);border-radius:.2rem}
progress::-moz-progress-bar{background:var(--accent)}
.chip{display:inline-block;margin:.1rem .3rem .1rem 0;padding:0 .4em;border-radius:.35em;background:oklch(var(--mark) var(--h));
border:1px solid oklch(var(--mark-line) var(--h))}
.chip .name{color:oklch(var(--tag) var(--h));font-size:.7em;font-weight:650;margin-inline-start:.35em}
.versions{list-style:none;margin:0;padding:0;display:grid;gap:.35rem}
.versions button{align-items:baseline}
.versions strong{flex:none;min-width:3.5rem}
section h2{margin-top:1.1rem}
section h2:first-child{margin-top:0}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.next dd{margin:.2rem 0 .35rem;padding:.4rem .7rem;background:var(--bg);border:1px solid var(--line);border-radius:.4rem}
.next dt{margin-top:.7rem}
button.save{width:auto}
.facts div{display:flex;justify-content:space-between;gap:1rem}
.facts dt{color:var(--soft)}.facts dd{margin:0;text-align:end;font-variant-numeric:tabular-nums}
.why{scroll-margin-top:calc(var(--bar,17rem) + 1rem);font-size:.85rem;overflow-wrap:anywhere}
.reasons,.alternatives{list-style:none;margin:.25rem 0 .75rem;padding:0;display:grid;gap:.25rem}
.reasons li{display:flex;justify-content:space-between;gap:.75rem}
.alternatives li{display:grid;grid-template-columns:3.4rem 1fr;gap:.4rem;align-items:baseline}
.for,.against,.chance{font-variant-numeric:tabular-nums;white-space:nowrap}
.for{color:var(--good)}.against{color:var(--bad)}
.chance{color:var(--soft);text-align:end}
.guidelines{font-size:.9rem;max-height:26rem;overflow:auto;overflow-wrap:anywhere}
.guidelines :is(h3,h4){margin:.9rem 0 .3rem;font-size:1em}
.guidelines h3{font-size:1.08em}
.guidelines>:first-child{margin-top:0}
.guidelines :is(ul,ol){margin:.25rem 0 .6rem;padding-inline-start:1.3rem}
.guidelines :not(pre)>code,.guidelines pre{background:var(--bg);border:1px solid var(--line);border-radius:.3rem;padding:.05em .3em}
.guidelines pre{padding:.5rem .7rem;white-space:pre-wrap}
.guidelines blockquote{margin:.4rem 0;padding-inline-start:.8rem;border-inline-start:3px solid var(--line);color:var(--soft)}
.note{margin-top:1rem;color:var(--soft);font-size:.9rem}
dialog{border:1px solid var(--line);border-radius:.6rem;background:var(--panel);color:inherit;width:min(34rem,92vw);padding:1.2rem}
dialog::backdrop{background:rgb(0 0 0/.45)}
dialog input,dialog textarea{font:inherit;width:100%;padding:.4rem .6rem;border:1px solid var(--soft);border-radius:.4rem;
background:var(--bg);color:inherit}
dialog .row{display:flex;gap:.75rem;align-items:center;justify-content:space-between;margin:.35rem 0}
dialog .row button{width:auto}
.asked{display:flex;gap:.5rem}
.asked button{width:auto;flex:none}
.found{list-style:none;padding:0;margin:.75rem 0;display:grid;gap:.35rem;max-height:55vh;overflow:auto}
.found button{display:block}
.found button:focus-visible{outline-offset:-3px}
.found .about{display:flex;justify-content:space-between;gap:1rem;font-size:.85rem}
.found .text{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
.state{color:var(--soft);text-align:end}
.state.accept{color:var(--good)}
.state.reject,.state.flag{color:var(--bad)}
mark{background:color-mix(in oklch,var(--accent) 25%,transparent);color:inherit;border-radius:.2em}
${narrow}
`;
