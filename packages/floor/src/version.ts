/**
 * Of `apply`: a snapshot made by another one is not used. Whoever changes what a log folds into raises it, and the test
 * beside this file says so.
 */
export const floorVersion = 3;
