/** What the page of tagged text has beside the style of all pages. */
export const taggedStyle = `
main{background:var(--panel);border:1px solid var(--line);border-radius:.75rem;padding:.25rem 1.25rem;width:calc(100% - 2.5rem)}
article{border-bottom:1px solid var(--line);padding:.85rem 0}
article:last-child{border-bottom:0}
article p{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;line-height:2.1;max-width:62rem}
article .id{color:var(--soft);font-size:.8rem;line-height:1.4;margin:0 0 .15rem;white-space:normal}
ruby{ruby-position:under;background:oklch(var(--mark) var(--h));border-radius:.3em;padding:.1em .25em;
-webkit-box-decoration-break:clone;box-decoration-break:clone}
rt{font-size:.62em;font-weight:650;letter-spacing:.02em;line-height:1.5;color:oklch(var(--tag) var(--h));padding:0 .15em;
-webkit-user-select:none;user-select:none}
p.words{line-height:2.9!important}
ruby.unsure{box-shadow:inset 0 0 0 2px oklch(var(--mark-line) var(--h));}
.p{font-weight:400}
@media print{article{break-inside:avoid}main{border:0;padding:0;width:auto}}
@media (max-width:30rem){main{padding:.1rem .9rem;width:calc(100% - 1.5rem)}.wrap,header,footer{padding-left:.75rem;padding-right:.75rem}}
`;
