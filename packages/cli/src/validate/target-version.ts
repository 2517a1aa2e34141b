/** Versions that can be written: of each dialect the release that others support, and the newest. */
export const targetVersions = ["0.9.3", "1.0.0", "1.1.0", "1.1.1"] as const;

export type TargetVersion = (typeof targetVersions)[number];
