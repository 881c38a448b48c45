import { TagstreamError } from '../../core/errors.js';
import { parseOptions } from '../../core/schema/parse-options.js';
import { called, kinds, requireKnown } from '../../core/schema/require-argument.js';
import type { OnlineOptimizer } from '../../optimizers/optimizer.js';
import { optimizers } from '../../optimizers/optimizers.js';
import type { BatchOptimizer } from '../../trainers/trainer-component.js';
import { trainers } from '../catalogue/trainers.js';
import type { TrainRequest } from './train-request.js';
import type { TrainerChoice } from './trainer-choice.js';

/** Components that have a name in requests, by which they are found again. */
const all = [...optimizers, ...trainers];
const known = new Set<unknown>(all);

/** What helps where an optimizer is expected. */
const asMade =
  'give what a factory makes, as sgd({ eta0: 0.1 }), or the same as data, { sgd: { eta0: 0.1 } }';

/**
 * A request with its optimizer as data, by the name that pipeline files have for it.
 *
 * @throws TagstreamError `config` for an optimizer or a loss that is none
 */
export function plainRequest(request: TrainRequest): TrainRequest {
  if (typeof request !== 'object' || request === null) return request;
  const { optimizer, ...others } = request;
  requireLoss(others.loss);
  if (optimizer === undefined) {
    requireChoice('trainer', others.trainer);
    return others;
  }
  if (others.trainer !== undefined) {
    throw new TagstreamError(
      'config',
      'trainer: it is the earlier name of optimizer, which is given too',
      {
        fix: 'leave out trainer',
      },
    );
  }
  requireChoice('optimizer', optimizer);
  if (!isMade(optimizer)) requireNamed(optimizer);
  return { ...others, trainer: plainOptimizer(optimizer) as TrainerChoice };
}

/**
 * An optimizer with its options as data, `{ name: options }`; anything else as it is.
 *
 * @throws TagstreamError `config` for one that pipeline files do not know
 */
export function plainOptimizer<Value>(value: Value): Value | TrainerChoice {
  if (!isMade(value)) return value;
  const { component, options } = value;
  if (known.has(component)) return { [component.name]: options } as unknown as TrainerChoice;
  throw new TagstreamError('config', `optimizer: train does not know ${component.name}`, {
    fix: 'createLearner takes optimizers of your own; a pipeline file takes those of plug-ins',
  });
}

function isMade(value: unknown): value is OnlineOptimizer<unknown> | BatchOptimizer<unknown> {
  return kinds.optimizer.accepts(value);
}

/** That data names one optimizer that there is, with options that it has. */
function requireNamed(choice: object): void {
  requireKnown(
    'optimizer',
    choice,
    all.map(({ name }) => name),
  );
  const [entry, ...more] = Object.entries(choice);
  if (entry === undefined || more.length > 0) {
    throw new TagstreamError('config', 'optimizer: exactly one optimizer is expected', {
      fix: asMade,
    });
  }
  const [name, options] = entry;
  const component = all.find(each => each.name === name)!;
  parseOptions(component.options, options, `optimizer.${name}`);
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
        : "give what a factory makes, as logLoss(), or the same as data, 'log'",
  });
}
