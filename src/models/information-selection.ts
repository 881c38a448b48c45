/** Which features stay: those with the most information about the label, limited in number or by a minimum. */
export interface InformationSelection {
  /** Features that stay at most. */
  readonly keep?: number | undefined;
  /** Least mutual information with the label, in nats. */
  readonly least?: number | undefined;
}
