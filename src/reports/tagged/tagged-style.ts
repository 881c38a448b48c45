/** What the page of tagged text has beside the style of all pages. */
export const taggedStyle = `
main{background:var(--panel);border:1px solid var(--line);border-radius:.75rem;padding:.25rem 1.25rem;max-width:69.5rem;width:calc(100% - 2.5rem)}
.legend{margin-top:.75rem}
article{border-bottom:1px solid var(--line);padding:.85rem 0}
article:last-child{border-bottom:0}
article p{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;line-height:2.1;max-width:62rem}
article .id{color:var(--soft);font-size:.8rem;line-height:1.4;margin:0 0 .15rem;white-space:normal}
ruby{display:inline-flex;flex-direction:column;align-items:center;max-width:100%;vertical-align:top;line-height:1.35;
background:oklch(var(--mark) var(--h));border-radius:.35em;padding:.1em .3em .15em;margin:0 .08em .35em 0}
rt{font-size:.65em;font-weight:650;letter-spacing:.02em;line-height:1.3;color:oklch(var(--tag) var(--h));padding:0 .15em;
-webkit-user-select:none;user-select:none}
p.words{line-height:1.6}
ruby.unsure{outline:2px dashed oklch(var(--mark-line) var(--h));outline-offset:-2px}
.p{font-weight:400}
@media print{article{break-inside:avoid}main{border:0;padding:0;width:auto}}
@media (max-width:30rem){main{padding:.1rem .9rem;width:calc(100% - 1.5rem)}.wrap,header,footer{padding-left:.75rem;padding-right:.75rem}}
`;
