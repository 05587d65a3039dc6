/** What an operation returns. Its status, and whether it has an entity tag, follow from the operation. */
export interface ApiResponse {
  /** What becomes the JSON body; none for 204. */
  readonly body?: unknown;
  /** Where a created resource can be read: a path of the interface. */
  readonly location?: string;
  /** Of a page of a list: how to go on. */
  readonly page?: PageLinks;
}

export interface PageLinks {
  /** The cursor of the next page; none on the last one. */
  readonly next: string | undefined;
  /** The number of items in the whole list, if the client wants it. */
  readonly total: number | undefined;
}
