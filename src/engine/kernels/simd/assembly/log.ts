/** The host's natural logarithm, called once for many tokens. */
// @ts-expect-error: decorator
@external('env', 'log')
export declare function log(x: f64): f64;
