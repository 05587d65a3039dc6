import { expect } from 'chai';
import { Category } from '../../src/domain/category.ts';

function dogs(description?: string): Category {
  return Category.create({ id: 1, name: 'Dogs', description });
}

describe('A category', () => {
  it('is opened with a name, and perhaps a description', () => {
    expect(dogs().snapshot()).to.deep.equal({ id: 1, name: 'Dogs', description: undefined });
    expect(dogs('Who bark').snapshot()).to.deep.equal({ id: 1, name: 'Dogs', description: 'Who bark' });
  });

  it('is recalled as it was', () => {
    const snapshot = { id: 1, name: 'Dogs', description: 'Who bark' };

    expect(Category.recall(snapshot).snapshot()).to.deep.equal(snapshot);
  });

  it('keeps its facts to itself', () => {
    const category = dogs();

    Object.assign(category.snapshot(), { name: 'Cats' });

    expect(category.name).to.equal('Dogs');
  });

  it('is renamed, be it only in case', () => {
    const category = dogs();

    expect(category.rename('DOGS')).to.equal(true);
    expect(category.name).to.equal('DOGS');
  });

  it('is described, with an empty text too, which is not the same as none', () => {
    const category = dogs();

    expect(category.describe('')).to.equal(true);
    expect(category.description).to.equal('');
    expect(category.describe(undefined)).to.equal(true);
    expect(category.description).to.equal(undefined);
  });

  it('has tidy texts, whichever way they came', () => {
    const category = Category.create({ id: 1, name: ' Me\u0301lange ', description: ' cafe\u0301 ' });

    expect(category.snapshot()).to.deep.equal({ id: 1, name: 'Mélange', description: 'café' });
    expect(category.rename('Me\u0301lange')).to.equal(false);
    expect(category.describe('cafe\u0301')).to.equal(false);
  });

  it('renamed or described as it is already: no change', () => {
    expect(dogs().rename('Dogs')).to.equal(false);
    expect(dogs().describe(undefined)).to.equal(false);
    expect(dogs('Who bark').describe('Who bark')).to.equal(false);
  });
});
