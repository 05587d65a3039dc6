/** Header fields in the order in which they are sent: name, value, name, value … */
export type HeaderFields = readonly string[];

/** What an operation answers. */
export interface Answer {
  readonly status: 200 | 201 | 204;
  /** What becomes the JSON body; none for 204. */
  readonly body?: unknown;
  /** What the ETag covers beside the body: the links of a list. */
  readonly taggedWith?: string;
  /** Whether this answer carries an ETag at all. */
  readonly tagged: boolean;
  readonly headers: HeaderFields;
}

/** An answer as it goes out, but for what every answer has. */
export interface Rendered {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body?: string | undefined;
  readonly type?: string | undefined;
}

const NO_HEADERS: HeaderFields = [];

export function ok(body: unknown, headers: HeaderFields = NO_HEADERS): Answer {
  return { status: 200, body, tagged: true, headers };
}

/** `location` is a path; it gets the base path in front. */
export function created(body: unknown, location: string, tagged = true): Answer {
  return { status: 201, body, tagged, headers: ['Location', location] };
}

export const gone: Answer = { status: 204, tagged: false, headers: NO_HEADERS };
