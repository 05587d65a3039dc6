/** Header fields in the order in which they are sent: name, value, name, value … */
export type HeaderFields = readonly string[];

/** A response without the headers that every response has. */
export interface Rendered {
  readonly status: number;
  /** The entity tag of the uncompressed form, if it has one. */
  readonly tag?: string | undefined;
  readonly headers: HeaderFields;
  readonly body?: string | undefined;
  readonly type?: string | undefined;
}
