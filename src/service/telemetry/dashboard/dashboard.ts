import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { RejectedSample } from '../../../engine/core/run-status.js';
import { redacted } from '../../../engine/core/secrets.js';
import { html } from '../../../reports/page/html.js';
import { pageFrame } from '../../../reports/page/page.js';
import { baseStyle } from '../../../reports/page/style.js';
import { foreignRequest } from '../../../runtime/http/guard.js';
import { plain } from '../../../runtime/http/probes.js';
import { securityHeaders } from '../../../runtime/http/security-headers.js';
import { threadFile } from '../../../runtime/thread-file.js';
import { type Figures, RunHistory, type Sample } from './run-history.js';

/** Data of a dashboard in addition to the metrics. */
export interface DashboardSource {
  /** Title, such as `train names.yaml`. */
  readonly title: string;
  figures(): Promise<Figures>;
  /** Returns the state of the run, such as `running`. */
  state(): string;
  /** Returns recent bad records. */
  rejected?(): readonly RejectedSample[] | undefined;
}

/** The first event: all figures so far. */
export interface DashboardStart extends DashboardUpdate {
  /** Identifier of this run. */
  readonly run: string;
  readonly samples: readonly Sample[];
}

/** A later event. */
export interface DashboardUpdate {
  readonly state: string;
  readonly sample: Sample | undefined;
  readonly rejected: readonly RejectedSample[];
}

/** Maximum number of concurrent viewers. */
const mostViewers = 6;

/** Milliseconds that viewers have to receive the last figures. */
const lastFigures = 300;

/**
 * A page, `/dashboard`, that shows a run while it lasts, from its metrics: one sample per second, which
 * `/dashboard/events` sends to each viewer after the earlier ones (server-sent events).
 */
export class Dashboard {
  readonly routes: Hono;
  readonly #source: DashboardSource;
  readonly #history: RunHistory;
  readonly #run = `${process.pid}-${Date.now()}`;
  readonly #ends = new Set<() => Promise<void>>();

  /** @param hosts authorities under which the page is reached; undefined: any */
  constructor(source: DashboardSource, hosts: () => ReadonlySet<string> | undefined) {
    this.#source = source;
    this.#history = new RunHistory(source.figures);
    this.#history.start();
    const page = shownPage(source.title);
    const app = new Hono();
    app.use(async (context, next) => {
      const header = (name: string) => context.req.header(name);
      const isPage = context.req.path === '/dashboard';
      const foreign = foreignRequest({ header, isPage }, { hosts: hosts() });
      if (foreign !== undefined) return plain(403, redacted(foreign));
      for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
      return next();
    });
    app.get('/dashboard', context => context.html(page));
    app.get('/dashboard/events', context => {
      if (this.#ends.size >= mostViewers) return plain(503, 'too many viewers');
      return streamSSE(context, stream => this.#send(stream));
    });
    this.routes = app;
  }

  /** Sends the last figures to all viewers, then closes the page. */
  async close(): Promise<void> {
    this.#history.stop();
    if (this.#ends.size === 0) return;
    await this.#history.take(Date.now());
    await Promise.all([...this.#ends].map(end => end()));
    await new Promise(resolve => setTimeout(resolve, lastFigures));
  }

  async #send(stream: {
    writeSSE(message: { data: string; event: string; retry?: number }): Promise<void>;
    onAbort(listener: () => void): void;
  }): Promise<void> {
    const send = (event: string, content: DashboardUpdate | DashboardStart) =>
      stream.writeSSE({ event, data: redacted(JSON.stringify(content)), retry: 1000 });
    await new Promise<void>(resolve => {
      const unwatch = this.#history.watch(sample => void send('sample', this.#update(sample)));
      const done = () => {
        unwatch();
        this.#ends.delete(end);
        resolve();
      };
      const end = async () => {
        await send('end', { ...this.#update(this.#history.samples.at(-1)), state: 'ended' });
        done();
      };
      this.#ends.add(end);
      stream.onAbort(done);
      const { samples } = this.#history;
      void send('start', { ...this.#update(samples.at(-1)), run: this.#run, samples });
    });
  }

  #update(sample: Sample | undefined): DashboardUpdate {
    const state = this.#source.state();
    return { state, sample, rejected: this.#source.rejected?.() ?? [] };
  }
}

function shownPage(title: string): string {
  const folder = 'service/telemetry/dashboard/page';
  const script = readFileSync(threadFile(`${folder}/main`), 'utf8');
  const style = readFileSync(new URL('main.css', threadFile(`${folder}/main`)), 'utf8');
  const { head, tail } = pageFrame({
    title: `${title} - Tagstream`,
    style: baseStyle + style + dashboardStyle,
    script,
    connects: true,
  });
  const content = html`<noscript>This page needs JavaScript.</noscript>
<header>
<h1>${title}</h1>
<p class="facts"><strong id="state" role="status">connecting</strong> <span id="facts" class="soft"></span></p>
</header>
<main>
<div id="panels"></div>
<section id="labels" hidden aria-labelledby="labels-h"><h2 id="labels-h">F1 by label</h2><div class="bars"></div></section>
<section id="rejected" hidden aria-labelledby="rejected-h"><h2 id="rejected-h">Rejected records</h2><div></div></section>
</main>
`;
  return head + content.text + tail;
}

/** Styles of the dashboard, in addition to those of all pages. */
const dashboardStyle = `
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
