/** Dashes distinguish lines where colours do not. */
const dashes = ['none', '7 4', '2 3', '9 3 2 3', '12 4', '4 2'];

/** The dash of each line, by its class `d0`, `d1`, ... */
export const dashStyle = dashes.map((dash, i) => `.d${i}{stroke-dasharray:${dash}}`).join('');

/** What the page of a study has beside the style of evaluations. */
export const studyStyle = `
h3{overflow-wrap:anywhere}
td.published,td.difference,th.published,th.difference{color:var(--soft)}
td.measured{font-weight:550}
figure.plot{margin:0 0 1.5rem}
figure.plot figcaption{color:var(--text);font-weight:550}
figure.plot svg{max-width:44rem}
svg .line{stroke:oklch(var(--tag) var(--h));stroke-width:2;fill:none}
svg .dot{fill:oklch(var(--tag) var(--h));stroke:var(--panel);stroke-width:1}
ul.key{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;list-style:none;margin:.5rem 0 0;padding:0;font-size:.9rem}
ul.key li{display:inline-flex;align-items:center;gap:.45rem;overflow-wrap:anywhere}
ul.key svg{width:2rem;height:.8rem;flex:none}
ul.expected{list-style:none;margin:0;padding:0}
ul.expected li{padding:.2rem 0}
.yes{color:var(--good);font-weight:650}
.no{color:var(--bad);font-weight:650}
${dashStyle}`;

/** Kinds of dashes that there are. */
export const dashCount = dashes.length;
