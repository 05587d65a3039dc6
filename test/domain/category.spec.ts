import { expect } from 'chai';
import { Category } from '../../src/domain/category.ts';

function dogs(description?: string): Category {
  return Category.create({ id: 1, name: 'Dogs', description });
}

describe('A category', () => {
  it('is created with a name and an optional description', () => {
    expect(dogs().snapshot()).to.deep.equal({ id: 1, name: 'Dogs', description: undefined });
    expect(dogs('Who bark').snapshot()).to.deep.equal({ id: 1, name: 'Dogs', description: 'Who bark' });
  });

  it('is recalled as it was', () => {
    const snapshot = { id: 1, name: 'Dogs', description: 'Who bark' };

    expect(Category.recall(snapshot).snapshot()).to.deep.equal(snapshot);
  });

  it('does not share its state', () => {
    const category = dogs();

    Object.assign(category.snapshot(), { name: 'Cats' });

    expect(category.name).to.equal('Dogs');
  });

  it('is renamed, also if only the case differs', () => {
    const category = dogs();

    expect(category.rename('DOGS')).to.equal(true);
    expect(category.name).to.equal('DOGS');
  });

  it('may have an empty description, which is different from none', () => {
    const category = dogs();

    expect(category.describe('')).to.equal(true);
    expect(category.description).to.equal('');
    expect(category.describe(undefined)).to.equal(true);
    expect(category.description).to.equal(undefined);
  });

  it('has normalised texts, whichever method sets them', () => {
    const category = Category.create({ id: 1, name: ' Me\u0301lange ', description: ' cafe\u0301 ' });

    expect(category.snapshot()).to.deep.equal({ id: 1, name: 'Mélange', description: 'café' });
    expect(category.rename('Me\u0301lange')).to.equal(false);
    expect(category.describe('cafe\u0301')).to.equal(false);
  });

  it('reports no change when it gets the name or description that it has', () => {
    expect(dogs().rename('Dogs')).to.equal(false);
    expect(dogs().describe(undefined)).to.equal(false);
    expect(dogs('Who bark').describe('Who bark')).to.equal(false);
  });
});
