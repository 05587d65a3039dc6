/** Header fields in the order in which they are sent: name, value, name, value … */
export type HeaderFields = readonly string[];

/** An answer as it goes out, but for what every answer has. */
export interface Rendered {
  readonly status: number;
  /** The entity tag of the uncompressed form, if it has one. */
  readonly tag?: string | undefined;
  readonly headers: HeaderFields;
  readonly body?: string | undefined;
  readonly type?: string | undefined;
}
