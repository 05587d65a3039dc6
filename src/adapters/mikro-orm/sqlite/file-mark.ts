/** Identifies a SQLite file of this service: 'PETS' in ASCII, in the header of the file (https://www.sqlite.org/pragma.html#pragma_application_id). */
export const APPLICATION_ID = 0x50455453;
