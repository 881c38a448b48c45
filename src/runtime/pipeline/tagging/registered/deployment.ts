import { TagstreamError } from '../../../../engine/core/errors.js';
import type { DeploymentCounts, RunStatus } from '../../../../engine/core/run-status.js';
import type { Contribution } from '../../../../engine/core/training/contribution.js';
import { type State, stateArray } from '../../../../engine/core/training/state.js';
import { addressText, modelAddress } from '../../../../engine/interfaces/model-address.js';
import type {
  RegisteredModels,
  StandingAlias,
} from '../../../../engine/interfaces/registered-models.js';
import type { DeploymentGate } from '../../../../engine/models/learning/deployment-gate.js';
import type { Model } from '../../../../engine/models/model.js';
import { contentDigest } from '../../../../formats/files/node-parts.js';
import type { RunEvents } from '../../definition/events.js';
import type { RegistryChoice } from '../../setup/run-options.js';
import { openChosenRegistry } from './open-chosen-registry.js';

/** The parts of a run to which a deployment reports. */
interface Reporting {
  readonly events: RunEvents;
  readonly status: RunStatus | undefined;
}

/** The state that a resumed run continues. */
interface Resumed {
  readonly isResumed: boolean;
  /** The deployment's state from the checkpoint. */
  readonly state: State | undefined;
}

/** How the models of a stream are compared with the deployed one. */
interface Comparing {
  readonly gate: DeploymentGate;
  /** Reads a model file. */
  read(bytes: Uint8Array): Model;
}

/** Milliseconds between a failure and the next attempt. */
const pause = 5000;

/**
 * Pushes models of a run to a registry and points an alias to them while the run continues. Deploys the newest model,
 * and skips a model that is superseded before its turn. Failures are counted, reported and retried.
 *
 * A model of a stream only replaces one with which it was compared (see `DeploymentGate`). If another program changes the
 * alias, the model that the alias names then is the next one to be compared with.
 */
export class Deployment {
  /** The address as users write it, `NAME@ALIAS`. */
  readonly address: string;
  readonly #name: string;
  readonly #alias: string;
  readonly #reporting: Reporting;
  readonly #comparing: Comparing | undefined;
  #registry: RegisteredModels;
  readonly #open: () => Promise<RegisteredModels>;
  #next: Uint8Array | undefined;
  #working: Promise<void> | undefined;
  #isEnding = false;
  #wake = () => {};
  #deployed = 0;
  #failures = 0;
  #version: DeploymentCounts['version'];
  /** Digest of the model that the alias named when it was last changed or read here. */
  #live: string | undefined;
  /** Digests of the models up to that one, some of which a resumed run makes again. */
  #earlier: ReadonlySet<string> = new Set();
  /** Whether a new champion has not been deployed yet, because it has not been found as good as the deployed model. */
  #isOffered = false;

  private constructor(
    address: string,
    open: () => Promise<RegisteredModels>,
    registry: RegisteredModels,
    reporting: Reporting,
    comparing: Comparing | undefined,
  ) {
    const wanted = modelAddress(address);
    this.address = addressText(wanted);
    this.#name = wanted.name;
    this.#alias = wanted.alias!;
    this.#open = open;
    this.#registry = registry;
    this.#reporting = reporting;
    this.#comparing = comparing;
    if (reporting.status !== undefined) reporting.status.deployment = () => this.counts;
  }

  /**
   * Opens the registry, and reads the deployed model if the run's models are compared with it; if the registry is missing
   * when a run begins, the run does not start.
   *
   * @param address `nats://NAME@ALIAS`
   * @throws (rejects with) TagstreamError like `openChosenRegistry` and `readModel`
   */
  static async open(
    address: string,
    choice: RegistryChoice,
    reporting: Reporting,
    resumed: Resumed,
    comparing?: Comparing,
  ): Promise<Deployment> {
    const open = () => openChosenRegistry(choice);
    const registry = await open();
    const deployment = new Deployment(address, open, registry, reporting, comparing);
    try {
      await deployment.#start(resumed);
    } catch (thrown) {
      await registry.close();
      throw thrown;
    }
    return deployment;
  }

  get counts(): DeploymentCounts {
    const comparison = this.#comparing?.gate.comparison;
    return {
      ...{ address: this.address, deployed: this.#deployed, failures: this.#failures },
      ...(this.#version && { version: this.#version }),
      ...(comparison && { comparison }),
    };
  }

  /**
   * Returns the model that has not been deployed yet, which a resumed run deploys, and the comparison with the deployed
   * one.
   */
  save(): State {
    const gate = this.#comparing?.gate.save();
    return {
      json: { gate: gate?.json, live: this.#live ?? null, offered: this.#isOffered },
      arrays: { ...gate?.arrays, ...(this.#next && { pending: this.#next }) },
    };
  }

  /** Compares the models on the sentences of a training step. */
  see(contribution: Contribution): void {
    this.#comparing?.gate.see(contribution);
  }

  /** Whether a champion that was offered may be deployed now. */
  get isDue(): boolean {
    return this.#isOffered && this.#comparing?.gate.isOpen !== false;
  }

  /** Deploys a champion's model file, without waiting for completion, if it is as good as the deployed model. */
  offer(bytes: Uint8Array): void {
    const { gate, read } = this.#comparing!;
    const digest = digestOf(bytes);
    const isEarlier = this.#earlier.has(digest);
    this.#isOffered = !isEarlier && !gate.isOpen;
    if (this.#isOffered) this.#reportKept();
    if (this.#isOffered || (isEarlier && digest !== this.#live)) return;
    gate.replace(read(bytes));
    if (!isEarlier) this.#deploy(bytes);
  }

  /**
   * Deploys the model of the finished run, if it is as good as the deployed model.
   *
   * @throws (rejects with) TagstreamError if deployment fails
   */
  async end(bytes: Uint8Array): Promise<void> {
    this.#isEnding = true;
    this.#wake();
    await this.#working;
    const isLive = digestOf(bytes) === this.#live;
    if (isLive || this.#comparing?.gate.isOpen !== false) return this.#attempt(bytes);
    // The deployed model may be one that has waited for the registry.
    if (this.#next !== undefined) await this.#attempt(this.#next);
    this.#reportKept();
  }

  /** Leaves an undeployed model to a resumed run. */
  async close(): Promise<void> {
    this.#isEnding = true;
    this.#wake();
    await this.#registry.close();
    await this.#working;
  }

  /**
   * Continues the comparison of a checkpoint if the alias still names the same model; otherwise compares with the model
   * that it names now.
   */
  async #start({ isResumed, state }: Resumed): Promise<void> {
    const isPending = state !== undefined && Object.hasOwn(state.arrays, 'pending');
    const pending = isPending ? stateArray(state, 'pending', [Uint8Array]) : undefined;
    if (this.#comparing === undefined) {
      if (pending !== undefined) this.#deploy(pending);
      return;
    }
    const { gate, read } = this.#comparing;
    const [registry, name] = [this.#registry, this.#name];
    const standing = await registry.alias(name, this.#alias);
    const { live, offered, gate: saved } = state?.json ?? {};
    this.#isOffered = offered === true;
    if (standing !== undefined) {
      await this.#adopt(standing);
      const versions = isResumed ? await registry.versions(name) : [];
      const until = versions.filter(({ number }) => number <= standing.number);
      this.#earlier = new Set(until.map(({ digest }) => digest));
    }
    const isSame = this.#live === (live ?? undefined);
    if (!isSame && (pending === undefined || this.#live !== digestOf(pending))) return;
    if (pending !== undefined) {
      gate.replace(read(pending));
      this.#deploy(pending);
    }
    if (saved !== undefined) gate.restore({ json: saved as State['json'], arrays: state!.arrays });
  }

  /** Compares with the model that the alias names from now on. */
  async #adopt(standing: StandingAlias): Promise<void> {
    const { gate, read } = this.#comparing!;
    const bytes = await this.#registry.pull(this.#name, standing);
    gate.replace(read(bytes));
    this.#live = standing.digest;
  }

  #reportKept(): void {
    this.#reporting.events.onDeployKept?.(this.address, this.#comparing!.gate.comparison!);
  }

  #deploy(bytes: Uint8Array): void {
    this.#next = bytes;
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    while (this.#next !== undefined && !this.#isEnding) {
      try {
        await this.#attempt(this.#next);
      } catch (thrown) {
        this.#failures += 1;
        const error = TagstreamError.from(thrown, 'connection');
        if (!this.#isEnding) this.#reporting.events.onDeployFailed?.(this.address, error);
        await this.#rest();
      }
    }
    this.#working = undefined;
  }

  async #attempt(bytes: Uint8Array): Promise<void> {
    // The client closes a connection for good when its account expires.
    if (this.#registry.isClosed) this.#registry = await this.#open();
    const registry = this.#registry;
    const [name, alias] = [this.#name, this.#alias];
    const pushed = await registry.push({ name, bytes, source: this.address });
    const { number, digest } = pushed.version;
    const standing = await registry.alias(name, alias);
    const isOther = standing !== undefined && ![digest, this.#live].includes(standing.digest);
    if (isOther && this.#comparing !== undefined) {
      // Another program has changed the alias: the model was not compared with what is deployed now.
      await this.#adopt(standing);
      this.#next = undefined;
      this.#isOffered = true;
      this.#reportKept();
      return;
    }
    await registry.promote({ name, alias, number, before: standing ?? null });
    if (this.#next === bytes) this.#next = undefined;
    this.#live = digest;
    this.#deployed += 1;
    this.#version = { number, digest };
    this.#reporting.events.onDeployed?.(this.address, { number, digest });
  }

  async #rest(): Promise<void> {
    if (this.#isEnding) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, pause);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Returns the digest of a model file, as its version has it. */
function digestOf(bytes: Uint8Array): string {
  return contentDigest([bytes]).replace(/^sha256:/, '');
}
