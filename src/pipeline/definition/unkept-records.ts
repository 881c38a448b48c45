import type { Policy } from '../../io/bad-records/policy.js';
import { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import { deadLetterOptionsOf } from './dead-letter-options-of.js';
import type { Pipeline } from './pipeline.js';

/**
 * Dead letters as the pipeline says, but without a file: where it is trained several times, each would add
 * the same rejected records to it.
 */
export function unkeptRecords(pipeline: Pipeline): DeadLetters {
  const { file: _, ...options } = deadLetterOptionsOf(pipeline);
  const unkept = (policy: Policy): Policy =>
    ['dead-letter', 'pass'].includes(policy) ? 'skip' : policy;
  const policies = Object.entries(options.policies ?? {}).map(([fault, policy]) => [
    fault,
    unkept(policy ?? options.policy),
  ]);
  return new DeadLetters({
    ...options,
    policy: unkept(options.policy),
    policies: Object.fromEntries(policies),
  });
}
