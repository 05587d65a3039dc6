import { expect } from 'chai';
import { Pet } from '../../src/domain/pet.ts';

function rex(): Pet {
  return Pet.create({ id: 7, name: 'Rex', categoryId: 1 });
}

describe('A pet', () => {
  it('is created with a name and a category', () => {
    expect(rex().snapshot()).to.deep.equal({ id: 7, name: 'Rex', categoryId: 1 });
  });

  it('is recalled as it was', () => {
    const snapshot = { id: 7, name: 'Rex', categoryId: 1 };

    expect(Pet.recall(snapshot).snapshot()).to.deep.equal(snapshot);
  });

  it('does not share its state', () => {
    const pet = rex();

    Object.assign(pet.snapshot(), { name: 'Max' });

    expect(pet.name).to.equal('Rex');
  });

  it('is renamed', () => {
    const pet = rex();

    expect(pet.rename('rex')).to.equal(true);
    expect(pet.name).to.equal('rex');
  });

  it('has a normalised name, whichever method sets it', () => {
    const pet = Pet.create({ id: 7, name: ' Zoe\u0301 ', categoryId: 1 });

    expect(pet.name).to.equal('Zoé');
    expect(pet.rename('Zoe\u0301')).to.equal(false);
    expect(pet.rename('\tRex\n')).to.equal(true);
    expect(pet.name).to.equal('Rex');
  });

  it('moves to another category', () => {
    const pet = rex();

    expect(pet.moveTo(2)).to.equal(true);
    expect(pet.categoryId).to.equal(2);
  });

  it('reports no change when it gets the name or category that it has', () => {
    expect(rex().rename('Rex')).to.equal(false);
    expect(rex().moveTo(1)).to.equal(false);
  });
});
