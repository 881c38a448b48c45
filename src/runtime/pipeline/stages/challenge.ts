import type { RunStatus } from '../../../engine/core/run-status.js';
import { Contest } from '../../../engine/models/learning/contest.js';
import type { Learner } from '../../../engine/models/learning/learner.js';
import type { Model } from '../../../engine/models/model.js';
import { restoreModelState, saveModelState } from '../../../engine/models/state/model-state.js';
import { champion } from '../../../engine/operators/champion.js';
import type { RunContext } from '../definition/run-context.js';
import type { StepOptions } from '../learners/trainee.js';
import { firstLearner } from '../options/challenge-options.js';
import type { Challenger, LearnPlan, TrainPlan } from '../plan/plan.js';
import { restorePart } from '../setup/restore-run.js';
import type { Saves } from './checkpoint.js';
import { createLoss, derivePredictions } from './contribute.js';
import { buildModel } from './featurize.js';
import { createLearner } from './optimize.js';

/** The challengers of a plan, before they join the plan's own learner. */
export interface BuiltChallenge {
  readonly learners: Readonly<Record<string, Learner>>;
  /** Enters the challengers in a contest with the plan's learner. */
  readonly challenge: StepOptions['challenge'];
  /** The plans of the challengers, by name. */
  readonly plans: ReadonlyMap<string, LearnPlan>;
}

/**
 * Builds the challengers of a plan, restored if the run resumes; undefined if it has none.
 *
 * @param model the plan's model, from whose encoding some challengers learn
 * @param start sets the initial weights of a plan's model
 * @throws TagstreamError like `buildModel` and `buildLearner`
 */
export function buildChallenge(
  plan: TrainPlan | LearnPlan,
  model: Model,
  context: RunContext,
  start: (plan: LearnPlan, model: Model) => void,
): BuiltChallenge | undefined {
  if (plan.kind !== 'learn' || plan.challenge === undefined) return undefined;
  const { challengers, options } = plan.challenge;
  const learners = challengers.map(challenger => {
    const own = buildChallengerModel(challenger, model, context);
    if (context.restored === undefined) start(challenger.plan, own);
    const loss = createLoss(challenger.plan.loss, own);
    const part = partOf(challenger.name, 'learner');
    return [challenger.name, createLearner(challenger.plan, own, loss, context, part)] as const;
  });
  const all = Object.fromEntries(learners);
  const { alpha } = options;
  return {
    learners: all,
    plans: new Map(challengers.map(challenger => [challenger.name, challenger.plan])),
    challenge: learner => {
      const contest = new Contest(
        { [firstLearner]: learner, ...all },
        { alpha, onSwitch: change => context.events.onChampion?.(change) },
      );
      return { contest, learn: champion(contest, derivePredictions(plan).confidence) };
    },
  };
}

function buildChallengerModel(
  { name, plan, isTwin }: Challenger,
  model: Model,
  context: RunContext,
): Model {
  const { restored, kernel, catalogue } = context;
  const part = partOf(name, 'model');
  if (!isTwin) return buildModel(plan, context, part);
  if (restored === undefined) return model.twin();
  const { functions } = catalogue;
  const saved = restorePart(restored, part, state =>
    restoreModelState(state, kernel, model.limit, functions),
  );
  return model.twin(saved.parameters);
}

/**
 * Restores a contest if the run resumes, and publishes its standings.
 *
 * @returns parts of checkpoints for the contest and the challengers
 */
export function openContest(
  contest: Contest,
  { restored, status }: Pick<RunContext, 'restored'> & { readonly status?: RunStatus | undefined },
): Saves {
  if (restored !== undefined) restorePart(restored, 'contest', state => contest.restore(state));
  if (status !== undefined) {
    status.contest = () => ({ switches: contest.switches, standings: contest.standings });
  }
  const parts = [...contest.learners].filter(([name]) => name !== firstLearner);
  const saves = parts.flatMap(([name, learner]): [string, Saves[string]][] => [
    [partOf(name, 'model'), { save: () => saveModelState(learner.model) }],
    [partOf(name, 'learner'), learner],
  ]);
  return { contest, ...Object.fromEntries(saves) };
}

/** Returns the name of a challenger's part of a checkpoint. */
function partOf(challenger: string, what: 'model' | 'learner'): string {
  return `challengers.${challenger}.${what}`;
}

/** Returns the plan that describes a learner. */
export function planOf(
  learner: Learner,
  plan: TrainPlan | LearnPlan,
  challenge: BuiltChallenge | undefined,
): TrainPlan | LearnPlan {
  const [name] = Object.entries(challenge?.learners ?? {}).find(([, own]) => own === learner) ?? [];
  return (name === undefined ? undefined : challenge!.plans.get(name)) ?? plan;
}
