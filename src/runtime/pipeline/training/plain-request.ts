import { TagstreamError } from '../../../engine/core/errors.js';
import { called, kinds } from '../../../engine/core/schema/require-argument.js';
import type { OnlineOptimizer } from '../../../engine/optimizers/optimizer.js';
import { optimizers } from '../../../engine/optimizers/optimizers.js';
import type { BatchOptimizer } from '../../../engine/trainers/trainer-component.js';
import { trainers } from '../catalogue/trainers.js';
import type { TrainRequest } from './train-request.js';
import type { TrainerChoice } from './trainer-choice.js';

/** Components with a name in requests. */
const known = new Set<unknown>([...optimizers, ...trainers]);

/** The fix if an optimizer is expected. */
const asMade =
  'call a factory, as in sgd({ eta0: 0.1 }), or give the same as data, { sgd: { eta0: 0.1 } }';

/**
 * Returns a request whose optimizer is data, under its name in pipeline files.
 *
 * @throws TagstreamError `config` for an invalid optimizer or loss
 */
export function plainRequest(request: TrainRequest): TrainRequest {
  if (typeof request !== 'object' || request === null) return request;
  const { optimizer, trainer } = request;
  requireLoss(request.loss);
  requireChoice('optimizer', optimizer);
  requireChoice('trainer', trainer);
  if (optimizer !== undefined && trainer !== undefined) {
    const problem = 'trainer is the former name of optimizer, and both are given';
    throw new TagstreamError('config', problem, { fix: 'leave out trainer' });
  }
  return optimizer === undefined ? request : { ...request, optimizer: plainOptimizer(optimizer) };
}

/**
 * Returns an optimizer with its options as data, `{ name: options }`, and anything else unchanged.
 *
 * @throws TagstreamError `config` for an optimizer that pipeline files do not know
 */
export function plainOptimizer<Value>(value: Value): Value | TrainerChoice {
  if (!isMade(value)) return value;
  const { component, options } = value;
  if (known.has(component)) return { [component.name]: options } as unknown as TrainerChoice;
  throw new TagstreamError('config', `optimizer: train has no optimizer ${component.name}`, {
    fix: 'createLearner takes optimizers of your own; a pipeline file takes those of plug-ins',
  });
}

function isMade(value: unknown): value is OnlineOptimizer<unknown> | BatchOptimizer<unknown> {
  return kinds.optimizer.accepts(value);
}

function requireChoice(name: string, choice: unknown): void {
  if (choice === undefined || (typeof choice === 'object' && choice !== null)) return;
  const fix =
    typeof choice === 'function' ? 'call the factory: sgd(), or sgd({ eta0: 0.1 })' : asMade;
  const problem = `${name}: expected an optimizer with its options, got ${called(choice)}`;
  throw new TagstreamError('config', problem, { fix });
}

function requireLoss(loss: unknown): void {
  if (loss === undefined || typeof loss === 'string') return;
  if (typeof loss === 'object' && loss !== null && !Array.isArray(loss)) return;
  throw new TagstreamError('config', `loss: expected a loss, got ${called(loss)}`, {
    fix:
      typeof loss === 'function'
        ? 'call the factory: logLoss()'
        : "call a factory, as in logLoss(), or give the same as data, 'log'",
  });
}
