/** The files of the web page and, under `api-reference/`, of the API reference, by path. */
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
