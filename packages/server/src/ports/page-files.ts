/** The files of a page for people, by their paths below the root. */
export interface PageFiles {
  file(path: string): PageFile | undefined;
}

export type PageFile = {
  bytes: Buffer<ArrayBuffer>;
  /** Its media type. */
  type: string;
  /** Strong, quotes included. */
  etag: string;
  /** Its name changes with its content, so nobody need ask for it again. */
  isImmutable: boolean;
  gzip?: Buffer<ArrayBuffer>;
};
