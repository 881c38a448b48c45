/** Styles of the dashboard, in addition to those of all pages. */
export const dashboardStyle = `
.facts{margin:0}
#state{border-radius:1rem;padding:.15rem .7rem;background:var(--line)}
#state.running{background:var(--good);color:var(--bg)}
#state.stalled,#state.lost{background:var(--bad);color:var(--bg)}
#panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:1rem;margin-bottom:1rem}
section{background:var(--panel);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1rem}
main>section{margin-bottom:1rem}
#panels h2,main>section h2{margin:0 0 .35rem;font-size:1rem}
dl{display:flex;flex-wrap:wrap;gap:.1rem 1rem;margin:0;font-size:.85rem}
dl div{display:flex;gap:.4rem;align-items:baseline}
dt{color:var(--soft)}
dt::before{content:"";display:inline-block;width:.7em;height:.7em;border-radius:.2em;margin-right:.35em;background:oklch(var(--tag) var(--h))}
dd{margin:0;font-variant-numeric:tabular-nums;font-weight:600}
.chart{height:140px;margin-top:.4rem;overflow:hidden}
.bars{display:grid;grid-template-columns:max-content 1fr max-content;gap:.2rem .7rem;align-items:center;font-size:.9rem}
.bars meter{width:100%}
#rejected details{border-top:1px solid var(--line);padding:.4rem 0}
#rejected summary{cursor:pointer}
#rejected .reason{border-inline-start:.25rem solid var(--line);padding-inline-start:.7rem;margin:.4rem 0}
#rejected .reason p{margin:.2rem 0}
#rejected pre{overflow:auto;background:var(--bg);border-radius:.35rem;padding:.5rem;margin:.3rem 0;white-space:pre-wrap;overflow-wrap:anywhere}`;
