import { colourStyle } from '../label-palette.js';

/** Colours by label: `c0`, `c1`, ... set the hue of marks, tags and legends. */
export const colours = colourStyle('c');

/** Colours of pages, including those of marks. */
export const light = `--bg:#f6f7f9;--panel:#fff;--text:#1b1f27;--soft:#565e6c;--line:#dde1e8;--accent:#1f55c4;
--good:#17703c;--bad:#b01f18;--grid:#e6e9ee;--mark:.935 .055;--mark-line:.78 .1;--tag:.38 .12;
--mark-deep:.84 .1;--mark-line-deep:.6 .12;--tag-deep:.3 .1`;

/** The same colours for readers who prefer dark pages. */
export const dark = `--bg:#121418;--panel:#1b1e24;--text:#e7eaf0;--soft:#a6aebd;--line:#333a45;--accent:#8db4ff;
--good:#6cd297;--bad:#ff9d94;--grid:#2a303a;--mark:.33 .06;--mark-line:.5 .1;--tag:.88 .07;
--mark-deep:.45 .1;--mark-line-deep:.64 .12;--tag-deep:.95 .04`;

/** Spans in the colours of their labels. */
export const markStyle = `mark.span{background:oklch(var(--mark) var(--h));color:inherit;border-radius:.35em;padding:.1em .3em;
box-shadow:inset 0 0 0 1px oklch(var(--mark-line) var(--h));
-webkit-box-decoration-break:clone;box-decoration-break:clone}
.tag{color:oklch(var(--tag) var(--h));font-size:.7em;font-weight:650;letter-spacing:.02em}
mark .tag{margin-left:.4em;-webkit-user-select:none;user-select:none}
.tag .p{white-space:nowrap}`;

/** Styles shared by all pages: colours for light and dark, type, marks, print. */
export const baseStyle = `
:root{color-scheme:light dark;${light}}
@media screen and (prefers-color-scheme:dark){:root{
${dark}}}
*{box-sizing:border-box}
html{font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;
background:var(--bg);color:var(--text);-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0}
.wrap,header,main,footer{max-width:72rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem;padding-bottom:1rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{font-size:1.15rem;line-height:1.3;margin:0 0 .75rem;letter-spacing:-.01em}
h3{font-size:.95rem;margin:1rem 0 .5rem}
p{margin:.25rem 0 .75rem}
.soft,footer{color:var(--soft)}
.warnings{margin:.5rem 0;padding:.5rem 1rem .5rem 2rem;border-left:4px solid currentColor}
footer{padding-top:1rem;padding-bottom:2.5rem;font-size:.85rem}
a{color:var(--accent);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.25rem}
.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
${markStyle}
.legend{display:flex;flex-wrap:wrap;gap:.35rem .5rem;list-style:none;margin:0;padding:0;font-size:.9rem}
.legend li{display:inline-flex}
@media print{:root{color-scheme:light;--bg:#fff;--panel:#fff}html{font-size:11px}.noprint{display:none!important}
mark.span,.cell,.bar{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
${colours}`;
