import { openRegisteredModel } from '../../runtime/pipeline/tagging/registered/registered-model.js';
import { registryOf } from '../options/nats-options.js';
import { reportVersion, reportVersionRefused } from '../report/report-registered.js';
import type { Reporting } from '../report/reporting.js';
import type { TagArguments } from './refuse-shown.js';

/** Tags with a registry model, whose file is replaced when its alias is promoted. */
export async function tagRegistered(
  given: TagArguments,
  { log }: Reporting,
  tag: (given: TagArguments) => Promise<void>,
): Promise<void> {
  const model = await openRegisteredModel(given.model, registryOf(given));
  const { address, file } = model;
  reportVersion(address, model.version, log);
  const promotions = (listener: () => void) => {
    model.follow({
      onChange: version => {
        reportVersion(address, version, log);
        listener();
      },
      onRefused: (error, version) => reportVersionRefused(address, version, error, log),
    });
    return () => undefined;
  };
  try {
    await tag({ ...given, model: file, watch: false, promotions });
  } finally {
    await model.close();
  }
}
