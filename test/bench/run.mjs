// Speed of the parts, as ratios measured side by side in one run: `npm run bench`, `-- --json` for
// machines, `-- --quick` for a short look. Nothing is asserted: machines differ.

import { growth } from './growth.mjs';
import { stages } from './stages.mjs';
import { table } from './table.mjs';
import { workers } from './workers.mjs';

const json = process.argv.includes('--json');
const runs = process.argv.includes('--quick') ? 2 : 5;

const results = {
  node: process.version,
  runs,
  stages: await stages(runs),
  growth: growth(runs),
  workers: await workers(runs),
};
if (json) {
  process.stdout.write(`${JSON.stringify(results)}\n`);
} else {
  process.stdout.write(`medians of ${runs} runs, node ${process.version}\n\n`);
  table(['stage', 'us a token', 'tokens/s', 'against decoding'], results.stages);
  table(['tokens', 'us a token, training', 'against x1'], results.growth.tokens);
  table(['labels', 'us a token, training', 'against 8'], results.growth.labels);
  table(['workers', 'ms, one', 'ms, two', 'times as fast'], results.workers);
}
