/**
 * The entries of an index and its filter (0: none), as addresses, and their sizes less one. Where
 * the entries are packed, the complement of the first size less one.
 */
export interface IndexPlaces {
  readonly table: number;
  readonly mask: number;
  readonly filter: number;
  readonly filterMask: number;
}

/** Where the kernel counts entries and rows and notes new ones, as addresses, and how many entries there may be. */
export interface IndexGrowth {
  readonly counts: number;
  readonly most: number;
  /** 0 where they are not noted. */
  readonly fresh: number;
  /** The row that the first that is noted has. */
  readonly freshRow: number;
}
