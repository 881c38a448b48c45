/** A study for display: all numbers are formatted as text. */
export interface ShownStudy {
  /** The command that made the study, if not `study`. */
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
  /** Whether differences from the published values are shown. */
  readonly compared: boolean;
}

/** A value with its published counterpart. */
export interface ShownCell {
  /** Measured value; empty if there is none. */
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

/** A position on the x axis at which an event happened. */
export interface ShownMark {
  readonly x: number;
  readonly label: string;
  readonly name: string;
}

/** What an axis shows. */
export interface ShownAxis {
  readonly title: string;
  readonly digits: number;
  readonly log: boolean;
}

/** Points of one line, in their order along it. */
export interface ShownLine {
  readonly name: string;
  readonly points: readonly ShownPoint[];
}

/** A point of a drawing. */
export interface ShownPoint {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** Half the length of an error bar, if there is one. */
  readonly error?: number | undefined;
}

/** Box plots of samples on one axis. */
export interface ShownBoxes {
  readonly title: string;
  readonly axis: ShownAxis;
  readonly boxes: readonly { readonly name: string; readonly values: readonly number[] }[];
}

/** An expected result, and whether it was found. */
export interface ShownExpectation {
  readonly text: string;
  readonly found: string;
  /** Whether it was found; undefined if some of its runs were not made. */
  readonly met: boolean | undefined;
}
