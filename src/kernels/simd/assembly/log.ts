/** Natural logarithm, of the host: called once for many tokens. */
// @ts-expect-error: decorator
@external('env', 'log')
export declare function log(x: f64): f64;
