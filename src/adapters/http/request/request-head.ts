/** The part of a request that precedes its body, on every transport. The message of Node's server has this type. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly httpVersion: string;
  /** By lower-case names; lines of one field are joined where the field is a list. */
  readonly headers: RequestHeaders;
  /** Every field as it was received: name, value, name, value … */
  readonly rawHeaders: readonly string[];
}

export interface RequestHeaders {
  readonly accept?: string | undefined;
  readonly authorization?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
  readonly 'content-length'?: string | undefined;
  readonly 'content-type'?: string | undefined;
  readonly expect?: string | undefined;
  readonly host?: string | undefined;
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'transfer-encoding'?: string | undefined;
  readonly upgrade?: string | undefined;
  readonly [name: string]: string | readonly string[] | undefined;
}
