/** A study for display: all numbers are formatted as text. */
export interface ShownStudy {
  /** The command that made it, where it is not `study`. */
  readonly by?: string | undefined;
  readonly name: string;
  readonly title: string;
  readonly reference?: string | undefined;
  readonly about?: string | undefined;
  /** A description of the runs in one sentence. */
  readonly runs: string;
  readonly tables: readonly ShownTable[];
  readonly plots: readonly ShownPlot[];
  readonly boxes?: readonly ShownBoxes[] | undefined;
  readonly expectations: readonly ShownExpectation[];
  readonly notes: readonly string[];
}

/** A table of measured values, next to published ones if there are any. */
export interface ShownTable {
  readonly title: string;
  readonly heads: readonly ShownHead[];
  readonly rows: readonly { readonly name: string; readonly cells: readonly ShownCell[] }[];
  readonly note?: string | undefined;
}

/** A column of measured values, and the columns next to it. */
export interface ShownHead {
  readonly name: string;
  /** Heading of the published values next to it, if there are any. */
  readonly published?: string | undefined;
  /** Whether differences from them can be shown. */
  readonly compared: boolean;
}

/** A value with what was published of it. */
export interface ShownCell {
  /** Empty if there is none. */
  readonly measured: string;
  readonly published?: string | undefined;
  readonly difference?: string | undefined;
}

/** A drawing. */
export interface ShownPlot {
  readonly title: string;
  readonly x: ShownAxis;
  readonly y: ShownAxis;
  readonly lines: readonly ShownLine[];
  readonly marks?: readonly ShownMark[] | undefined;
}

/** A place on the x axis where something happened. */
export interface ShownMark {
  readonly x: number;
  readonly label: string;
  readonly name: string;
}

/** What an axis is about. */
export interface ShownAxis {
  readonly title: string;
  readonly digits: number;
  readonly log: boolean;
}

/** Points that belong together, in the order of the line through them. */
export interface ShownLine {
  readonly name: string;
  readonly points: readonly ShownPoint[];
}

/** A point of a drawing. */
export interface ShownPoint {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** Half the length of an error bar, where there is one. */
  readonly error?: number | undefined;
}

/** Box plots of samples on one axis. */
export interface ShownBoxes {
  readonly title: string;
  readonly axis: ShownAxis;
  readonly boxes: readonly { readonly name: string; readonly values: readonly number[] }[];
}

/** What had to come out, and what has. */
export interface ShownExpectation {
  readonly text: string;
  readonly found: string;
  /** Undefined where not all was run that it is about. */
  readonly met: boolean | undefined;
}
