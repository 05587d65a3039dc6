import { expect } from 'chai';
import { DEFAULT_LIMITS } from '../../src/adapters/http/settings.ts';
import {
  isRateLimited,
  OptionRefused,
  optionsFrom,
  optionsWith,
  type PetstoreOptions,
  SETTINGS,
  unknownVariables,
} from '../../src/composition/options.ts';
import { LIMIT_SETTINGS } from '../../src/composition/settings/limit-settings.ts';

type Name = keyof typeof SETTINGS;

const RANDOM = '5f0c1d3a9b7e2468ace013579bdf2468';
const FIRST_KEY = `petstore_1_${RANDOM}`;

/** For each setting: accepted texts with their values, then refused texts. */
const TEXTS: {
  readonly [Setting in Name]: { good: [text: string, value: PetstoreOptions[Setting]][]; bad: string[] };
} = {
  databaseUrl: {
    good: [
      ['memory:', 'memory:'],
      ['sqlite:./here.db', 'sqlite:./here.db'],
      ['sqlite:/var/lib/petstore/store.db', 'sqlite:/var/lib/petstore/store.db'],
      ['postgresql://me@localhost/pets', 'postgresql://me@localhost/pets'],
      ['postgres://me:secret@db.example:5433/pets', 'postgres://me:secret@db.example:5433/pets'],
      ['postgresql://me@localhost/pets?host=%2Frun', 'postgresql://me@localhost/pets?host=%2Frun'],
    ],
    bad: [
      'postgresql:',
      'postgresql://',
      'postgresql://me@localhost',
      'postgresql://me@localhost/',
      'postgresql:pets',
      'sqlite:',
      'sqlite: ',
      'sqlite::memory:',
      'sqlite: :memory: ',
      'sqlite::MEMORY:',
      'sqlite:file::memory:',
      'sqlite:file::memory:?cache=shared',
      'sqlite:file:store?mode=memory',
      'sqlite:store.db?cache=shared&mode=memory',
      'sqlite:file:store.db',
      'memory',
      'mysql://localhost/pets',
      './store.db',
      ' ',
    ],
  },
  sqliteSynchronous: {
    good: [
      ['full', 'full'],
      ['normal', 'normal'],
    ],
    bad: ['off', 'FULL', '2', 'extra'],
  },
  postgresPool: {
    good: [
      ['1', 1],
      ['1000', 1000],
    ],
    bad: ['0', '1001', '-1', '1.5', 'ten'],
  },
  postgresReplicas: {
    good: [
      ['postgresql://me@standby/pets', ['postgresql://me@standby/pets']],
      ['postgres://a/pets, postgresql://b:5433/pets', ['postgres://a/pets', 'postgresql://b:5433/pets']],
    ],
    bad: ['standby', 'postgresql://standby', 'sqlite:./here.db', 'postgresql://a/pets,', 'postgresql://a/pets,b', ','],
  },
  postgresIsolation: {
    good: [
      ['read committed', 'read committed'],
      ['serializable', 'serializable'],
    ],
    bad: ['read-committed', 'SERIALIZABLE', 'repeatable read', 'snapshot'],
  },
  host: {
    good: ['127.0.0.1', '127.1.2.3', '::1', 'localhost'].map((host) => [host, host]),
    bad: ['http://localhost', 'localhost/x', '[::1]', 'a b', ' '],
  },
  port: {
    good: [
      ['0', 0],
      ['8080', 8080],
      ['65535', 65535],
    ],
    bad: ['-1', '65536', '80.5', '8o8o', '0x50', 'http', ' 80', '1e3'],
  },
  basePath: {
    good: ['/v1', '/shop/api-v1.0', '/~me/_x', '/..v1', '/healthy', '/v1/docs'].map((path) => [path, path]),
    bad: [
      'v1',
      '/',
      '/v1/',
      '//v1',
      '/v 1',
      '/v1?x',
      '/{id}',
      '/:id',
      '/ä',
      '/%41',
      '/..',
      '/v1/.',
      '/health',
      '/docs/v1',
    ],
  },
  publicUrl: {
    good: ['https://api.example', 'http://localhost:8080', 'https://api.example/petstore', 'http://[::1]/a/b-c.d'].map(
      (url) => [url, url],
    ),
    bad: [
      'api.example',
      '/petstore',
      'https://',
      'https://api.example/',
      'https://api.example/petstore/',
      'https://API.example',
      'https://api.example:443',
      'https://api.example?x=1',
      'https://api.example#x',
      'https://me:secret@api.example',
      'https://api.example/a b',
      'https://api.example/<a>',
      'https://api.example/a/../b',
      'ftp://api.example',
      'https://api.example, https://other.example',
    ],
  },
  corsOrigins: {
    good: [
      ['*', '*'],
      ['https://shop.example', ['https://shop.example']],
      ['https://shop.example, http://localhost:3000', ['https://shop.example', 'http://localhost:3000']],
    ],
    bad: [
      'shop.example',
      'https://shop.example/',
      'https://',
      'ftp://shop.example',
      'https://shop.example,',
      '*, https://shop.example',
      'null',
      'https://Shop.example',
      'https://shop.example:443',
      'https://me@shop.example',
      'https://shop.example?',
    ],
  },
  corsHeaders: {
    good: [
      ['X-Client-Version', ['X-Client-Version']],
      ['x-one, x_two', ['x-one', 'x_two']],
    ],
    bad: ['*', 'x-one,', 'x one', 'x:one', 'ä', '"x"'],
  },
  auth: {
    good: [
      ['open', 'open'],
      ['api-key', ['api-key']],
    ],
    bad: ['closed', 'API-KEY', 'api-key,', 'api-key,api-key', 'open,api-key', 'none', 'toString'],
  },
  firstKey: {
    good: [FIRST_KEY, `petstore_999999_${'-_Aa0Zz9'.repeat(25)}`].map((key) => [key, key]),
    bad: [
      'secret',
      'petstore_1_short',
      `petstore_0_${RANDOM}`,
      `petstore_1000000_${RANDOM}`,
      `petstore_first_${RANDOM}`,
      `petstore_1_${RANDOM.slice(0, 31)}`,
      `petstore_1_${'abcdefg'.repeat(9)}`,
      `petstore_1_${RANDOM}!`,
      `petstore_1_${'-_Aa0Zz9'.repeat(25)}x`,
      RANDOM,
    ],
  },
  firstKeyFile: { good: [['/run/secrets/key', '/run/secrets/key']], bad: [' ', 'a\u0000b'] },
  openNetwork: {
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: ['yes', 'ON', '0.0.0.0'],
  },
  allowedHosts: {
    good: [
      ['petstore.test', ['petstore.test']],
      ['A-b.example:8080, 192.168.1.7, [fd00::7]:80', ['A-b.example:8080', '192.168.1.7', '[fd00::7]:80']],
    ],
    bad: ['http://petstore.test', 'petstore.test/x', '*', '*.example', 'a,', 'a b', 'fd00::7', 'a:port', 'a:123456'],
  },
  jwtIssuer: { good: [['https://login.example/', 'https://login.example/']], bad: [' ', 'a\u0000b'] },
  jwtAudience: { good: [['petstore', 'petstore']], bad: ['  '] },
  jwtKeys: {
    good: ['https://login.example/jwks', 'http://127.0.0.1:8000/jwks', './keys.json'].map((keys) => [keys, keys]),
    bad: ['http://login.example/jwks', 'ftp://login.example/jwks', 'https://me:secret@login.example/jwks', ' '],
  },
  jwtAlgorithms: {
    good: [
      ['ES256', ['ES256']],
      ['RS256, EdDSA', ['RS256', 'EdDSA']],
    ],
    bad: ['none', 'HS256', 'RS256,HS256', 'rs256', ',', 'RS256,RS256'],
  },
  jwtClockTolerance: {
    good: [
      ['0', 0],
      ['600', 600],
    ],
    bad: ['-1', '601', '30s'],
  },
  rateLimit: {
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: ['600', 'no'],
  },
  ratePerMinute: { good: [['60', 60]], bad: ['0', '1000000001', '1.5', '600/m'] },
  rateBurst: { good: [['10', 10]], bad: ['0', '1000000001', 'much'] },
  rateStore: {
    good: [['memory', 'memory']],
    bad: ['redis', 'Memory'],
  },
  trustedProxies: {
    good: [
      ['0', 0],
      ['2', 2],
    ],
    bad: ['-1', '11', 'all', '127.0.0.1'],
  },
  requireIfMatch: {
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: ['required', 'On', ' on'],
  },
  unstable: {
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: ['ON', 'True', '2', 'constructor', '__proto__'],
  },
  demo: {
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: ['yes', '00', 'Off', 'toString'],
  },
  getPetDeprecated: {
    good: [['2026-01-01T00:00:00+01:00', Date.parse('2025-12-31T23:00:00Z')]],
    bad: ['2026-01-01', '2026-02-30T00:00:00Z', 'soon', '1767225600'],
  },
  getPetSunset: {
    good: [['2028-01-01T00:00:00Z', Date.parse('2028-01-01T00:00:00Z')]],
    bad: ['2028-01-01', '2028-01-01T00:00:00', 'never'],
  },
  adapters: {
    good: [
      ['./acme-storage.js', ['./acme-storage.js']],
      ['./one.js, @acme/two', ['./one.js', '@acme/two']],
    ],
    bad: [',', './one.js,', 'a b'],
  },
  adapterTimeout: {
    good: [
      ['100', 100],
      ['3600000', 3_600_000],
    ],
    bad: ['99', '3600001', '1.5', 'never'],
  },
  eventsRetentionAge: {
    good: [
      ['1', 1],
      ['36500', 36_500],
    ],
    bad: ['0', '36501', '1.5', 'never'],
  },
  eventsRetentionCount: {
    good: [
      ['1000', 1_000],
      ['100000000000', 100_000_000_000],
    ],
    bad: ['999', '100000000001', '1e6', 'all'],
  },
  logTo: {
    good: [
      ['stdout', 'stdout'],
      ['stderr', 'stderr'],
    ],
    bad: ['STDERR', 'file', '2'],
  },
  logLevel: {
    good: (['debug', 'info', 'warn', 'error', 'silent'] as const).map((level) => [level, level]),
    bad: ['INFO', 'verbose', 'trace', '3'],
  },
  webhooksAllowPrivate: {
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: ['yes', 'loopback'],
  },
  webhookLogDays: {
    good: [
      ['2', 2],
      ['365', 365],
    ],
    bad: ['1', '366', '2.5', '7d'],
  },
  shutdownGrace: {
    good: [
      ['0', 0],
      ['600000', 600_000],
    ],
    bad: ['-1', '600001', '20s', '1.5'],
  },
};

/** The refusal must be one line with the variable, its value, and the accepted values. */
function refusalOf(doing: () => unknown): string {
  try {
    doing();
  } catch (error) {
    if (!(error instanceof OptionRefused)) throw error;
    expect(error.message).to.not.match(/[\r\n]/);
    return error.message;
  }
  return expect.fail('It was not refused.');
}

describe('The options of a program', () => {
  it('are the defaults if they are undefined', () => {
    const undefinedOptions = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, undefined]));
    const undefinedLimits = Object.fromEntries(Object.keys(LIMIT_SETTINGS).map((name) => [name, undefined]));

    expect(optionsWith({ ...undefinedOptions, limits: undefinedLimits })).to.deep.equal(optionsWith({}));
    expect(optionsWith({ limits: undefined })).to.deep.equal(optionsWith({}));
  });

  for (const [given, message] of [
    [{ prot: 8080 }, 'There is no option "prot". Did you mean port?'],
    [{ databaseURL: 'memory:' }, 'There is no option "databaseURL". Did you mean databaseUrl?'],
    [{ limits: { conections: 1 } }, 'There is no option "limits.conections". Did you mean connections?'],
    [{ colour: undefined }, 'There is no option "colour".'],
  ] as [object, string][]) {
    it(`are refused if they are unknown: ${message}`, () => {
      expect(refusalOf(() => optionsWith(given))).to.equal(message);
    });
  }
});

describe('An option of a program that no variable can produce', () => {
  const credentials = 'it must be open, api-key, jwt, or api-key,jwt.';
  const cases: [given: object, message: string][] = [
    [{ auth: 'apikey' }, `auth (PETSTORE_AUTH) was "apikey"; ${credentials}`],
    [{ auth: ['apikey'], host: '0.0.0.0' }, `auth (PETSTORE_AUTH) was "apikey"; ${credentials}`],
    [{ auth: ['api-key', 'pigeon'] }, `auth (PETSTORE_AUTH) was "api-key,pigeon"; ${credentials}`],
    [{ auth: null }, `auth (PETSTORE_AUTH) was null; ${credentials}`],
    [
      { openNetwork: 0, host: '0.0.0.0' },
      'openNetwork (PETSTORE_OPEN_NETWORK) was 0; it must be on or off (or true or false, 1 or 0).',
    ],
    [
      { corsOrigins: ['*'] },
      'corsOrigins (PETSTORE_CORS_ORIGINS) was "*"; it must be * or origins such as https://shop.example, separated by commas.',
    ],
    [
      { rateStore: 'redis' },
      'rateStore (PETSTORE_RATE_STORE) was "redis"; it must be memory, or database (with PostgreSQL).',
    ],
    [{ port: Number.NaN }, 'port (PORT) was NaN; it must be a whole number from 0 to 65535.'],
    [{ limits: { body: '1 MiB' } }, "limits.body (PETSTORE_MAX_BODY_BYTES) was '1 MiB'; it must be a number."],
  ];
  for (const [given, message] of cases) {
    it(`is refused: ${message}`, () => {
      expect(refusalOf(() => optionsWith(given))).to.equal(message);
    });
  }

  it('is parsed like the variable if it is a string', () => {
    const given = { auth: 'api-key', openNetwork: 'off', corsOrigins: 'https://shop.example', port: '0' } as object;

    const { auth, openNetwork, corsOrigins, port } = optionsWith(given);

    expect({ auth, openNetwork, corsOrigins, port }).to.deep.equal({
      auth: ['api-key'],
      openNetwork: false,
      corsOrigins: ['https://shop.example'],
      port: 0,
    });
  });
});

describe('The options', () => {
  it('have their defaults if variables are unset or empty', () => {
    const empty = Object.fromEntries(
      [...Object.values(SETTINGS), ...Object.values(LIMIT_SETTINGS)].map(({ variable }) => [variable, '']),
    );

    expect(optionsFrom({})).to.deep.equal(optionsFrom(empty));
    expect(optionsFrom({})).to.deep.equal(optionsWith({}));
    expect(optionsFrom({})).to.deep.include({
      databaseUrl: 'sqlite:./data/petstore.db',
      sqliteSynchronous: 'full',
      postgresPool: 10,
      postgresIsolation: 'read committed',
      postgresReplicas: [],
      host: '127.0.0.1',
      port: 8080,
      basePath: '',
      publicUrl: '',
      corsOrigins: undefined,
      corsHeaders: [],
      unstable: true,
      requireIfMatch: false,
      demo: undefined,
      auth: 'open',
      openNetwork: false,
      allowedHosts: [],
      rateLimit: undefined,
      ratePerMinute: 600,
      rateBurst: 100,
      trustedProxies: 0,
      getPetDeprecated: Date.parse('2026-06-30T00:00:00Z'),
      getPetSunset: Date.parse('2027-12-31T23:59:59Z'),
      shutdownGrace: 20_000,
      limits: DEFAULT_LIMITS,
    });
  });

  it('have the documented limits', () => {
    expect(DEFAULT_LIMITS).to.include({
      body: 1_048_576,
      batchBody: 4_194_304,
      url: 8192,
      headers: 16_384,
      headersTime: 10_000,
      requestTime: 30_000,
      keepAlive: 65_000,
      operationTime: 15_000,
    });
  });

  for (const name of Object.keys(TEXTS) as Name[]) {
    const { variable, expects, about, show = (text: string) => text } = SETTINGS[name];
    const { good, bad } = TEXTS[name];
    // What other settings it requires.
    const beside: Record<string, string> = {
      ...(name === 'postgresReplicas' && { DATABASE_URL: 'postgresql://primary/pets' }),
      ...(name.startsWith('firstKey') && { PETSTORE_AUTH: 'api-key' }),
    };

    it(`accept valid values of ${variable}`, () => {
      for (const [text, value] of good) {
        expect(optionsFrom({ ...beside, [variable]: text })[name], text).to.deep.equal(value);
      }
    });

    it(`refuse invalid values of ${variable} in one line`, () => {
      for (const text of bad) {
        const message = refusalOf(() => optionsFrom({ ...beside, [variable]: text }));
        expect(message)
          .to.include(variable)
          .and.to.include(JSON.stringify(show(text)))
          .and.to.include(expects);
      }
      expect(refusalOf(() => optionsFrom({ ...beside, [variable]: 'two\nlines' }))).to.include(
        JSON.stringify(show('two\nlines')),
      );
      expect(about).to.match(/^[A-Z`].+\.$/);
    });
  }

  for (const [name, { variable, min, max }] of Object.entries(LIMIT_SETTINGS)) {
    it(`keep ${variable} within its bounds`, () => {
      const limits = (text: string) =>
        optionsFrom({ ...wide, [variable]: text }).limits as unknown as Record<string, number>;
      // One of two settings that must be compatible.
      const wide = { PETSTORE_REQUEST_TIMEOUT_MS: '3600000', PETSTORE_HEADERS_TIMEOUT_MS: '100' };

      expect(limits(String(min))[name]).to.equal(min);
      expect(limits(String(max))[name]).to.equal(max);
      for (const text of [String(min - 1), String(max + 1), '1.5', '1e4', 'much', '10k']) {
        const message = refusalOf(() => limits(text));
        expect(message)
          .to.include(variable)
          .and.to.include(text)
          .and.to.include(String(min))
          .and.to.include(String(max));
      }
    });
  }

  it('must be consistent', () => {
    const sunset = refusalOf(() => optionsFrom({ PETSTORE_GETPET_SUNSET: '2026-01-01T00:00:00Z' }));
    expect(sunset)
      .to.include('PETSTORE_GETPET_SUNSET')
      .and.to.include('PETSTORE_GETPET_DEPRECATED')
      .and.to.include('2026-01-01');
    const time = refusalOf(() => optionsFrom({ PETSTORE_REQUEST_TIMEOUT_MS: '9999' }));
    expect(time).to.include('PETSTORE_REQUEST_TIMEOUT_MS').and.to.include('9999').and.to.include('10000');
    refusalOf(() => optionsWith({ getPetSunset: 0 }));
    refusalOf(() => optionsWith({ auth: [] }));
    refusalOf(() => optionsWith({ limits: { requestTime: 1 } }));
  });

  for (const host of [
    '0.0.0.0',
    '::',
    '192.168.1.7',
    'example.com',
    '127.0.0.1.example.com',
    'localhost.example',
    '::2',
  ]) {
    it(`require loopback while authentication is off, and refuse ${host}`, () => {
      expect(refusalOf(() => optionsFrom({ HOST: host })))
        .to.include('HOST was')
        .and.to.include(JSON.stringify(host))
        .and.to.include('PETSTORE_AUTH')
        .and.to.include('PETSTORE_OPEN_NETWORK');
      expect(optionsFrom({ HOST: host, PETSTORE_AUTH: 'api-key' }).host).to.equal(host);
      expect(optionsFrom({ HOST: host, PETSTORE_OPEN_NETWORK: 'on' }).host).to.equal(host);
    });
  }

  it('must name the issuer if tokens are accepted', () => {
    const provider = {
      PETSTORE_JWT_ISSUER: 'https://login.example',
      PETSTORE_JWT_AUDIENCE: 'petstore',
      PETSTORE_JWT_JWKS: 'https://login.example/jwks',
    };

    expect(optionsFrom({ PETSTORE_AUTH: 'api-key, jwt', ...provider }).auth).to.deep.equal(['api-key', 'jwt']);
    for (const variable of Object.keys(provider)) {
      const environment = { PETSTORE_AUTH: 'jwt', ...provider, [variable]: '' };
      expect(refusalOf(() => optionsFrom(environment))).to.include(`${variable} was not set`);
    }
  });

  it('must not require API keys with a store in memory', () => {
    const environment = { PETSTORE_AUTH: 'api-key', DATABASE_URL: 'memory:' };

    expect(refusalOf(() => optionsFrom(environment)))
      .to.include('PETSTORE_AUTH')
      .and.to.include('DATABASE_URL');
  });

  it('must not count requests in a database that cannot be shared', () => {
    const environment = { PETSTORE_RATE_STORE: 'database' };

    expect(refusalOf(() => optionsFrom(environment)))
      .to.include('PETSTORE_RATE_STORE')
      .and.to.include('DATABASE_URL');
    const url = 'postgresql://localhost/petstore';
    expect(optionsWith({ rateStore: 'database', databaseUrl: url }).rateStore).to.equal('database');
  });

  it('must not name replicas of a database that cannot have any', () => {
    const replicas = 'postgresql://me:top-secret@standby/pets';

    for (const url of ['memory:', 'sqlite:./here.db', '']) {
      expect(refusalOf(() => optionsFrom({ PETSTORE_POSTGRES_REPLICAS: replicas, DATABASE_URL: url })))
        .to.include('PETSTORE_POSTGRES_REPLICAS')
        .and.to.include('DATABASE_URL')
        .and.to.not.include('secret');
    }
    expect(refusalOf(() => optionsWith({ postgresReplicas: [replicas] }))).to.include('DATABASE_URL');
  });

  for (const addresses of [
    'postgresql://me:top-secret@a/pets,b',
    'postgresql://a/pets, postgresql://me:top-secret@b',
    'postgresql://me:top,sec,ret@a/pets',
    'postgresql://a/pets,me:top-secret@b/pets',
    'postgresql://a/pets?password=top-secret,b',
    'postgres:/me:top-sec@ret@a/pets,postgresql://b/pets',
  ]) {
    it(`refuse ${addresses} as replicas without showing the password`, () => {
      const databaseUrl = 'postgresql://primary/pets';
      const environment = { DATABASE_URL: databaseUrl, PETSTORE_POSTGRES_REPLICAS: addresses };

      for (const message of [
        refusalOf(() => optionsFrom(environment)),
        refusalOf(() => optionsWith({ databaseUrl, postgresReplicas: addresses.split(',') })),
      ]) {
        expect(message).to.include('PETSTORE_POSTGRES_REPLICAS').and.to.include('***');
        expect(message).to.not.match(/top|sec|ret/);
      }
    });
  }

  it('limit the rate of callers by default while authentication is on', () => {
    const limited = (environment: Record<string, string>) => isRateLimited(optionsFrom(environment));

    expect(limited({})).to.equal(false);
    expect(limited({ PETSTORE_RATE_LIMIT: 'on' })).to.equal(true);
    expect(limited({ PETSTORE_AUTH: 'api-key' })).to.equal(true);
    expect(limited({ PETSTORE_AUTH: 'api-key', PETSTORE_RATE_LIMIT: 'off' })).to.equal(false);
  });

  it('of a program follow the same rules, under its own names', () => {
    expect(refusalOf(() => optionsWith({ host: '0.0.0.0' })))
      .to.include('host')
      .and.to.include('"0.0.0.0"')
      .and.to.include('loopback');
    expect(refusalOf(() => optionsWith({ databaseUrl: 'mysql:' })))
      .to.include('databaseUrl')
      .and.to.include('sqlite:');
    expect(refusalOf(() => optionsWith({ basePath: 'v1' })))
      .to.include('basePath')
      .and.to.include('/v1');
    expect(optionsWith({ port: 0, limits: { body: 2048 } })).to.deep.include({
      port: 0,
      limits: { ...DEFAULT_LIMITS, body: 2048 },
    });
  });

  it('report an unknown variable with their prefix', () => {
    expect(
      unknownVariables({ PETSTORE_UNSTABEL: 'off', PETSTORE_DEMO: 'off', PATH: '/bin', HOST: '::1', PETSTORE: 'x' }),
    ).to.deep.equal([{ variable: 'PETSTORE_UNSTABEL', didYouMean: 'PETSTORE_UNSTABLE' }]);
  });

  for (const [variable, didYouMean] of [
    ['PETSTORE_AUHT', 'PETSTORE_AUTH'],
    ['PETSTORE_CORS_ORIGIN', 'PETSTORE_CORS_ORIGINS'],
    ['PETSTORE_RATELIMIT', 'PETSTORE_RATE_LIMIT'],
    ['PETSTORE_MAX_BODY_BYTE', 'PETSTORE_MAX_BODY_BYTES'],
    ['PETSTORE_TRUSTED_PROXY', 'PETSTORE_TRUSTED_PROXIES'],
    ['PETSTORE_COLOUR', undefined],
    ['PETSTORE_X', undefined],
    ['PETSTORE_', undefined],
  ] as const) {
    it(`suggest ${didYouMean ?? 'nothing'} for ${variable}`, () => {
      expect(unknownVariables({ [variable]: 'x' })).to.deep.equal([{ variable, ...(didYouMean && { didYouMean }) }]);
    });
  }

  it('suggest no variable that is already set', () => {
    expect(unknownVariables({ PETSTORE_AUHT: 'x', PETSTORE_AUTH: 'open' })).to.deep.equal([
      { variable: 'PETSTORE_AUHT' },
    ]);
  });

  it('report all faults at once, one line each, without consequences of others', () => {
    const environment = {
      PORT: 'http',
      PETSTORE_AUTH: 'keys',
      HOST: '0.0.0.0',
      PETSTORE_MAX_URL_BYTES: '1',
      PETSTORE_REQUEST_TIMEOUT_MS: '200',
      PETSTORE_GETPET_SUNSET: '2026-01-01T00:00:00Z',
    };

    expect(() => optionsFrom(environment))
      .to.throw(OptionRefused)
      .with.property('message')
      .that.satisfies((message: string) => {
        const named = message.split('\n').map((line) => /^\w+/.exec(line)?.[0]);
        expect(named).to.deep.equal(['PORT', 'PETSTORE_AUTH', 'PETSTORE_MAX_URL_BYTES', 'PETSTORE_GETPET_SUNSET']);
        return true;
      });
    expect(() => optionsWith({ host: 'a b', databaseUrl: 'mysql:', auth: [] })).to.throw(
      OptionRefused,
      /^databaseUrl .*\nhost .*\nPETSTORE_AUTH was empty.*$/,
    );
  });

  it('report unknown variables beside a fault that one of them may have caused', () => {
    const mistyped = { HOST: '0.0.0.0', PETSTORE_AUHT: 'api-key', PETSTORE_COLOUR: 'red' };

    expect(() => optionsFrom(mistyped)).to.throw(
      OptionRefused,
      /^HOST .*\nPETSTORE_AUHT is not a setting\. Did you mean PETSTORE_AUTH\?\nPETSTORE_COLOUR is not a setting\.$/,
    );
    expect(() => optionsFrom({ ...mistyped, HOST: '127.0.0.1' })).to.not.throw();
  });

  it('explain a slash at the end of an origin', () => {
    const message = refusalOf(() => optionsFrom({ PETSTORE_CORS_ORIGINS: 'https://a.example, https://b.example/' }));

    expect(message).to.match(/without a slash at its end: set https:\/\/b\.example\.$/);
    expect(refusalOf(() => optionsFrom({ PETSTORE_CORS_ORIGINS: 'b.example/' }))).to.not.include('slash');
  });

  it('explain an origin that no browser sends in this form', () => {
    const message = refusalOf(() => optionsFrom({ PETSTORE_CORS_ORIGINS: 'http://a.example,https://B.example:443' }));

    expect(message).to.match(/ A browser sends https:\/\/b\.example for https:\/\/B\.example:443\.$/);
  });

  it('suggest memory: for a path that SQLite keeps in memory', () => {
    expect(refusalOf(() => optionsFrom({ DATABASE_URL: 'sqlite::memory:' }))).to.match(/set memory:\. /);
  });

  for (const [word, value] of Object.entries({ on: true, true: true, 1: true, off: false, false: false, 0: false })) {
    it(`read ${word} as ${value ? 'on' : 'off'}`, () => {
      expect(optionsFrom({ PETSTORE_UNSTABLE: word, PETSTORE_DEMO: word })).to.include({
        unstable: value,
        demo: value,
      });
    });
  }

  it('accept one first key while API keys are required, also for a store in memory', () => {
    const keys = { PETSTORE_AUTH: 'api-key', DATABASE_URL: 'memory:', HOST: '0.0.0.0' };

    expect(optionsFrom({ ...keys, PETSTORE_FIRST_KEY: FIRST_KEY }).firstKey).to.equal(FIRST_KEY);
    expect(optionsFrom({ ...keys, PETSTORE_FIRST_KEY_FILE: '/run/key' }).firstKeyFile).to.equal('/run/key');
    expect(
      refusalOf(() => optionsFrom({ ...keys, PETSTORE_FIRST_KEY: FIRST_KEY, PETSTORE_FIRST_KEY_FILE: '/run/key' })),
    ).to.equal('PETSTORE_FIRST_KEY and PETSTORE_FIRST_KEY_FILE were both set; set one of them.');
    for (const name of ['PETSTORE_FIRST_KEY', 'PETSTORE_FIRST_KEY_FILE']) {
      expect(refusalOf(() => optionsFrom({ [name]: FIRST_KEY })))
        .to.match(new RegExp(`^${name} was set; `))
        .and.not.include(RANDOM);
    }
    expect(refusalOf(() => optionsWith({ auth: ['api-key'], firstKey: RANDOM }))).to.not.include(RANDOM);
  });

  it('have one variable each', () => {
    const variables = [...Object.values(SETTINGS), ...Object.values(LIMIT_SETTINGS)].map(({ variable }) => variable);

    expect(new Set(variables).size).to.equal(variables.length);
    for (const variable of variables) expect(variable).to.match(/^(?:DATABASE_URL|HOST|PORT|PETSTORE_[A-Z_]+)$/);
  });
});
