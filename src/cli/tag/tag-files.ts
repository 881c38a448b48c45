import { standardStreams } from '../../io/files/standard-streams.js';
import { readPipesAhead } from '../../io/reading/read-pipes-ahead.js';
import { waitFor } from '../../io/sources/wait-for.js';
import { requireNoContext } from '../../pipeline/setup/require-no-context.js';
import { reportGuessed } from '../report/report-guessed.js';
import type { Reporting } from '../report/reporting.js';
import { type ReloadRequests, reloadRequests } from '../signals/reload-requests.js';
import { stopSignal } from '../signals/stop-signal.js';
import { firstModel } from './first-model.js';
import { reloadsOf } from './reload-checks.js';
import { requireTagFilesApart } from './require-tag-files-apart.js';
import type { TagArguments } from './tag-arguments.js';
import { canTagInBlocks, tagInBlocks } from './tag-in-blocks.js';
import { tagInput } from './tag-input.js';

/** Tags files, or the standard input, with a model, in this thread. */
export async function tagFiles(given: TagArguments, report: Reporting): Promise<void> {
  const stop = stopSignal(report, given.shutdownTimeout);
  let reloads: ReloadRequests | undefined;
  try {
    requireTagFilesApart(given);
    reloads = reloadRequests(report.log, reloadsOf(given));
    await readPipesAhead([given.model, given.dictionary, given.rules], stop.signal);
    const first = firstModel(given, report);
    if (given.checkpoint !== undefined) requireNoContext(first.checks.spec);
    const input = await waitFor(tagInput(given, first.checks.spec), stop);
    if (input === 'stopped') standardStreams().stdin.destroy();
    else if (input !== 'late') {
      if (input.guessed === true) reportGuessed(input.files[0]!, report.log);
      const work = { first, input, given, stopping: stop.signal, reloads, report };
      if (canTagInBlocks(work)) await tagInBlocks(work);
      else await (await import('./tag-as-stream.js')).tagAsStream(work);
    }
  } finally {
    reloads?.dispose();
    stop.dispose();
  }
}
