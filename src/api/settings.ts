/** The settings that affect the interface and its document. */
export interface ApiSettings {
  /** The prefix of every path of the interface: `''`, or `/` and more, without a slash at its end. */
  readonly basePath: string;
  /** How clients address what the service serves under `/`, without a slash at its end; `''` if its links are paths. */
  readonly publicUrl: string;
  /** The hosts that requests may name, in addition to this machine itself, or `any` if `Host` is not checked. */
  readonly allowedHosts: 'any' | readonly string[];
  /** Whether operations marked beta or experimental are served. */
  readonly unstable: boolean;
  /** The kinds of credentials that are accepted; none if authentication is off. */
  readonly credentials: CredentialKinds;
  /** Whether the requests of callers are limited. */
  readonly rateLimited: boolean;
}

export interface CredentialKinds {
  readonly apiKey: boolean;
  /** The provider whose tokens are accepted, if any. */
  readonly issuer: string | undefined;
}

/** What stands before the path of an operation in a link. */
export function linkBase({ publicUrl, basePath }: Pick<ApiSettings, 'publicUrl' | 'basePath'>): string {
  return publicUrl + basePath;
}

/** Whether authentication is on. */
export function requiresAuthentication({ apiKey, issuer }: CredentialKinds): boolean {
  return apiKey || issuer !== undefined;
}

export const API_VERSION = '1.0.0';

/** The largest `Retry-After`, in seconds. A limiter with longer windows is asked again after that. */
export const LONGEST_WAIT = 86_400;
