/** The files of the web page, by path below the root. */
export interface PageFiles {
  file(path: string): PageFile | undefined;
}

export type PageFile = {
  bytes: Buffer<ArrayBuffer>;
  /** The media type. */
  type: string;
  /** Strong, with quotes. */
  etag: string;
  /** The file name changes with the content, so clients may cache it for ever. */
  isImmutable: boolean;
  gzip?: Buffer<ArrayBuffer>;
};
