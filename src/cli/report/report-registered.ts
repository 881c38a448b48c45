import { thrownMessage } from '../../engine/core/errors.js';
import type { Log } from '../../engine/core/log.js';
import type { DeploymentComparison } from '../../engine/core/run-status.js';
import { counted, grouped } from '../../engine/core/wording/numbers.js';
import { type RegisteredVersion, versionText } from '../../engine/interfaces/registered-models.js';

/** Reports the model version with which a run begins, or that it loads next. */
export function reportVersion(address: string, version: RegisteredVersion, log: Log): void {
  log.info(`model: ${address} is version ${versionText(version)}`, fields(address, version));
}

/** Reports that a version was rejected, and the reason. */
export function reportVersionRefused(
  address: string,
  version: RegisteredVersion,
  error: unknown,
  log: Log,
): void {
  const reason = thrownMessage(error);
  log.warn(
    `keeping the old model: version ${versionText(version)} of ${address} was rejected: ${reason}`,
    { ...fields(address, version), reason },
  );
}

/** Reports that a model was pushed, and that its alias now points to it. */
export function reportDeployed(address: string, version: RegisteredVersion, log: Log): void {
  log.info(`deployed: ${address} is version ${versionText(version)}`, fields(address, version));
}

/** Reports that a model is not deployed, because it has not been found as good as the deployed one. */
export function reportDeployKept(
  address: string,
  { required, records, tokens, errors, deployedErrors }: DeploymentComparison,
  log: Log,
): void {
  const shown = `of ${counted(tokens, 'token')} in the last ${counted(records, 'labelled sentence')}, this run's model tagged ${grouped(errors)} wrongly, the deployed one ${grouped(deployedErrors)}`;
  const reason = records < required ? `; deploy.records asks for ${grouped(required)}` : '';
  log.warn(`${address} keeps its model: ${shown}${reason}`, {
    ...{ model: address, required, records, tokens, errors, deployedErrors },
  });
}

/** Reports that a model could not be deployed, and the reason; the run continues. */
export function reportDeployFailed(address: string, { message }: Error, log: Log): void {
  log.warn(`could not deploy to ${address}, trying again: ${message}`, {
    ...{ model: address, reason: message },
  });
}

function fields(model: string, { number, digest }: RegisteredVersion): Record<string, unknown> {
  return { model, version: number, digest };
}
