/** Widths of bars in steps of 5 %, and shades of the confusion matrix. */
const steps = Array.from({ length: 21 }, (_, i) => `.b${i}{--w:${i / 20}}`).join('');
const shades = Array.from({ length: 9 }, (_, i) => `.s${i}{--s:${i}}`).join('');

/** Styles of the evaluation page, in addition to those of all pages. */
export const evaluationStyle = `
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:.75rem 0 0;padding:0;font-size:.9rem}
nav a{display:inline-block;padding:.15rem 0}
main>section{position:relative;background:var(--panel);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem;margin:0 0 1rem;
scroll-margin-top:1rem}
dl.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(max(8.5rem,var(--least,22%)),1fr));gap:.75rem;margin:0}
dl.figures:has(>:nth-child(5):last-child){--least:17%}
dl.figures div{border:1px solid var(--line);border-radius:.6rem;padding:.6rem .8rem;display:flex;flex-direction:column}
dl.figures dt{color:var(--soft);font-size:.85rem}
dl.figures dd{margin:0;font-size:1.45rem;font-weight:620;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
dl.figures dd small{font-size:.8rem;font-weight:400;color:var(--soft);letter-spacing:0;display:block}
.scroll{overflow-x:auto;max-width:100%;position:relative}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
table.wide{width:100%}
caption{text-align:left;color:var(--soft);padding:0 0 .5rem}
th,td{padding:.3rem .6rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
thead th{color:var(--soft);font-weight:550;font-size:.8rem;vertical-align:bottom}
th:first-child,th.left,td.left{text-align:left}
tbody th{font-weight:550}
tfoot th,tfoot td{font-weight:650;border-bottom:0}
.bar{background:linear-gradient(var(--accent),var(--accent)) .6rem 50%/calc((100% - 5.4rem)*var(--w)) .5rem no-repeat;min-width:11rem}
th small{display:none;font-weight:400;color:var(--soft);white-space:normal}
.pairs{display:flex;flex-wrap:wrap;gap:.5rem 2.5rem}
.pairs>div{min-width:0;max-width:100%}
.pairs p{width:0;min-width:100%}
table.figures thead th{white-space:normal;min-width:5rem}
table.matrix th,table.matrix td{padding:.2rem .35rem;border:0;text-align:center;font-size:.75rem;min-width:2.1rem}
table.matrix thead th.turned{vertical-align:bottom;padding-bottom:.4rem}
table.matrix .turned span{writing-mode:vertical-rl;transform:rotate(180deg);display:inline-block}
table.matrix tbody th{text-align:right;position:sticky;left:0;background:var(--panel)}
.cell{background:color-mix(in oklab,var(--shade) calc(var(--s)*5%),transparent);border-radius:.25rem;--shade:var(--bad)}
.cell.right{--shade:var(--good);font-weight:650}
.cols{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:1.5rem}
figure{margin:0}
figure svg{display:block;width:100%;height:auto;max-width:26rem}
#curve svg{max-width:36rem}
figcaption{color:var(--soft);font-size:.9rem;margin-bottom:.5rem}
svg text{fill:var(--soft);font-size:12px;font-family:inherit}
svg .grid{stroke:var(--grid)}
svg .axis{stroke:var(--soft)}
svg .ideal{stroke:var(--soft);stroke-dasharray:4 4;fill:none}
svg .curve{stroke:var(--accent);stroke-width:2;fill:none}
svg .point{fill:var(--accent);stroke:var(--panel);stroke-width:1.5}
svg .second{stroke:var(--good);stroke-dasharray:6 3}
svg .point.second{fill:var(--good);stroke:var(--panel);stroke-dasharray:none}
svg .count{fill:var(--accent);opacity:.45}
details{margin-top:.5rem}
summary{cursor:pointer;color:var(--accent);padding:.2rem 0;width:fit-content}
form.filter{display:flex;flex-wrap:wrap;gap:.6rem 1rem;align-items:end;margin:0 0 .75rem}
form.filter label{display:flex;flex-direction:column;gap:.2rem;font-size:.85rem;color:var(--soft)}
select,button{font:inherit;font-size:.9rem;color:var(--text);background:var(--bg);border:1px solid var(--soft);
border-radius:.45rem;padding:.35rem .6rem;max-width:100%}
button{cursor:pointer}
ol.errors{list-style:none;margin:0;padding:0}
ol.errors>li{border-top:1px solid var(--line);padding:.6rem 0;line-height:2;overflow-wrap:anywhere;display:grid;grid-template-columns:2.25rem minmax(0,1fr)}
ol.errors .n{color:var(--soft);font-size:.8rem;line-height:2.5;font-variant-numeric:tabular-nums}
.rows{display:grid;grid-template-columns:auto 1fr;gap:0 .75rem;margin:0}
.rows dt{color:var(--soft);font-size:.8rem;line-height:2.5}
.rows dd{margin:0}
mark.fine{background:transparent}
mark.span{line-height:1.5}
mark.missed,mark.spurious{box-shadow:none;outline:2px dashed var(--bad);outline-offset:-1px}
mark.spurious{outline-style:solid}
mark .note{color:var(--bad);font-weight:700;margin-right:.2em}
.wrong{border-bottom:2px solid var(--bad);padding-bottom:.05em}
.wrong s{color:var(--bad);font-size:.72em;font-weight:600;margin-left:.35em}
.wrong b{color:var(--good);font-size:.72em;margin-left:.35em}
[hidden]{display:none!important}
@media print{main>section{border:0;padding:0;break-inside:auto}ol.errors>li,figure,tr{break-inside:avoid}.scroll{overflow:visible}}
@media (max-width:30rem){.rows{gap:0 .5rem}ol.errors>li{grid-template-columns:1.5rem minmax(0,1fr)}
th,td{padding:.3rem .35rem}thead th,table.tight td{white-space:normal}table.tight :is(th,td){padding:.3rem .2rem;font-size:.75rem}.scores :is(th,td):nth-child(n+2):nth-child(-n+4){display:none}th small{display:block}
.bar{background:none;min-width:0}.scroll tbody th,.scroll tfoot th{position:sticky;left:0;background:var(--panel)}
figure svg text{font-size:16px}figure svg{overflow:visible}figure.plot svg text{font-size:20px}figure svg.square text{font-size:12px}main>section{padding:1rem .9rem}.wrap,header,main,footer{padding-left:.75rem;padding-right:.75rem}}
${steps}${shades}`;

/** Filters the errors by label and by tag pair, and opens a link's target; nothing else. */
export const evaluationScript = `
'use strict';
{
const form = document.getElementById('filter');
const items = [...document.querySelectorAll('ol.errors > li')];
const count = document.getElementById('count');
const has = (list, number) => number === '' || (' ' + list + ' ').includes(' ' + number + ' ');
const show = () => {
  let shown = 0;
  for (const item of items) {
    const fits = has(item.dataset.l, form.label.value) && has(item.dataset.p, form.pair.value);
    item.hidden = !fits;
    if (fits) shown += 1;
  }
  count.textContent = shown + ' of ' + items.length + ' sentences shown';
};
if (form !== null) {
  form.hidden = false;
  form.addEventListener('input', show);
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(show));
  for (const link of document.querySelectorAll('a[data-pair]')) {
    link.addEventListener('click', () => {
      form.label.value = '';
      form.pair.value = link.dataset.pair;
      show();
    });
  }
  show();
}
}
`;
