import { JSON_TYPE } from '../../../api/media-types.ts';

/** The media type of a Content-Type header, if this service could read a body with its parameters. */
export function readableType(header: string | undefined): string | undefined {
  if (header === undefined || header === JSON_TYPE) return header;
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const readable = parameters.every(
    (parameter) => parameter === '' || /^charset="?utf-?8"?$/.test(parameter) || !parameter.startsWith('charset='),
  );
  return readable ? type : undefined;
}
