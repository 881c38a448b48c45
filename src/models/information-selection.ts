/** Which features stay: those that tell most about the label, as many as are kept and as much as they must. */
export interface InformationSelection {
  /** Features that stay at most. */
  readonly keep?: number | undefined;
  /** Least mutual information with the label, in nats. */
  readonly least?: number | undefined;
}
