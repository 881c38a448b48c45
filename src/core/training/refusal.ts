/** Settings of a training that components look at. */
export interface TrainingSettings {
  /** Absent on a stream. */
  readonly epochs?: number | undefined;
  readonly seeds?: number | undefined;
  readonly dropout?: number | undefined;
  readonly workers?: number | undefined;
  readonly mode?: 'deterministic' | 'hogwild' | undefined;
  readonly threshold?: object | undefined;
  readonly temperature?: number | undefined;
  readonly compact?: boolean | undefined;
  readonly start?: string | undefined;
}

/** Why a setting does not go with a component, and what helps. */
export interface Refusal {
  readonly problem: string;
  readonly fix: string;
}

/** The same with the setting, which is one of the training or one of the component's own options. */
export interface SettingRefusal extends Refusal {
  readonly setting: keyof TrainingSettings | { readonly option: string };
}
