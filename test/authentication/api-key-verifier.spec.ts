import { expect } from 'chai';
import { InMemoryReader } from '../../src/adapters/in-memory/reader.ts';
import { NodeSecrets } from '../../src/adapters/node-crypto/node-secrets.ts';
import { ApiKeyVerifier } from '../../src/application/api-key-verifier.ts';
import { KeyDesk } from '../../src/application/key-desk.ts';
import { CredentialRefused } from '../../src/application/ports/credential-verifier.ts';
import type { ApiKeySnapshot } from '../../src/domain/api-key.ts';
import { OPENING, Shop } from '../application/shop.ts';
import { failureOf } from '../support/promises.ts';

/** Counts its calls. */
class CountingSecrets extends NodeSecrets {
  digests = 0;
  compared = 0;

  override digest(text: string): string {
    this.digests += 1;
    return super.digest(text);
  }

  override same(digest: string, other: string): boolean {
    this.compared += 1;
    return super.same(digest, other);
  }
}

/** Returns the keys with the changes of a test, and counts the calls. */
class StagedReader extends InMemoryReader {
  asked = 0;
  change: Partial<ApiKeySnapshot> = {};

  override async apiKey(id: number): Promise<ApiKeySnapshot | undefined> {
    this.asked += 1;
    const key = await super.apiKey(id);
    return key && { ...key, ...this.change };
  }
}

describe('The verifier of API keys', () => {
  let shop: Shop;
  let reader: StagedReader;
  let secrets: CountingSecrets;
  let desk: KeyDesk;
  let verifier: ApiKeyVerifier;

  beforeEach(() => {
    shop = new Shop();
    reader = new StagedReader(shop.store);
    secrets = new CountingSecrets();
    desk = new KeyDesk(shop.work, reader, shop.clock, secrets);
    verifier = new ApiKeyVerifier(reader, shop.clock, secrets);
  });

  const issue = async (expiresAt?: number) =>
    (await desk.issue({ name: 'Till', scopes: ['pets:read', 'store:read'], expiresAt })).secret;

  const refusalOf = async (credential: string) => {
    const failure = await failureOf(verifier.verify(credential));
    if (!(failure instanceof CredentialRefused)) throw failure;
    return [failure.reason, failure.message];
  };

  it("names the caller after the key's identifier", async () => {
    await issue();

    expect(await verifier.verify(await issue())).to.deep.equal({
      name: 'key:2',
      scopes: new Set(['pets:read', 'store:read']),
    });
  });

  it('checks for every request whether a key is still valid', async () => {
    const secret = await issue();
    await verifier.verify(secret);
    await verifier.verify(secret);
    expect(reader.asked).to.equal(2);

    await desk.revoke(1);
    expect(await refusalOf(secret)).to.deep.equal(['revoked', 'This API key was revoked.']);
  });

  it('states when a key expired, and accepts it again when its expiry is moved', async () => {
    const secret = await issue(OPENING + 1_000);
    shop.clock.set(OPENING + 1_000);

    expect(await refusalOf(secret)).to.deep.equal([
      'expired',
      'This API key expired on 21 November 2026 at 09:00:01 UTC.',
    ]);

    await desk.expireAt(1, undefined);
    expect((await verifier.verify(secret))?.name).to.equal('key:1');
    await desk.revoke(1);
    expect((await refusalOf(secret))[0]).to.equal('revoked');
  });

  it('accepts a secret for its own key only', async () => {
    const [first] = [await issue(), await issue()];

    expect(await verifier.verify(first)).to.include({ name: 'key:1' });
    expect((await refusalOf(first.replace('_1_', '_2_')))[0]).to.equal('unknown');
  });

  it('does the same work whether the key exists or not', async () => {
    const [, , ...secret] = (await issue()).split('_');
    const stranger = secrets.make();
    const work = async (credential: string) => {
      const before = [reader.asked, secrets.digests, secrets.compared];
      const refusal = await refusalOf(credential);
      const after = [reader.asked, secrets.digests, secrets.compared];
      return [...after.map((count, i) => count - (before[i] ?? 0)), ...refusal];
    };

    const forged = await work(`petstore_1_${stranger}`);

    expect(forged).to.deep.equal([1, 1, 1, 'unknown', 'This API key does not exist.']);
    expect(await work(`petstore_2_${stranger}`)).to.deep.equal(forged);
    expect(await work(`petstore_2_${secret.join('_')}`)).to.deep.equal(forged);
  });

  it('accepts no text for a key that does not exist, not even the one that it compares with', async () => {
    expect((await refusalOf('petstore_1_x'))[0]).to.equal('unknown');
    expect((await refusalOf('petstore_'))[0]).to.equal('malformed');
  });

  it('computes the digest of a valid text once, and of an invalid one each time', async () => {
    const secret = await issue();
    const forged = `petstore_1_${secrets.make()}`;
    const before = secrets.digests;

    for (let i = 0; i < 3; i++) {
      await verifier.verify(secret);
      await refusalOf(forged);
    }

    expect(secrets.digests - before).to.equal(1 + 3);
  });

  it('removes a text from the cache as soon as it is refused', async () => {
    const secret = await issue();
    await verifier.verify(secret);
    await desk.revoke(1);
    await refusalOf(secret);
    const before = secrets.digests;

    await refusalOf(secret);

    expect(secrets.digests).to.equal(before + 1);
  });

  it('caches a thousand texts, and evicts the oldest', async () => {
    const texts: string[] = [];
    for (let i = 0; i <= 1_000; i++) texts.push(await issue());
    for (const text of texts) await verifier.verify(text);
    const digestsFor = async (text: string) => {
      const before = secrets.digests;
      expect(await verifier.verify(text)).to.include.keys('name');
      return secrets.digests - before;
    };

    expect(await digestsFor(texts[1] ?? '')).to.equal(0);
    expect(await digestsFor(texts[1_000] ?? '')).to.equal(0);
    expect(await digestsFor(texts[0] ?? '')).to.equal(1);
    expect(await digestsFor(texts[1] ?? '')).to.equal(1);
  });

  it('returns the stored scopes and compares the stored digest, whatever it has cached', async () => {
    const secret = await issue();
    await verifier.verify(secret);

    for (const scopes of [['admin'], ['pets:read', 'store:write'], ['pets:read']] as const) {
      reader.change = { scopes };
      expect([...((await verifier.verify(secret))?.scopes ?? [])]).to.deep.equal(scopes);
    }

    reader.change = { digest: secrets.digest('another') };
    expect((await refusalOf(secret))[0]).to.equal('unknown');
  });
});
