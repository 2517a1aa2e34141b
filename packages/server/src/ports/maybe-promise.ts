/** A value that is at hand, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;
